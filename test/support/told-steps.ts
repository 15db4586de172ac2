import type { Phase } from '@runledger/protocol'

/**
 * The steps of a run without those that a reporter tells of tests that failed or were flaky, and that nobody asked for by
 * these names. A step of a test that passed at once stays: nobody may tell it.
 */
export function withoutTold(phases: readonly Phase[], asked: readonly string[] = []): Phase[] {
  return phases.filter((phase) => !isTold(phase, phases) || asked.includes(phase.name))
}

/** Whether a step is one of a test that failed or was flaky. */
function isTold(phase: Phase, phases: readonly Phase[]): boolean {
  if (phase.kind !== 'step' || phase.measurements.length > 0) return false
  const test = findTest(phase, phases)
  return test !== undefined && (test.outcome !== 'PASS' || test.retry_count > 0)
}

function findTest({ parent }: Phase, phases: readonly Phase[]): Phase | undefined {
  const outer = parent === undefined ? undefined : phases[parent]
  return outer?.kind === 'step' ? findTest(outer, phases) : outer?.kind === 'test' ? outer : undefined
}
