import type { FileEvent, TestApiEvent } from '@runledger/core'
import type { NamedKey, TestKey } from './find-test'
import type { JestFileResult } from './jest-types'
import type { OutputEvent } from './sidecar'

/** An event and its test; null outside of tests. */
export interface ReceivedEvent {
  test: TestKey | NamedKey | null
  event: TestApiEvent | ReceivedFile | OutputEvent
}

/** An attached file, with the path of its copy. */
export interface ReceivedFile extends Omit<FileEvent, 'file' | 'base64'> {
  path: string
}

/** One try of a test file, in one worker. */
export interface Session {
  path: string
  events: ReceivedEvent[]
}

/** What the reporter knows of a try of a test file. */
export interface SessionQuery {
  path: string
  /** When its start was reported. */
  startedAtMs?: number | undefined
  /** Another project ran the path at the same time: a session may belong to that one. */
  isShared?: boolean | undefined
  /** Absent for a file that was cut short. */
  result?: Pick<JestFileResult, 'perfStats' | 'testResults' | 'console'> | undefined
}

const CLOCK_TOLERANCE_MS = 20

/**
 * Finds the session of a try of a test file. A path may run in two projects at once, or again after its worker died
 * (jest-worker tries three times): the session must lie within the times of the try, and its tests must have started when
 * those of the try did. A crash has no times: the last session counts.
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

/** Jest 30 reports when the last attempt of a test started: by the same clock, in whole milliseconds. */
const START_TOLERANCE_MS = 1

/** False for a session with a test that did not run in this try, or that (Jest 30) started at another time in it. */
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

/** When the tests of a try started. For Jest 29: counted back from the end, as if they ran one after another. */
function listStarts(testResults: JestFileResult['testResults'], endedAtMs: number): number[] {
  let nextMs = endedAtMs
  return testResults.toReversed().flatMap(({ startAt, duration }) => {
    if (typeof duration !== 'number') return []
    nextMs -= duration
    return [startAt ?? nextMs]
  })
}

/** How far the starts of a session's tests are from those of a try, in milliseconds, in total. */
function measureDistance({ events }: Session, starts: readonly number[]): number {
  if (starts.length === 0) return 0
  const own = new Set(
    events.flatMap(({ test }) => (test && 'startedAtMs' in test ? (test.startedAtMs ?? []) : [])),
  )
  return [...own]
    .map((atMs) => starts.reduce((nearest, start) => Math.min(nearest, Math.abs(start - atMs)), Infinity))
    .reduce((sum, distanceMs) => sum + distanceMs, 0)
}
