test('passes first', async () => {
  await new Promise((r) => setTimeout(r, 30))
})
test('takes long', async () => {
  await new Promise((r) => setTimeout(r, 5000))
})
