import { type Context, createContext, Script } from 'node:vm'

const WRITTEN_PATTERN = /^\/(.+)\/([a-z]*)$/s

/** Sorts what the user wrote; `/…/i` in a text is a pattern. @throws SyntaxError for a pattern that cannot be read */
export function parsePatterns(given: readonly (string | RegExp)[]): {
  texts: string[]
  patterns: RegExp[]
} {
  const all = given.map((each) => (typeof each === 'string' ? readPattern(each) : each))
  return {
    texts: all.filter((each) => typeof each === 'string'),
    patterns: all.filter((each) => each instanceof RegExp).map(toSearchAll),
  }
}

function readPattern(text: string): string | RegExp {
  const [, source, flags] = WRITTEN_PATTERN.exec(text) ?? []
  return source === undefined ? text : new RegExp(source, flags)
}

function toSearchAll({ source, flags }: RegExp): RegExp {
  return new RegExp(source, `${flags.replace(/[gy]/g, '')}g`)
}

/** Time limits of searches, in milliseconds: of many texts together, of one alone, and of all slow ones. */
const TOGETHER_MS = 1_000
const ALONE_MS = 100
const SLOW_MS = 2_000

/** Stops patterns that may take for ever (`(a+)+$`) after a time limit. A text that was not searched to its end is withheld. */
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
