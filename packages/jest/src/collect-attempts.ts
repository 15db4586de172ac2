import type { JestAssertion, JestCaseResult, JestCaseStart } from './jest-types'
import type { CaseEvent } from './running-files'

export interface SeenAttempt extends Pick<JestAssertion, 'failureMessages' | 'details' | 'location'> {
  ancestorTitles: readonly string[]
  title: string
  status: string
  invocation: number
  startedAtMs?: number | undefined
  durationMs?: number | undefined
}

export interface SeenAttempts {
  finished: SeenAttempt[]
  unfinished: JestCaseStart[]
}

/** Pairs the case events of a file's last try. */
export function collectAttempts(events: readonly CaseEvent[]): SeenAttempts {
  const seen: SeenAttempts = { finished: [], unfinished: [] }
  for (const event of events) {
    if (isStart(event)) seen.unfinished.push(event)
    else seen.finished.push(mapAttempt(event, takeStart(seen.unfinished, event)))
  }
  return seen
}

export function isStart(event: CaseEvent): event is JestCaseStart {
  return !('status' in event)
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

/** By titles, because several tests of `test.concurrent` run at once. */
function takeStart(unfinished: JestCaseStart[], result: JestCaseResult): JestCaseStart | undefined {
  // A todo test has an end without a start.
  if (result.status === 'todo') return undefined
  const index = unfinished.findIndex((start) => haveSameTitles(start, result))
  return index < 0 ? undefined : unfinished.splice(index, 1)[0]
}

export type Titled = Pick<SeenAttempt, 'ancestorTitles' | 'title'>

export function haveSameTitles(one: Titled, other: Titled): boolean {
  return one.title === other.title && formatTitlesKey(one) === formatTitlesKey(other)
}

/** Equal for tests with equal titles, which one file may have. */
export function formatTitlesKey({ ancestorTitles, title }: Titled): string {
  return JSON.stringify([ancestorTitles, title])
}
