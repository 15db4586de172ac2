import { type FilePath, ReadError } from '../read-error'

/** The limit of an STDF record. */
const MAX_NUMBERS = 65_535

/** The fields of a record of ATDF, counted from 0; blank ones are undefined. */
export class AtdfFields {
  readonly #fields: readonly string[]
  readonly at: FilePath

  constructor(fields: readonly string[], at: FilePath) {
    this.#fields = fields
    this.at = at
  }

  text(index: number): string | undefined {
    return this.#fields[index]?.trim() || undefined
  }

  /** Texts by their names; a field without a name is passed over. */
  texts(names: readonly string[]): Record<string, string | undefined> {
    return Object.fromEntries(
      names.flatMap((name, index) => (name === '' ? [] : [[name, this.text(index)] as const])),
    )
  }

  /** @throws ReadError */
  number(index: number): number | undefined {
    return this.numbers(index)[0]
  }

  /** Numbers that commas divide. @throws ReadError */
  numbers(index: number): number[] {
    const text = this.text(index)
    if (text === undefined) return []
    const parts = text.split(',', MAX_NUMBERS + 1)
    if (parts.length > MAX_NUMBERS)
      throw new ReadError([
        { path: [...this.at, `field ${index + 1}`], message: `has more than ${MAX_NUMBERS} numbers` },
      ])
    return parts.map((part) => {
      const value = Number(part)
      if (part.trim() !== '' && Number.isFinite(value)) return value
      throw new ReadError([
        {
          path: [...this.at, `field ${index + 1}`],
          message: `is "${part.slice(0, 40)}": it must be a number`,
        },
      ])
    })
  }

  /** `P` and `A` (alternate limits) passed, `F` failed. @throws ReadError for another letter */
  verdict(index: number): 'PASS' | 'FAIL' | undefined {
    const letter = this.text(index)?.toUpperCase()
    if (letter === undefined) return undefined
    if (letter === 'P' || letter === 'A') return 'PASS'
    if (letter === 'F') return 'FAIL'
    throw new ReadError([
      {
        path: [...this.at, `field ${index + 1}`],
        message: `is "${letter.slice(0, 40)}": it must be P, F, A or blank`,
      },
    ])
  }
}
