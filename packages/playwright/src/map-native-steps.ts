import type { Said, SaidStep } from '@runledger/core'
import type { TestResult, TestStep } from '@playwright/test/reporter'

/**
 * Adds Playwright's own steps (`test.step`), down to a depth, to what an attempt said, by the time of each. Our `step` is
 * one of Playwright's too: it is there already.
 */
export function addNativeSteps(said: readonly Said[], { steps }: TestResult, depth: number): Said[] {
  if (depth === 0) return [...said]
  const native = listSteps(steps, { depth, within: [] })
  const ours = said.flatMap((each) => (each.kind === 'step' ? [each.name] : []))
  const others = native.filter(({ name }) => {
    const index = ours.indexOf(name)
    if (index >= 0) ours.splice(index, 1)
    return index < 0
  })
  // Playwright's times are whole milliseconds, cut off: at equal ones its step began first.
  const all = [...others, ...said.toSorted((a, b) => a.order - b.order)]
  return all
    .toSorted((a, b) => Math.floor(a.atMs) - Math.floor(b.atMs))
    .map((each, order) => ({ ...each, order }))
}

interface Level {
  depth: number
  within: string[]
}

/** Hooks and fixtures around steps are no level of their own. */
function listSteps(steps: readonly TestStep[], { depth, within }: Level): SaidStep[] {
  return steps.flatMap((step) => {
    if (step.category !== 'test.step') return listSteps(step.steps, { depth, within })
    if (within.length >= depth) return []
    return [mapStep(step, within), ...listSteps(step.steps, { depth, within: [...within, step.title] })]
  })
}

function mapStep({ title, startTime, duration, error }: TestStep, within: string[]): SaidStep {
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
