import type { TestApiEvent, StepEvent } from '@runledger/core'
import type { TestResult, TestStep } from '@playwright/test/reporter'

/**
 * Adds Playwright's own steps (`test.step`), down to a depth, to the events of an attempt, sorted by time. A call of our
 * `step` is also one of Playwright's: only its event is kept.
 */
export function addNativeSteps(
  events: readonly TestApiEvent[],
  { steps }: TestResult,
  depth: number,
): TestApiEvent[] {
  if (depth === 0) return [...events]
  const native = listSteps(steps, { depth, within: [] })
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
}

/** Hooks and fixtures around steps do not count as levels. */
function listSteps(steps: readonly TestStep[], { depth, within }: Level): StepEvent[] {
  return steps.flatMap((step) => {
    if (step.category !== 'test.step') return listSteps(step.steps, { depth, within })
    if (within.length >= depth) return []
    return [mapStep(step, within), ...listSteps(step.steps, { depth, within: [...within, step.title] })]
  })
}

function mapStep({ title, startTime, duration, error }: TestStep, within: string[]): StepEvent {
  return {
    kind: 'step',
    name: title,
    ...(within.length > 0 && { within }),
    passed: error === undefined,
    atMs: startTime.getTime(),
    durationMs: Math.max(0, duration),
    order: 0,
  }
}
