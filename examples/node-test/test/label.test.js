import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkDigit, formatLabel, parseLabel } from '../src/label.js'

const UNIT = { gtin: '04012345123456', lot: 'L2611', serial: 'SN-0042' }

describe('check digit', () => {
  for (const [digits, expected] of [
    ['0401234512345', '6'],
    ['0000000000000', '0'],
    ['9501101530003'.slice(0, -1), '3'],
  ])
    it(`of ${digits} is ${expected}`, () => assert.equal(checkDigit(digits), expected))
})

describe('label', () => {
  it('is read as it was written', () => {
    assert.deepEqual(parseLabel(formatLabel(UNIT)), UNIT)
  })

  it('has its fields in any order', () => {
    assert.deepEqual(parseLabel('21SN-7\u001D10L1\u001D0104012345123456'), {
      serial: 'SN-7',
      lot: 'L1',
      gtin: UNIT.gtin,
    })
  })

  it('is refused with a wrong check digit', () => {
    assert.throws(() => formatLabel({ ...UNIT, gtin: '04012345123457' }), /should be 6/)
  })

  it.todo('has a date of manufacture')
})
