// What a seed makes, the same on each machine.
import { createHash } from 'node:crypto'

/** Numbers that follow from two others: a multiplicative congruential generator. */
export function createRandom(seed, index) {
  let state = ((seed * 7919 + index) * 2_654_435_761 + 12_345) % 2_147_483_647 || 1
  return {
    /** A whole number from 0, below `limit`. */
    below(limit) {
      state = (state * 48_271) % 2_147_483_647
      return state % limit
    },
  }
}

export function makeUuid(seed, name) {
  const hex = createHash('md5').update(`${seed} ${name}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}

/** As the service makes the digest of an entry of metadata. */
export function digestOf(text) {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}
