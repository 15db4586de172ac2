import type { FileEvent, TestApiEvent } from '@runledger/core'
import type { NamedKey, TestKey } from './find-test'
import type { JestFileResult } from './jest-types'
import type { OutputEvent } from './sidecar'

/** Null outside of tests. */
export interface ReceivedEvent {
  test: TestKey | NamedKey | null
  event: TestApiEvent | ReceivedFile | OutputEvent
}

export interface ReceivedFile extends Omit<FileEvent, 'file' | 'base64'> {
  path: string
}

export interface Session {
  path: string
  events: ReceivedEvent[]
}

export interface SessionQuery {
  path: string
  /** When its start was reported. */
  startedAtMs?: number | undefined
  /** Another project ran the path at once: a session may belong to that one. */
  isShared?: boolean | undefined
  /** Absent for a file that was cut short. */
  result?: Pick<JestFileResult, 'perfStats' | 'testResults' | 'console'> | undefined
}

const CLOCK_TOLERANCE_MS = 20

/**
 * Finds the session of a try. A path may run in two projects at once, or again after a crash, so the session must lie
 * within the try's times, and its tests must have started when the try's did. A crash has no times: the last session
 * counts.
 */
export function selectSession<Candidate extends Session>(
  sessions: Iterable<Candidate>,
  { path, isShared, startedAtMs = 0, result }: SessionQuery,
): Candidate | undefined {
  const candidates = [...sessions].filter((session) => session.path === path)
  if (candidates.length < 2 && !isShared) return candidates[0]
  const { perfStats } = result ?? {}
  const timed = perfStats && result
  const startMs = (perfStats?.start ?? startedAtMs) - CLOCK_TOLERANCE_MS
  const endMs = (perfStats?.end ?? Infinity) + CLOCK_TOLERANCE_MS
  const starts = timed ? listStarts(timed.testResults, perfStats.end) : []
  const fitting = candidates.flatMap((session) => {
    const [firstMs = 0, lastMs = 0] = [session.events[0]?.event.atMs, session.events.at(-1)?.event.atMs]
    if (firstMs < startMs || lastMs > endMs || (timed && !hasRunAll(timed, session))) return []
    return [{ session, lastMs, distanceMs: measureDistance(session, starts) }]
  })
  return fitting.sort((a, b) => a.distanceMs - b.distanceMs || b.lastMs - a.lastMs)[0]?.session
}

/** Jest 30 reports the last attempt's start by the same clock, in whole milliseconds. */
const START_TOLERANCE_MS = 1

/** False if a test did not run in this try or (Jest 30) started at another time. */
function hasRunAll({ testResults }: Pick<JestFileResult, 'testResults'>, { events }: Session): boolean {
  const ran = testResults.filter(({ duration }) => typeof duration === 'number')
  return events.every(({ test }) => {
    if (test === null) return true
    const name = 'titles' in test ? test.titles.join(' ') : test.fullName
    const named = ran.filter(({ ancestorTitles, title }) => [...ancestorTitles, title].join(' ') === name)
    return named.some(({ startAt, invocations = 1 }) => {
      const isLast = 'attempt' in test && test.attempt === invocations
      if (!isLast || typeof startAt !== 'number' || test.startedAtMs === undefined) return true
      return Math.abs(startAt - test.startedAtMs) <= START_TOLERANCE_MS
    })
  })
}

/** When the tests of a try started. For Jest 29, counted back from the end as if they ran one after another. */
function listStarts(testResults: JestFileResult['testResults'], endedAtMs: number): number[] {
  let nextMs = endedAtMs
  return testResults.toReversed().flatMap(({ startAt, duration }) => {
    if (typeof duration !== 'number') return []
    nextMs -= duration
    return [startAt ?? nextMs]
  })
}

/** The sum of the differences of the starts, in milliseconds. */
function measureDistance({ events }: Session, starts: readonly number[]): number {
  if (starts.length === 0) return 0
  const own = new Set(
    events.flatMap(({ test }) => (test && 'startedAtMs' in test ? (test.startedAtMs ?? []) : [])),
  )
  return [...own]
    .map((atMs) => starts.reduce((nearest, start) => Math.min(nearest, Math.abs(start - atMs)), Infinity))
    .reduce((sum, distanceMs) => sum + distanceMs, 0)
}
