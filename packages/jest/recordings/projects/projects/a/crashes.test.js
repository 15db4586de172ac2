test('is seen by all', () => new Promise((r) => setTimeout(r, 300)))
test('crashes in one', async () => {
  if (PLACE === 1) process.kill(process.pid, 'SIGKILL')
  await new Promise((r) => setTimeout(r, 100))
})
