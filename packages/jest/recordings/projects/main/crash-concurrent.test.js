test.concurrent('quick', async () => {
  await new Promise((r) => setTimeout(r, 20))
})
test.concurrent('crashes', async () => {
  await new Promise((r) => setTimeout(r, 300))
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => {})
})
test.concurrent('under way', async () => {
  await new Promise((r) => setTimeout(r, 5000))
})
