const { test, describe, it } = require('node:test')
const assert = require('node:assert')
describe('lamp', () => {
  it('lights', () => {
    console.log('on')
  })
  describe('colour', () => {
    it('is red', () => {
      assert.strictEqual('green', 'red')
    })
  })
  it('is blue', { skip: 'no lamp here' }, () => {})
  it('later', { todo: 'some day' }, () => {})
  it('todo fails', { todo: true }, () => {
    throw new Error('not yet')
  })
})
test('alone', () => {})
test('with subtests', async (t) => {
  await t.test('sub', () => {})
  await t.test('sub bad', () => {
    throw new TypeError('no')
  })
})
