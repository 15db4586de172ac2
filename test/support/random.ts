/** What tests of this execution draw by: their configuration sets it. */
export const SOAK_SEED = process.env['SOAK_SEED'] ?? ''

/** A small seeded generator of numbers: the same seed gives the same sequence on every machine. */
export class Random {
  #state: number

  /** A seed is any text; `new Random('7/3')` is tree 3 of seed 7. */
  constructor(seed: string) {
    // FNV-1a, so that near seeds begin far apart.
    this.#state = [...seed].reduce(
      (hash, character) => Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193),
      0x811c9dc5,
    )
  }

  /** A number from 0 to 1, 1 excluded: the mulberry32 sequence. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  pick<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[Math.floor(this.next() * values.length)] ?? values[0]
  }
}
