import type { SpelledSecret } from './secret-values'

/** Shorter texts are searched for one by one. */
const SHORTEST = 4
const PAIRS = 0x1_00_00

/** Finds many texts in one pass (Wu and Manber's algorithm): a table says for every pair of characters how far to skip. */
export class TextSearch {
  readonly #short: readonly SpelledSecret[]
  readonly #long: readonly SpelledSecret[]
  /** The length of the shortest text: the table covers that many characters of each. */
  readonly #window: number
  readonly #steps: Uint8Array
  /** The texts whose window ends in a pair. */
  readonly #byPair = new Map<number, SpelledSecret[]>()

  constructor(forms: readonly SpelledSecret[]) {
    this.#short = forms.filter(({ text }) => text.length < SHORTEST)
    this.#long = forms.filter(({ text }) => text.length >= SHORTEST)
    this.#window = this.#long.reduce((shortest, { text }) => Math.min(shortest, text.length), 255)
    this.#steps = new Uint8Array(this.#long.length === 0 ? 0 : PAIRS).fill(this.#window - 1)
    for (const form of this.#long) this.#add(form)
  }

  #add(form: SpelledSecret): void {
    for (let at = 1; at < this.#window; at += 1) {
      const pair = pairAt(form.text, at)
      this.#steps[pair] = Math.min(this.#steps[pair] as number, this.#window - 1 - at)
    }
    const last = pairAt(form.text, this.#window - 1)
    this.#byPair.set(last, [...(this.#byPair.get(last) ?? []), form])
  }

  find(text: string): SpelledSecret[] {
    const found = new Set(this.#short.filter((form) => text.includes(form.text)))
    if (this.#long.length > 0) this.#findLong(text, found)
    return found.size < 2 ? [...found] : [...found].toSorted((a, b) => b.text.length - a.text.length)
  }

  #findLong(text: string, found: Set<SpelledSecret>): void {
    const steps = this.#steps
    for (let at = this.#window - 1; at < text.length;) {
      const pair = pairAt(text, at)
      const step = steps[pair] as number
      if (step === 0) {
        const start = at - this.#window + 1
        for (const form of this.#byPair.get(pair) ?? []) {
          if (text.startsWith(form.text, start)) found.add(form)
        }
      }
      at += step || 1
    }
  }
}

function pairAt(text: string, at: number): number {
  return ((text.charCodeAt(at - 1) & 0xff) << 8) | (text.charCodeAt(at) & 0xff)
}
