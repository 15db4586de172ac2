jest.retryTimes(3, { retryImmediately: true, logErrorsBeforeRetry: true })
let n = 0
test('one', () => {
  if (n++ < 2) throw new Error('call ' + n)
})
test.skip('one', () => {})
test('two', async () => {
  await new Promise((r) => setTimeout(r, 30))
})
test('two', () => {
  throw new Error('never passes')
})
test('two', () => {})
