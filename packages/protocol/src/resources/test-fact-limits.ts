import { cleanErrorText } from '../text'

// No schemas here: senders load this file without them.

/** Bytes of UTF-8 kept of each text of an error: longer ones are cut in the middle, never refused. */
export const ERROR_BYTES = {
  message: 8 * 1024,
  stack: 32 * 1024,
  expected: 8 * 1024,
  actual: 8 * 1024,
  diff: 32 * 1024,
  snippet: 4 * 1024,
} as const

/** Errors of an attempt, and attempts of a step, that are kept; a number says how many more there were. */
export const MAX_ERRORS = 20
export const MAX_ATTEMPTS = 50

/** Most errors of an attempt, and attempts of a step, that are taken: one step is checked without a pause. */
export const MAX_SENT = 100

/** Limit for all tests of a run together: errors, attempts, tags and annotations, and different files and owners. */
export const MAX_RUN_FACTS = 10_000

const ERROR_TEXTS = Object.keys(ERROR_BYTES) as (keyof typeof ERROR_BYTES)[]

type ErrorTexts = { [Name in keyof typeof ERROR_BYTES]?: string | undefined }

/** An error as stored: texts plain and cut; `change` as in `cleanErrorText`. */
export function cleanError<Sent extends ErrorTexts>(error: Sent, change?: (plain: string) => string): Sent {
  const texts = ERROR_TEXTS.flatMap((name) => {
    const text = error[name]
    return text === undefined ? [] : [[name, cleanErrorText(text, ERROR_BYTES[name], change)]]
  })
  return { ...error, ...Object.fromEntries(texts) }
}

/** Keeps the first attempts and the last one, which is the step itself. */
export function keepAttempts<Item>(attempts: readonly Item[]): Item[] {
  return [...attempts.slice(0, -1).slice(0, MAX_ATTEMPTS - 1), ...attempts.slice(-1)]
}

/** Members of a step or a phase that are facts of its test. */
export const TEST_FACTS = [
  'location',
  'error',
  'errors',
  'more_errors',
  'attempts',
  'more_attempts',
  'tags',
  'annotations',
  'worker',
  'snippet',
  'kind',
  'parent',
  'owner',
] as const
