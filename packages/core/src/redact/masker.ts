import { toPlainError } from '@runledger/protocol'
import { type Context, createContext, Script } from 'node:vm'
import { escapePattern, stripEscapes } from '../util/text'
import type { SecretTexts, SpelledSecret } from './secret-values'
import { replaceTokens } from './token-shapes'

/** What stands for a secret. */
export const MASK = '***'

/** Called with each secret that is found. */
export type NoteSecret = (secret: string) => void

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
   * The texts without secrets, or the same array when there are none. Colours inside a secret do not hide it, nor does what
   * a terminal does not show, such as the address of a link: a text is searched as it is, then without its escape
   * sequences, which it loses where only that finds something.
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
    for (const { text: form, secret } of this.#inside) {
      if (result.includes(form)) result = result.replaceAll(form, () => replace(secret))
    }
    if (this.#alone) result = result.replace(this.#alone, replace)
    return replaceTokens(result, replace)
  }
}

function matchAlone(texts: readonly string[]): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])(?:${texts.map(escapePattern).join('|')})(?![A-Za-z0-9])`, 'g')
}

/** Fields whose texts stay as they are: paths that must be found, ids of units, words of the frameworks. */
const EXACT_FIELDS = new Set(
  'kind path contentType outcome status stream serialNumber partNumber revision submissionId'.split(' '),
)

type Holder = Record<string, unknown>

/** A text of the record, and how it is replaced. */
interface Place {
  text: string
  replace: (masked: string) => void
}

/**
 * Masks every text in plain data, in place: the objects that it is known by (suites, attachments) stay the same. Bytes are
 * left alone, and so is a record without secrets.
 */
export function maskRecord(record: object, masker: Masker, note: NoteSecret): void {
  const places: Place[] = []
  addPlaces(places, record as Holder, () => record as Holder)
  const texts = places.map(({ text }) => text)
  const masked = masker.maskAll(texts, note)
  if (masked !== texts) places.forEach(({ replace }, index) => replace(masked[index] as string))
}

/** `own` returns what a replaced text is written into. */
function addPlaces(places: Place[], holder: Holder, own: () => Holder): void {
  for (const [key, value] of Object.entries(holder)) {
    if (typeof value === 'string') {
      const replace = (masked: string): void => void (own()[key] = masked)
      if (!EXACT_FIELDS.has(key)) places.push({ text: value, replace })
    } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
      addPlaces(places, value as Holder, isList(value) ? copyOnWrite(value, own, key) : () => value as Holder)
    }
  }
}

/** The framework may hold the same list (a test's titles), so that is copied before a text in it is replaced. */
function copyOnWrite(list: readonly unknown[], own: () => Holder, key: string): () => Holder {
  let copy: Holder | undefined
  return () => (copy ??= (own()[key] = [...list] as unknown as Holder) as Holder)
}

/** A list of texts, or of lists; objects in other lists are masked in place. */
function isList(value: object): value is unknown[] {
  return Array.isArray(value) && value.some((item) => typeof item === 'string' || Array.isArray(item))
}

/** How long a search of the user's patterns may take, in milliseconds: of many texts together, of one by itself, of all that were slow. */
const TOGETHER_MS = 1_000
const ALONE_MS = 100
const SLOW_MS = 2_000

/**
 * Searches with patterns that may take for ever (`(a+)+$`): after its time a search is broken off. A text that could
 * not be searched to its end is not let out.
 */
export class PatternSearch {
  #context: Context | undefined
  #script: Script | undefined
  #slowMs = 0
  /** Some texts were left out for it. */
  hasTimedOut = false

  constructor(
    private readonly patterns: readonly RegExp[],
    private readonly withheld: string,
  ) {}

  replace(texts: readonly string[], replaceFound: (found: string) => string): string[] {
    const replaceIn = (text: string): string =>
      this.patterns.reduce(
        (result, pattern) => result.replace(pattern, (found) => (found === '' ? '' : replaceFound(found))),
        text,
      )
    return this.#attempt(() => texts.map(replaceIn), TOGETHER_MS) ?? this.#replaceEach(texts, replaceIn)
  }

  #replaceEach(texts: readonly string[], replaceIn: (text: string) => string): string[] {
    return texts.map((text) => {
      const result = this.#attempt(() => replaceIn(text), ALONE_MS)
      this.hasTimedOut ||= result === undefined
      return result ?? this.withheld
    })
  }

  /** Undefined when the time was over. */
  #attempt<Value>(work: () => Value, timeout: number): Value | undefined {
    if (this.#slowMs > SLOW_MS) return undefined
    const startedAtMs = performance.now()
    this.#context ??= createContext({})
    this.#script ??= new Script('result = work()')
    Object.assign(this.#context, { work, result: undefined })
    try {
      this.#script.runInContext(this.#context, { timeout })
      return this.#context['result'] as Value
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      this.#slowMs += performance.now() - startedAtMs
      return undefined
    } finally {
      Object.assign(this.#context, { work: undefined, result: undefined })
    }
  }
}
