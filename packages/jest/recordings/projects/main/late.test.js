test('a', () => {
  setTimeout(() => {
    throw new Error('late')
  }, 30)
})
test('b', async () => {
  await new Promise((r) => setTimeout(r, 100))
})
