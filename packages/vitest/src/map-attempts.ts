import type { Attempt, ErrorDetail, OutputEntry } from '@runledger/core'
import { isRepeated, readAttempts, type TestAttempt, type TestCase } from './framework-types'
import { mapRecorded, type Recorded } from './map-attachments'
import { mapError } from './map-error'
import { mapSaid } from './map-said'
import type { ReadTest } from './module-entities'
import type { Notes } from './module-notes'

const UNKNOWN_TRY = 'attempt not known'

/**
 * Maps every try of a test that ran: Vitest 5 tells each, before that they are told apart by count and errors.
 * A repetition (`repeats`) is no retry, so a repeated test has the attempts that its retries make.
 */
export function mapAttempts(test: ReadTest, notes: Notes): Attempt[] {
  const { testCase } = test
  const told = isRepeated(testCase) ? [] : (readAttempts(testCase) ?? [])
  const attempts = told.length > 0 ? told.map(mapTold) : deduceAttempts(test)
  const output = notes.readOutput(testCase.id)
  const recorded = mapRecorded(testCase, notes)
  // Most tests have neither.
  if (output.length > 0) output.forEach((entry) => placeOutput(entry, attempts))
  if (recorded.length > 0) recorded.forEach((each) => placeRecorded(each, attempts))
  return attempts
}

/**
 * The tries of a test that came to no verdict: those that failed before it skipped itself on a retry, which only Vitest 5
 * tells, and one that holds what it said.
 */
export function mapTriesWithoutVerdict(testCase: TestCase, notes: Notes): Attempt[] {
  const told = readAttempts(testCase) ?? []
  const attempts = told.some(({ state }) => state === 'failed') ? told.map(mapTold) : []
  const said = mapSaid(testCase, notes.channelFolder).flatMap((each) => each.said ?? [])
  if (said.length === 0) return attempts
  if (attempts.length === 0) attempts.push(createAttempt('skipped'))
  Object.assign(attempts.at(-1) as Attempt, { said })
  return attempts
}

function mapTold({ state, startTime, duration, errors }: TestAttempt): Attempt {
  return {
    ...createAttempt(state),
    startedAtMs: startTime,
    durationMs: duration,
    errors: (errors ?? []).map(mapError),
  }
}

function createAttempt(status: string): Attempt {
  return { status, errors: [], attachments: [], output: [] }
}

/** Vitest 3 and 4 tell how often a test was tried again and all errors in one list, and no times of each try. */
function deduceAttempts(test: ReadTest): Attempt[] {
  const { result, diagnostic } = test
  const { state, errors = [] } = result
  const earlierFailures = countEarlierFailures(test, diagnostic?.retryCount ?? 0)
  const last = createAttempt(state)
  if (earlierFailures === 0) {
    if (diagnostic) {
      last.startedAtMs = diagnostic.startTime
      last.durationMs = diagnostic.duration
    }
    if (errors.length > 0) last.errors.push(...errors.map(mapError))
    return [last]
  }
  const attempts = [...Array.from({ length: earlierFailures }, () => createAttempt('failed')), last]
  spreadErrors(
    errors.map(mapError),
    attempts.filter(({ status }) => status === 'failed'),
  )
  return attempts
}

/** Vitest 3 tries each repetition as often as it may, also after it has passed: each try that failed has an error. */
function countEarlierFailures({ testCase, result }: ReadTest, retries: number): number {
  if (testCase.options.fails === true) return 0
  if (!isRepeated(testCase)) return retries
  const { state, errors = [] } = result
  return Math.max(0, Math.min(retries, errors.length - (state === 'failed' ? 1 : 0)))
}

/**
 * One error for each failed try is the common case. Of more (soft assertions, hooks) only the first and the last belong to
 * a known try; those between go to the last one, marked.
 */
function spreadErrors(errors: readonly ErrorDetail[], holders: readonly Attempt[]): void {
  const isCertain = errors.length <= holders.length || holders.length === 1
  errors.forEach((error, index) => {
    const isKnown = isCertain || index === 0 || index === errors.length - 1
    const holder = isCertain || index === 0 ? holders[Math.min(index, holders.length - 1)] : holders.at(-1)
    holder?.errors.push(isKnown ? error : markError(error))
  })
}

function markError(error: ErrorDetail): ErrorDetail {
  return { ...error, stack: [UNKNOWN_TRY, error.stack].filter(Boolean).join('\n') }
}

function placeOutput(entry: OutputEntry, attempts: Attempt[]): void {
  const last = attempts.at(-1)
  if (attempts.length === 1) return void last?.output.push(entry)
  const holder = findByTime(entry.atMs, attempts)
  if (holder) holder.output.push(entry)
  else last?.output.push(markUnknown(entry))
}

function findByTime(atMs: number | undefined, attempts: Attempt[]): Attempt | undefined {
  if (atMs === undefined) return undefined
  return attempts.findLast(({ startedAtMs }) => startedAtMs !== undefined && startedAtMs <= atMs)
}

function placeRecorded(recorded: Recorded, attempts: Attempt[]): void {
  const { tryIndex, failureIndex, attachment, output, said } = recorded
  const known =
    tryIndex === undefined && failureIndex !== undefined
      ? attempts.filter(({ status }) => status === 'failed').at(failureIndex)
      : attempts[tryIndex ?? attempts.length]
  const holder = known ?? attempts.at(-1)
  if (attachment) holder?.attachments.push(attachment)
  if (said && holder) (holder.said ??= []).push(said)
  if (output) holder?.output.push(known || attempts.length === 1 ? output : markUnknown(output))
}

function markUnknown(entry: OutputEntry): OutputEntry {
  return { ...entry, origin: [UNKNOWN_TRY, entry.origin].filter(Boolean).join(', ') }
}
