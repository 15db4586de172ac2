jest.retryTimes(2)
let n = 0
test('flaky', async () => {
  await new Promise((r) => setTimeout(r, 20))
  if (n++ < 1) throw new Error('first try')
})
test('always fails', () => {
  throw new Error('again')
})
let m = 0
test('same', () => {
  if (m++ < 3) throw new Error('call ' + m)
})
test('same', () => {
  if (m++ < 3) throw new Error('call ' + m)
})
