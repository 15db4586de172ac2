import type { TestApiEvent, StepEvent } from '@runledger/core'
import { readLength } from '@runledger/reporter-kit'
import type { TestResult, TestStep } from '@playwright/test/reporter'
import { readStart, readSteps } from './read-result'

/**
 * Adds Playwright's own steps (`test.step`), down to a depth, to the events of an attempt, sorted by time. A call of our
 * `step` is also one of Playwright's: only its event is kept.
 */
export function addNativeSteps(
  events: readonly TestApiEvent[],
  result: TestResult,
  { depth, startedAtMs }: Omit<Level, 'within'>,
): TestApiEvent[] {
  if (depth === 0) return [...events]
  const native = listSteps(readSteps(result), { depth, within: [], startedAtMs })
  const ours = events.filter((each) => each.kind === 'step').map(({ name }) => name)
  const others = native.filter(({ name }) => {
    const index = ours.indexOf(name)
    if (index >= 0) ours.splice(index, 1)
    return index < 0
  })
  // Playwright's times are truncated to milliseconds: at equal ones, its step began first.
  const all = [...others, ...events.toSorted((a, b) => a.order - b.order)]
  return all
    .toSorted((a, b) => Math.floor(a.atMs) - Math.floor(b.atMs))
    .map((each, order) => ({ ...each, order }))
}

interface Level {
  depth: number
  within: string[]
  /** Start of the attempt: a step seems to be earlier when its test mocks the clock. */
  startedAtMs: number
}

/** Hooks and fixtures around steps do not count as levels. */
function listSteps(steps: readonly TestStep[], level: Level): StepEvent[] {
  return steps.flatMap((step) => {
    if (step.category !== 'test.step') return listSteps(readSteps(step), level)
    if (level.within.length >= level.depth) return []
    const inner = { ...level, within: [...level.within, step.title] }
    return [mapStep(step, level), ...listSteps(readSteps(step), inner)]
  })
}

function mapStep(step: TestStep, { within, startedAtMs }: Level): StepEvent {
  return {
    kind: 'step',
    name: step.title,
    ...(within.length > 0 && { within }),
    passed: step.error === undefined,
    atMs: Math.max(readStart(step) ?? 0, startedAtMs),
    durationMs: readLength(step.duration) ?? 0,
    order: 0,
  }
}
