import { stripVTControlCharacters } from 'node:util'
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
   * The texts without secrets, or the same array when there are none. Many texts are searched as one, which is quick;
   * colours inside a secret do not hide it: a text with both loses its colours.
   */
  maskAll(texts: readonly string[], note: NoteFound): readonly string[] {
    const isClean = this.#mask(strip(texts.join('\n')), () => undefined) === undefined
    const masked = isClean ? texts : texts.map((text) => this.#mask(strip(text), note) ?? text)
    if (this.search === undefined) return masked
    const searched = this.search.replace(masked, (found) => this.#replaceFound(found, note))
    return searched.some((text, index) => text !== texts[index]) ? searched : texts
  }

  mask(text: string, note: NoteFound): string {
    return this.maskAll([text], note)[0] as string
  }

  #replaceFound(found: string, note: NoteFound): string {
    if (found !== MASK) note(found)
    return MASK
  }

  /** Undefined when there is nothing to mask. */
  #mask(text: string, note: NoteFound): string | undefined {
    const replace = (found: string): string => this.#replaceFound(found, note)
    let result = text
    for (const { text: form, secret } of this.#inside) {
      if (result.includes(form)) result = result.replaceAll(form, () => replace(secret))
    }
    if (this.#alone) result = result.replace(this.#alone, replace)
    result = replaceTokens(result, replace)
    return result === text ? undefined : result
  }
}

const ESCAPE = '\u001B'

function strip(text: string): string {
  return text.includes(ESCAPE) ? stripVTControlCharacters(text) : text
}

function matchAlone(texts: readonly string[]): RegExp {
  const escaped = texts.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`))
  return new RegExp(`(?<![A-Za-z0-9])(?:${escaped.join('|')})(?![A-Za-z0-9])`, 'g')
}
