test('fails', async () => {
  await new Promise((r) => setTimeout(r, 1500))
  throw new Error('the reason to stop')
})
