import { expect, it } from 'vitest'
import { fingerprintOf } from './fingerprint'

it('is SHA-256 in hexadecimal digits, the same in every release', () => {
  const stack = 'Error: expected 3 to be 4\n    at add (src/cart.test.ts:10:5)'
  expect(fingerprintOf({ message: 'expected 3 to be 4', stack })).toBe(
    '7229599c13c0cb58effda75604f92d157182f2f2d624f6046248f632bada4a11',
  )
})
