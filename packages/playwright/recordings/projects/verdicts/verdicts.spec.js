const { test, expect } = require('@playwright/test')

test('passes', () => console.log('inside a test'))
test('fails', () => expect(1).toBe(2))
test('is flaky', () => expect(test.info().retry).toBe(1))
test('fails, then is skipped', () => {
  test.skip(test.info().retry === 1, 'no second look')
  throw new Error('first look')
})
test('fails as expected', () => {
  test.fail()
  expect(1).toBe(2)
})
test('passes unexpectedly', () => test.fail())
test.skip('is skipped', () => {})
test.fixme('is to be mended', () => {})
test('is skipped while it runs', () => test.skip(true, 'no hardware'))
test('times out', async () => {
  test.setTimeout(300)
  await new Promise(() => {})
})
test('throws what is no error', () => {
  throw 'a text'
})
test('has a cause', () => {
  throw new Error('outer', { cause: new Error('inner') })
})
test.describe('with attachments', () => {
  test('attaches', async () => {
    const info = test.info()
    await info.attach('bytes', { body: 'hello', contentType: 'text/plain' })
    await info.attach('', { body: 'unnamed', contentType: 'text/plain' })
    await info.attach('../up', { body: '{}', contentType: 'application/vnd.runledger.measurement+json' })
    info.attachments.push({ name: 'gone', contentType: 'text/plain', path: info.outputPath('gone.txt') })
  })
})
