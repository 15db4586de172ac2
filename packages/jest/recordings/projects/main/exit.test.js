test('a', async () => {
  await new Promise((r) => setTimeout(r, 100))
})
test('exits', async () => {
  await new Promise((r) => setTimeout(r, 300))
  process.exit(3)
})
