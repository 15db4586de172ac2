const { test, expect } = require('@playwright/test')

console.log('while loading')
test.describe('describes › nest', () => {
  test.describe('deep', () => {
    test('passes in the depth', async () => {
      await test.step('a step', () => console.error('on stderr'))
      console.log('on stdout')
    })
  })
})
test.describe('hooks', () => {
  test.afterAll(() => {
    throw new Error('after all')
  })
  test('is last in its block', () => {})
})
test.describe('each', () => {
  test.beforeEach(() => {
    throw new Error('before each')
  })
  test.afterEach(() => {
    throw new Error('after each')
  })
  test('has hooks that throw', () => {})
})
test('fails softly', () => {
  expect.soft(1).toBe(2)
  expect.soft(1).toBe(3)
})
test('fails as expected at last', () => {
  test.fail(true, 'known since the prototype')
  if (test.info().retry === 1) throw new Error('as expected')
})
test('expected to fail, times out', async () => {
  test.fail()
  test.setTimeout(300)
  await new Promise(() => {})
})
test('is skipped with attachments', async () => {
  await test.info().attach('seen before the skip', { body: 'bytes' })
  console.log('before the skip')
  test.skip(true, 'no hardware')
})
test('is slow', () => test.slow())
test('throws undefined', () => {
  throw undefined
})
test('throws a record', () => {
  throw { code: 7 }
})
test('throws a chain', () => {
  throw new Error('first', { cause: new Error('second', { cause: new Error('third') }) })
})
test('writes two lines', () => {
  throw new Error('one\n\ntwo')
})
test('attaches files', async () => {
  const { writeFileSync } = require('node:fs')
  const info = test.info()
  const file = info.outputPath('curve.csv')
  writeFileSync(file, '1')
  info.attachments.push({ name: 'curve', contentType: 'text/csv', path: file })
  info.attachments.push({ name: 'curve', contentType: 'text/csv', path: file })
  info.attachments.push({ name: 'again', contentType: 'text/csv', path: file })
  info.attachments.push({ name: '', contentType: 'text/csv', path: file })
  info.attachments.push({ name: 'view-expected.png', contentType: 'image/png', path: file })
  info.attachments.push({ name: 'view-actual.png', contentType: 'image/png', path: file })
  info.attachments.push({ name: 'lone-expected.png', contentType: 'image/png', path: file })
  info.attachments.push({ name: 'kept-expected.png', contentType: 'image/png', body: Buffer.from('png') })
  info.attachments.push({ name: 'no type', path: file })
})
test('differs from its snapshot', () => expect('seen').toMatchSnapshot('view.txt'))
