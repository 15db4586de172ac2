import type { RunsTable } from '../../storage/database/schema/runs'
import type { RunRecord } from '../../record/results/run-request'
import { isStep } from '../../record/results/test-errors/facts'

export function phaseBounds(record: RunRecord): Pick<RunsTable, 'first_phase_at_us' | 'last_phase_at_us'> {
  const phases = record.phases.filter(isStep)
  let [first, last] = [phases[0]?.startedAtUs ?? null, phases[0]?.startedAtUs ?? null]
  for (const { startedAtUs } of phases) {
    if (first === null || startedAtUs < first) first = startedAtUs
    if (last === null || startedAtUs > last) last = startedAtUs
  }
  return { first_phase_at_us: first, last_phase_at_us: last }
}
