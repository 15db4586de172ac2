test.concurrent('c1', async () => {
  await new Promise((r) => setTimeout(r, 60))
})
test.concurrent('c2', async () => {
  await new Promise((r) => setTimeout(r, 30))
  throw new Error('c2')
})
test.concurrent('c3', async () => {
  await new Promise((r) => setTimeout(r, 10))
})
