import { hasRun } from '@runledger/reporter-kit'
import { haveSameTitles, isStart } from './collect-attempts'
import type { JestAssertion, JestCaseResult } from './jest-types'
import type { CaseEvent } from './running-files'

// jest-worker tries a crashed file up to four times, and Jest reports the cases of all tries as one. Each try starts the
// same test first, so the last try begins at that test's last start. If this is unknown, all events are kept: a duplicate
// test is better than a lost one.

/** The events of the try that gave the final results, which count its starts. */
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

/** The events of the last of several tries without results. */
export function selectLastTry(events: readonly CaseEvent[], tries: number): readonly CaseEvent[] {
  if (tries === 1) return events
  const starts = listStartsOfFirstTest(events).filter((index) => !isRetry(events, index))
  const startsPerTry = starts.length / tries
  return Number.isInteger(startsPerTry) ? selectFrom(events, starts.at(-startsPerTry)) : events
}

/** Starts of the first test and of those with equal titles. */
function listStartsOfFirstTest(events: readonly CaseEvent[]): number[] {
  const first = events.find(isStart)
  return events.flatMap((event, index) =>
    first && isStart(event) && haveSameTitles(event, first) ? [index] : [],
  )
}

/** Includes as many preceding events as preceded the first start: todo tests have only an end. */
function selectFrom(events: readonly CaseEvent[], start: number | undefined): readonly CaseEvent[] {
  return start === undefined ? events : events.slice(start - events.findIndex(isStart))
}

/** True if the next end of these titles is that of a later attempt. */
function isRetry(events: readonly CaseEvent[], start: number): boolean {
  const event = events[start] as CaseEvent
  const isEnd = (each: CaseEvent): each is JestCaseResult => !isStart(each) && haveSameTitles(each, event)
  return (events.slice(start).find(isEnd)?.invocations ?? 1) > 1
}
