import { stripEscapes } from '../util/strip-escapes'
import type { SecretTexts, SpelledSecret } from './secret-values'
import { replaceTokens } from './token-shapes'
import type { PatternSearch } from './user-patterns'

/** What stands for a secret. */
export const MASK = '***'

/** Called with each secret that is found. */
export type NoteFound = (secret: string) => void

/** Takes secrets out of texts. What it makes of a text holds none, so it leaves that as it is. */
export class Masker {
  readonly #inside: readonly SpelledSecret[]
  readonly #alone: RegExp | undefined

  constructor(
    { inside, alone }: SecretTexts,
    private readonly search: PatternSearch | undefined,
  ) {
    this.#inside = inside
    this.#alone = alone.length === 0 ? undefined : matchAlone(alone)
  }

  /**
   * The texts without secrets, or the same array when there are none. Many texts are searched as one, which is quick.
   * Colours inside a secret do not hide it, nor does what a terminal does not show, such as the address of a link: a text
   * is searched as it is, then without its escape sequences, which it loses where only that finds something.
   */
  maskAll(texts: readonly string[], note: NoteFound): readonly string[] {
    const masked = this.#isClean(texts) ? texts : texts.map((text) => this.#maskShown(text, note))
    if (this.search === undefined) return masked
    const searched = this.search.replace(masked, (found) => this.#replaceFound(found, note))
    return searched.some((text, index) => text !== texts[index]) ? searched : texts
  }

  /** False where that takes the user's patterns to say, which may take their time: only `maskAll` asks them. */
  isClean(texts: readonly string[]): boolean {
    return this.search === undefined && this.#isClean(texts)
  }

  #isClean(texts: readonly string[]): boolean {
    const together = texts.join('\n')
    return this.#maskShown(together, () => undefined) === together
  }

  mask(text: string, note: NoteFound): string {
    return this.maskAll([text], note)[0] as string
  }

  #replaceFound(found: string, note: NoteFound): string {
    if (found !== MASK) note(found)
    return MASK
  }

  #maskShown(text: string, note: NoteFound): string {
    const masked = this.#mask(text, note)
    const shown = stripEscapes(masked)
    if (shown === masked) return masked
    const maskedShown = this.#mask(shown, note)
    return maskedShown === shown ? masked : maskedShown
  }

  #mask(text: string, note: NoteFound): string {
    const replace = (found: string): string => this.#replaceFound(found, note)
    let result = text
    for (const { text: form, secret } of this.#inside) {
      if (result.includes(form)) result = result.replaceAll(form, () => replace(secret))
    }
    if (this.#alone) result = result.replace(this.#alone, replace)
    return replaceTokens(result, replace)
  }
}

function matchAlone(texts: readonly string[]): RegExp {
  const escaped = texts.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`))
  return new RegExp(`(?<![A-Za-z0-9])(?:${escaped.join('|')})(?![A-Za-z0-9])`, 'g')
}
