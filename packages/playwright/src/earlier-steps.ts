import type { Attempt, StepEvent, TestApiEvent } from '@runledger/core'

/** Moves details of earlier attempts into a step of the last one, because only its events become steps. */
export function addEarlierSteps(attempts: readonly Attempt[]): void {
  const last = attempts.at(-1)
  const earlier = attempts.slice(0, -1)
  const moved = earlier.flatMap((attempt, index) => listMoved(attempt, index + 1, attempts.length))
  if (last === undefined || moved.length === 0) return
  for (const attempt of earlier) attempt.events = attempt.events?.filter((event) => !isDetail(event))
  const { events = [] } = last
  const order = events.reduce((latest, each) => Math.max(latest, each.order + 1), 0)
  last.events = [...events, ...moved.map((event, index) => ({ ...event, order: order + index }))]
}

function listMoved({ events = [], ...attempt }: Attempt, number: number, count: number): StepEvent[] {
  if (!events.some(isDetail)) return []
  const { startedAtMs = events[0]?.atMs ?? 0, durationMs = 0 } = attempt
  const common = { kind: 'step', order: 0, isDetail: true, attempt: number } as const
  // Read back by presentation's `step-tree.ts`.
  const name = `Attempt ${number} of ${count}`
  const steps = events.filter((event) => event.kind === 'step').toSorted((a, b) => a.order - b.order)
  return [
    // Only attempts that missed their expectation: one that should have failed may have passed.
    { ...common, name, passed: false, atMs: startedAtMs, durationMs },
    ...steps.map(({ name: own, within = [], passed, atMs, durationMs: lengthMs, location }) => ({
      ...common,
      name: own,
      within: [name, ...within],
      passed,
      atMs,
      durationMs: lengthMs,
      // The attempt has the error, and the last attempt's call the code.
      ...(location && { location }),
    })),
  ]
}

function isDetail(event: TestApiEvent): boolean {
  return event.kind === 'step' && event.isDetail === true
}
