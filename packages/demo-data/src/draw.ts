/** Identifies a draw: equal keys always give equal results. */
export type Key = readonly (string | number)[]

/** Random values that depend only on the seed and a key, not on the order of calls. */
export interface Draw {
  /** A number from 0 to below 1. */
  fraction(...key: Key): number
  /** A whole number from 0 to below `count`. */
  index(count: number, ...key: Key): number
  pick<Item>(items: readonly Item[], ...key: Key): Item
  chance(probability: number, ...key: Key): boolean
  /** A number of the normal distribution with mean 0 and deviation 1. */
  normal(...key: Key): number
  hex(length: number, ...key: Key): string
  uuid(...key: Key): string
}

export function createDraw(seed: number): Draw {
  const fraction = (...key: Key) => hash(`${seed}|${key.join('|')}`) / 2 ** 32
  const index = (count: number, ...key: Key) => Math.floor(fraction(...key) * count)
  const hex = (length: number, ...key: Key) => {
    const words = Math.ceil(length / 8)
    const all = Array.from({ length: words }, (_, word) => hash(`${seed}|${key.join('|')}|${word}`))
    return all
      .map((word) => word.toString(16).padStart(8, '0'))
      .join('')
      .slice(0, length)
  }
  return {
    fraction,
    index,
    pick: (items, ...key) => items[index(items.length, ...key)] as (typeof items)[number],
    chance: (probability, ...key) => fraction(...key) < probability,
    normal: (...key) => {
      const radius = Math.sqrt(-2 * Math.log(1 - fraction('radius', ...key)))
      return radius * Math.cos(2 * Math.PI * fraction('angle', ...key))
    },
    hex,
    uuid: (...key) => {
      const digits = hex(32, ...key)
      return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`
    },
  }
}

/** FNV-1a with the finalizer of MurmurHash3; without it, similar texts have similar hashes. */
function hash(text: string): number {
  let bits = 0x811c9dc5
  for (let at = 0; at < text.length; at++) bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193)
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
