import { cutWell, MAX_STEP_NAME_LENGTH, STEP_NAME_SEPARATOR } from '@runledger/protocol'
import type { MeasurementEvent, StepEvent } from '../model/test-api-event'
import { formatEventName } from './map-test-api-events'
import { UniqueNames } from './step-name'

export type StepLikeEvent = MeasurementEvent | StepEvent

export interface NamedGroup {
  name: string
  events: StepLikeEvent[]
  eventNames?: string[]
}

export interface NamedSuite {
  project: string
  tests: NamedGroup[]
  events: NamedGroup[]
  problems: NamedGroup[]
}

/**
 * Makes the names of a run unique. Equal names are numbered in order of declaration, so that a test has the same name in
 * every execution. Details come last, because only failed tests have them.
 */
export function nameSteps(unsorted: readonly NamedSuite[]): void {
  const names = new UniqueNames()
  // A shared run has its suites in the order in which they ended.
  const suites = unsorted.toSorted((a, b) => compareTexts(a.project, b.project))
  const problems = suites.flatMap((suite) => suite.problems)
  const groups = suites.flatMap(({ tests, events }) => [...tests, ...events])
  for (const test of suites.flatMap(({ tests }) => tests)) test.name = names.take(test.name)
  for (const group of groups) nameEvents(group, names)
  for (const problem of problems) problem.name = names.take(problem.name)
  for (const group of groups) nameDetails(group, names)
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function nameEvents(group: NamedGroup, names: UniqueNames): void {
  group.eventNames = group.events.map((event) => {
    const joined = joinNames(group.name, formatEventName(event))
    return isDetail(event) ? joined : names.take(joined)
  })
}

function nameDetails({ events, eventNames = [] }: NamedGroup, names: UniqueNames): void {
  for (const [index, event] of events.entries())
    if (isDetail(event)) eventNames[index] = names.take(eventNames[index] ?? '')
}

export function isDetail(event: StepLikeEvent): event is StepEvent {
  return event.kind === 'step' && event.isDetail === true
}

/** Cuts the parent's name first, because the event's name distinguishes the steps. */
function joinNames(parent: string, name: string): string {
  if (parent === '') return name
  const whole = parent + STEP_NAME_SEPARATOR + name
  if (whole.length <= MAX_STEP_NAME_LENGTH) return whole
  const left = Math.max(0, MAX_STEP_NAME_LENGTH - STEP_NAME_SEPARATOR.length - name.length - 1)
  return left === 0 ? name : `${cutWell(parent, left)}…${STEP_NAME_SEPARATOR}${name}`
}
