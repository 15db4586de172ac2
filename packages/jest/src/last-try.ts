import { hasRun } from '@runledger/reporter-kit'
import { haveSameTitles, isStart } from './collect-attempts'
import type { JestAssertion, JestCaseResult } from './jest-types'
import type { CaseEvent } from './running-files'

// When a worker exits by itself, jest-worker tries its file again, up to three times, and Jest reports the cases of all
// tries as if they were one. Each try starts the same test first, so the last try begins where it started that test, found
// by how often it did. Where that is not known all events are kept: a test on record twice is better than one lost.

/** The case events of the try that gave the final results: it started each test as often as they say. */
export function selectTryOfResults(
  events: readonly CaseEvent[],
  results: readonly JestAssertion[],
): readonly CaseEvent[] {
  const first = events.find(isStart)
  let count = 0
  for (const result of results)
    if (first && hasRun(result.status) && haveSameTitles(result, first)) count += result.invocations ?? 1
  return count > 0 ? selectFrom(events, listStartsOfFirstTest(events).at(-count)) : events
}

/** The case events of the last of so many tries, none of which gave results. */
export function selectLastTry(events: readonly CaseEvent[], tries: number): readonly CaseEvent[] {
  if (tries === 1) return events
  const starts = listStartsOfFirstTest(events).filter((index) => !isRetry(events, index))
  const startsPerTry = starts.length / tries
  return Number.isInteger(startsPerTry) ? selectFrom(events, starts.at(-startsPerTry)) : events
}

/** Where the test that starts first was started, and those of equal titles. */
function listStartsOfFirstTest(events: readonly CaseEvent[]): number[] {
  const first = events.find(isStart)
  return events.flatMap((event, index) =>
    first && isStart(event) && haveSameTitles(event, first) ? [index] : [],
  )
}

/** The events from this start on, and as many before it as came before the first: todo tests have an end alone. */
function selectFrom(events: readonly CaseEvent[], start: number | undefined): readonly CaseEvent[] {
  return start === undefined ? events : events.slice(start - events.findIndex(isStart))
}

/** True when the next end of these titles is that of a second or later attempt. */
function isRetry(events: readonly CaseEvent[], start: number): boolean {
  const event = events[start] as CaseEvent
  const isEnd = (each: CaseEvent): each is JestCaseResult => !isStart(each) && haveSameTitles(each, event)
  return (events.slice(start).find(isEnd)?.invocations ?? 1) > 1
}
