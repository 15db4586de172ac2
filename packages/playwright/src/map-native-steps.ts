import type { TestApiEvent, StepEvent } from '@runledger/core'
import { readLength, toOwnLocation } from '@runledger/reporter-kit'
import type { TestResult, TestStep } from '@playwright/test/reporter'
import { mapError } from './map-errors'
import { hasEnded, readPlace, readStart, readSteps } from './read-result'

/**
 * Adds Playwright's own steps (`test.step`), down to a depth, to the events of an attempt, sorted by time. A call of our
 * `step` is also one of Playwright's: only its event is kept, with the error and the place that Playwright tells.
 */
export function addNativeSteps(
  events: readonly TestApiEvent[],
  result: TestResult,
  { depth, ...context }: StepContext & { depth: number },
): TestApiEvent[] {
  if (depth === 0 && events.every(({ kind }) => kind !== 'step')) return [...events]
  const native = listSteps(readSteps(result), { ...context, within: [] })
  const twins = pairByName(events, native)
  const ours = events.map((event) => addReason(event, twins.get(event)))
  if (depth === 0) return ours
  const taken = new Set(twins.values())
  const others = native.filter((step) => !taken.has(step) && (step.within ?? []).length < depth)
  // Playwright's times are truncated to milliseconds: at equal ones, its step began first.
  const all = [...others, ...ours.toSorted((a, b) => a.order - b.order)]
  return all
    .toSorted((a, b) => Math.floor(a.atMs) - Math.floor(b.atMs))
    .map((each, order) => ({ ...each, order }))
}

interface StepContext {
  /** Start of the attempt: a step seems to be earlier when its test mocks the clock. */
  startedAtMs: number
  /** Files on record are relative to it. */
  rootDir: string
}

interface Level extends StepContext {
  within: string[]
}

/** Hooks and fixtures around steps do not count as levels. */
function listSteps(steps: readonly TestStep[], level: Level): StepEvent[] {
  return steps.flatMap((step) => {
    if (step.category !== 'test.step') return listSteps(readSteps(step), level)
    const inner = { ...level, within: [...level.within, step.title] }
    return [mapStep(step, level), ...listSteps(readSteps(step), inner)]
  })
}

/** A step that was under way when its test ended has not passed: Playwright's own report calls it failed. */
function mapStep(step: TestStep, { within, startedAtMs, rootDir }: Level): StepEvent {
  const place = readPlace(step.location)
  const location = place && toOwnLocation(place, rootDir)
  return {
    kind: 'step',
    name: step.title,
    ...(within.length > 0 && { within }),
    passed: step.error === undefined && hasEnded(step),
    atMs: Math.max(readStart(step) ?? 0, startedAtMs),
    durationMs: readLength(step.duration) ?? 0,
    order: 0,
    ...(step.error !== undefined && { error: mapError(step.error, rootDir) }),
    ...(location && { location }),
  }
}

/** Pairs each of our steps, in the order of their calls, with the next of Playwright's that has its name. */
function pairByName(
  events: readonly TestApiEvent[],
  native: readonly StepEvent[],
): Map<TestApiEvent, StepEvent> {
  const free = [...native]
  const twins = new Map<TestApiEvent, StepEvent>()
  for (const event of events.toSorted((a, b) => a.order - b.order)) {
    const index = event.kind === 'step' ? free.findIndex(({ name }) => name === event.name) : -1
    for (const twin of index < 0 ? [] : free.splice(index, 1)) twins.set(event, twin)
  }
  return twins
}

function addReason(event: TestApiEvent, twin: StepEvent | undefined): TestApiEvent {
  if (event.kind !== 'step' || twin === undefined) return event
  const { error, location } = twin
  return { ...event, ...(!event.passed && error && { error }), ...(location && { location }) }
}
