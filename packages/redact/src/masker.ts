import { toPlainError } from '@runledger/protocol'
import { escapePattern, stripEscapes } from './plain-text'
import type { PatternSearch } from './pattern-search'
import type { SecretTexts } from './secret-values'
import { TextSearch } from './text-search'
import { replaceTokens } from './token-shapes'

export const MASK = '***'

export type NoteSecret = (secret: string) => void

/** Takes secrets out of texts. Its output holds none, so masking again changes nothing. */
export class Masker {
  readonly #inside: TextSearch
  readonly #alone: RegExp | undefined

  constructor(
    { inside, alone }: SecretTexts,
    private readonly search: PatternSearch | undefined,
  ) {
    this.#inside = new TextSearch(inside)
    this.#alone = alone.length === 0 ? undefined : matchAlone(alone)
  }

  /**
   * Returns the same array if there are no secrets. Also finds secrets interrupted by colours or by what a terminal hides, such
   * as a link's address: a text is searched as it is, then without escape sequences, which it loses only if that finds more.
   */
  maskAll(texts: readonly string[], note: NoteSecret): readonly string[] {
    const masked = texts.map((text) => this.#maskShown(text, note))
    const searched = this.search?.replace(masked, (found) => this.#replaceFound(found, note)) ?? masked
    return searched.some((text, index) => text !== texts[index]) ? searched : texts
  }

  mask(text: string, note: NoteSecret): string {
    return this.maskAll([text], note)[0] as string
  }

  #replaceFound(found: string, note: NoteSecret): string {
    if (found !== MASK) note(found)
    return MASK
  }

  #maskShown(text: string, note: NoteSecret): string {
    const masked = this.#mask(text, note)
    // What is cut out of texts later must not hide a secret either.
    const shown = toPlainError(stripEscapes(masked))
    if (shown === masked) return masked
    const maskedShown = this.#mask(shown, note)
    return maskedShown === shown ? masked : maskedShown
  }

  #mask(text: string, note: NoteSecret): string {
    const replace = (found: string): string => this.#replaceFound(found, note)
    let result = text
    for (const { text: form, secret } of this.#inside.find(text)) {
      if (result.includes(form)) result = result.replaceAll(form, () => replace(secret))
    }
    if (this.#alone) result = result.replace(this.#alone, replace)
    return replaceTokens(result, replace)
  }
}

function matchAlone(texts: readonly string[]): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])(?:${texts.map(escapePattern).join('|')})(?![A-Za-z0-9])`, 'g')
}
