jest.retryTimes(1, { logErrorsBeforeRetry: true })
let n = 0
test.todo('later')
test.skip('skipped', () => {})
describe('outer', () => {
  test('fails', () => {
    throw new Error('seen before the crash')
  })
  test('passes', async () => {
    await new Promise((r) => setTimeout(r, 20))
  })
  test('same', () => {})
  test('same', () => {})
})
test('flaky', () => {
  if (n++ < 1) throw new Error('first try')
})
describe('last', () => {
  test('crashes on its retry', async () => {
    if (n++ < 2) throw new Error('try again')
    await new Promise((r) => setTimeout(r, 300))
    process.kill(process.pid, 'SIGKILL')
    return new Promise(() => {})
  })
})
