import { readFields } from '@runledger/reporter-kit'
import type { Attempt, ErrorDetail, OutputEntry } from '@runledger/core'
import type { TestCase } from './framework-types'
import { mapRecorded } from './map-annotations'
import { createErrorMapping, type ErrorMapping } from './map-error'
import { mapEvents, type RecordedItem } from './map-events'
import type { ReadTest } from './module-entities'
import type { Notes } from './module-notes'
import { isRepeated, readAttempts, type ReadAttempt } from './read-entity'

const UNKNOWN_ATTEMPT = 'attempt not known'

export interface AttemptContext {
  rootDir: string
  notes: Notes
}

/**
 * Vitest 5 lists attempts; earlier versions' are deduced from retry count and errors. Repetitions (`repeats`) are no attempts.
 */
export function mapAttempts(test: ReadTest, { notes, rootDir }: AttemptContext): Attempt[] {
  const { testCase } = test
  const toDetail = createErrorMapping(testCase, rootDir)
  const listed = isRepeated(testCase) ? [] : readAttempts(testCase)
  const attempts =
    listed.length > 0 ? listed.map((each) => mapAttempt(each, toDetail)) : deduceAttempts(test, toDetail)
  for (const entry of notes.readOutput(testCase.id)) assignOutput(entry, attempts)
  for (const item of mapRecorded(testCase, notes)) assignRecorded(item, attempts)
  return attempts
}

/** Attempts before a test skipped itself on a retry (only Vitest 5 lists them), and one for its events. */
export function mapAttemptsWithoutVerdict(testCase: TestCase, { notes, rootDir }: AttemptContext): Attempt[] {
  const toDetail = createErrorMapping(testCase, rootDir)
  const listed = readAttempts(testCase)
  const attempts = listed.some(({ state }) => state === 'failed')
    ? listed.map((each) => mapAttempt(each, toDetail))
    : []
  const events = mapEvents(testCase, notes.channelFolder).flatMap((each) => each.event ?? [])
  if (events.length === 0) return attempts
  if (attempts.length === 0) attempts.push(createAttempt('skipped'))
  lastOf(attempts).events = events
  return attempts
}

function mapAttempt(
  { state, startedAtMs, durationMs, errors }: ReadAttempt,
  toDetail: ErrorMapping,
): Attempt {
  return { ...createAttempt(state), startedAtMs, durationMs, errors: errors.map((each) => toDetail(each)) }
}

function createAttempt(status: string): Attempt {
  return { status, errors: [], attachments: [], output: [] }
}

function lastOf(attempts: readonly Attempt[]): Attempt {
  return attempts.at(-1) as Attempt
}

/** Vitest 3 and 4 report only the retry count and one list of errors, without times. */
function deduceAttempts(test: ReadTest, toDetail: ErrorMapping): Attempt[] {
  const { result, diagnostic } = test
  const { state } = result
  const errors = result.errors.map((each) => toDetail(each))
  const earlierFailures = countEarlierFailures(test, diagnostic?.retryCount ?? 0)
  const last = createAttempt(state)
  if (earlierFailures === 0) {
    const { startedAtMs, durationMs } = diagnostic ?? {}
    return [{ ...last, startedAtMs, durationMs, errors }]
  }
  const attempts = [...Array.from({ length: earlierFailures }, () => createAttempt('failed')), last]
  spreadErrors(
    errors,
    attempts.filter(({ status }) => status === 'failed'),
  )
  return attempts
}

/** Vitest 3 also retries passed repetitions: only attempts with an error failed. */
function countEarlierFailures({ testCase, result }: ReadTest, retries: number): number {
  if (readFields(testCase.options)['fails'] === true) return 0
  if (!isRepeated(testCase)) return retries
  const { state, errors } = result
  return Math.max(0, Math.min(retries, errors.length - (state === 'failed' ? 1 : 0)))
}

/**
 * Usually each failed attempt has one error. Of more (soft assertions, hooks), only the first and last belong to known
 * attempts; the others go to the last one, marked.
 */
function spreadErrors(errors: readonly ErrorDetail[], holders: readonly Attempt[]): void {
  const isCertain = errors.length <= holders.length || holders.length === 1
  errors.forEach((error, index) => {
    const isKnown = isCertain || index === 0 || index === errors.length - 1
    const own = isCertain || index === 0 ? holders[index] : undefined
    const holder = own ?? lastOf(holders)
    holder.errors.push(isKnown ? error : markError(error))
  })
}

function markError(error: ErrorDetail): ErrorDetail {
  return { ...error, stack: [UNKNOWN_ATTEMPT, error.stack].filter(Boolean).join('\n') }
}

function assignOutput(entry: OutputEntry, attempts: Attempt[]): void {
  const { atMs = 0 } = entry
  const known = attempts.findLast(({ startedAtMs = Infinity }) => startedAtMs <= atMs)
  addOutput(entry, attempts, known)
}

function assignRecorded(item: RecordedItem, attempts: Attempt[]): void {
  const { attemptIndex, failureIndex, attachment, output, event } = item
  const known =
    attemptIndex === undefined && failureIndex !== undefined
      ? attempts.filter(({ status }) => status === 'failed').at(failureIndex)
      : attempts[attemptIndex ?? attempts.length]
  const holder = known ?? lastOf(attempts)
  if (attachment) holder.attachments.push(attachment)
  if (event) (holder.events ??= []).push(event)
  if (output) addOutput(output, attempts, known)
}

/** Output of an unknown attempt goes to the last one, marked unless it is the only one. */
function addOutput(entry: OutputEntry, attempts: readonly Attempt[], known: Attempt | undefined): void {
  const isCertain = known !== undefined || attempts.length === 1
  const holder = known ?? lastOf(attempts)
  holder.output.push(isCertain ? entry : markUnknown(entry))
}

function markUnknown(entry: OutputEntry): OutputEntry {
  return { ...entry, origin: [UNKNOWN_ATTEMPT, entry.origin].filter(Boolean).join(', ') }
}
