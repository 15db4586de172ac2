import { expect, test } from '@playwright/test'

test.describe('lamp', () => {
  test('lights', { tag: '@smoke', annotation: { type: 'owner', description: '@lamps' } }, () => {
    console.log('the lamp is on')
  })

  test('is red', async () => {
    console.error('looking')
    await test.info().attach('colours.txt', { body: 'green\n', contentType: 'text/plain' })
    expect('green').toBe('red')
  })

  test('flickers', () => {
    expect(test.info().retry).toBe(1)
  })

  test.skip('is blue', () => {})

  test('is dark', () => {
    test.fail(true, 'known to be lit')
    expect(1).toBe(2)
  })
})

test('times out', async () => {
  test.setTimeout(100)
  await new Promise((resolve) => setTimeout(resolve, 5_000))
})
