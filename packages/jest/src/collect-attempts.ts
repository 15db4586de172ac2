import type { JestAssertion, JestCaseResult, JestCaseStart } from './jest-types'
import type { CaseEvent } from './running-files'

/** One attempt of a test as Jest reported it while the file ran. */
export interface SeenAttempt extends Pick<JestAssertion, 'failureMessages' | 'details' | 'location'> {
  ancestorTitles: readonly string[]
  title: string
  status: string
  /** Number of the attempt, from 1. */
  invocation: number
  startedAtMs?: number | undefined
  durationMs?: number | undefined
}

export interface SeenAttempts {
  finished: SeenAttempt[]
  /** Attempts without an end, oldest first. */
  unfinished: JestCaseStart[]
}

/**
 * Pairs the case events of a file. When a worker exits by itself, jest-worker tries its file again, up to three times, and
 * Jest reports only the cases: a file was started again when its first test starts while another is under way that never
 * ends. Only the last try of the file counts.
 */
export function collectAttempts(events: readonly CaseEvent[]): SeenAttempts {
  let seen: SeenAttempts = { finished: [], unfinished: [] }
  const interrupted = findInterrupted(events)
  const first = events.findIndex(isStart)
  const isNewTry = (event: JestCaseStart, index: number) =>
    seen.unfinished.some((start) => interrupted.has(formatTitlesKey(start))) &&
    haveSameTitles(event, events[first] as JestCaseStart) &&
    !isRetry(events, index)
  events.forEach((event, index) => {
    if (isStart(event)) {
      // The todo tests that come before the first start belong to the new try.
      if (isNewTry(event, index))
        seen = { finished: seen.finished.slice(seen.finished.length - first), unfinished: [] }
      seen.unfinished.push(event)
    } else seen.finished.push(mapAttempt(event, takeStart(seen.unfinished, event)))
  })
  return seen
}

/**
 * The case events of the last of several tries of a file. A worker that exits between tests, for example in an afterAll
 * hook, leaves no test under way: its tries are recognised by the same tests starting in each.
 */
export function selectLastTry(events: readonly CaseEvent[], tries: number): readonly CaseEvent[] {
  const starts = events.filter((event, index) => isStart(event) && !isRetry(events, index))
  const length = starts.length / tries
  const last = starts[starts.length - length]
  const isRepeated = starts.every((start, index) => haveSameTitles(start, starts[index - length] ?? start))
  if (last === undefined || !isRepeated) return events
  // The todo tests that come before the first start belong to the try.
  return events.slice(events.indexOf(last) - events.findIndex(isStart))
}

/** The titles that started more often than they ended: a concurrent test of equal titles does end. */
function findInterrupted(events: readonly CaseEvent[]): Set<string> {
  const missing = new Map<string, number>()
  for (const event of events) {
    if (isTodo(event)) continue
    const key = formatTitlesKey(event)
    missing.set(key, (missing.get(key) ?? 0) + (isStart(event) ? 1 : -1))
  }
  return new Set([...missing].flatMap(([key, count]) => (count > 0 ? [key] : [])))
}

/** True when the attempt that starts at this index ends as a second or later one. */
function isRetry(events: readonly CaseEvent[], index: number): boolean {
  const start = events[index] as JestCaseStart
  for (let next = index + 1; next < events.length; next += 1) {
    const event = events[next] as CaseEvent
    if ('status' in event && haveSameTitles(event, start)) return (event.invocations ?? 1) > 1
  }
  return false
}

function isStart(event: CaseEvent): event is JestCaseStart {
  return !('status' in event)
}

/** A todo test has an end without a start. */
function isTodo(event: CaseEvent): boolean {
  return 'status' in event && event.status === 'todo'
}

function mapAttempt(result: JestCaseResult, start: JestCaseStart | undefined): SeenAttempt {
  return {
    ancestorTitles: result.ancestorTitles,
    title: result.title,
    status: result.status,
    invocation: result.invocations ?? 1,
    startedAtMs: result.startedAt ?? start?.startedAt ?? undefined,
    durationMs: result.duration ?? undefined,
    failureMessages: result.failureMessages ?? [],
    details: result.details,
    location: result.location,
  }
}

/** Searches by titles: under `test.concurrent` several tests are under way at once. */
function takeStart(unfinished: JestCaseStart[], result: JestCaseResult): JestCaseStart | undefined {
  if (isTodo(result)) return undefined
  const index = unfinished.findIndex((start) => haveSameTitles(start, result))
  return index < 0 ? undefined : unfinished.splice(index, 1)[0]
}

export type Titled = Pick<SeenAttempt, 'ancestorTitles' | 'title'>

function haveSameTitles(one: Titled, other: Titled): boolean {
  return one.title === other.title && formatTitlesKey(one) === formatTitlesKey(other)
}

/** Equal for tests of equal titles, which one file may have. */
export function formatTitlesKey({ ancestorTitles, title }: Titled): string {
  return JSON.stringify([ancestorTitles, title])
}
