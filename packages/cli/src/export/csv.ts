import type { Phase, RunDetail } from '@runledger/protocol'
import { deriveLimits, type Limits, writeCsvLine } from '@runledger/presentation'

const COLUMNS = {
  run_id: (run: RunDetail) => run.id,
  procedure: (run: RunDetail) => run.procedure.name,
  serial_number: (run: RunDetail) => run.unit.serial_number,
  part_number: (run: RunDetail) => run.unit.part.number,
  revision_number: (run: RunDetail) => run.unit.part.revision.number,
  batch_number: (run: RunDetail) => run.unit.batch?.number,
  run_outcome: (run: RunDetail) => run.outcome,
  run_started_at: (run: RunDetail) => run.started_at,
  run_duration_ms: (run: RunDetail) => measureMs(run),
  project: (run: RunDetail) => run.metadata['project'],
  file: (run: RunDetail) => run.metadata['file'],
  group: (run: RunDetail) => run.metadata['group'],
  branch: (run: RunDetail) => run.metadata['git_branch'],
  commit: (run: RunDetail) => run.metadata['git_commit'],
  station: (run: RunDetail) => run.created_by_station?.name,
  operator: (run: RunDetail) => run.operated_by?.email,
  step: (_: RunDetail, step?: Step) => step?.name,
  step_outcome: (_: RunDetail, step?: Step) => step?.outcome,
  step_started_at: (_: RunDetail, step?: Step) => step?.phase?.started_at,
  step_duration_ms: (_: RunDetail, step?: Step) => step?.phase && measureMs(step.phase),
  step_retries: (_: RunDetail, step?: Step) => step?.phase?.retry_count,
  owner: (_: RunDetail, step?: Step) => step?.phase?.owner,
  measurement_name: (_: RunDetail, step?: Step) => step?.measurement?.name,
  measurement: (_: RunDetail, step?: Step) => step?.measurement?.measured_value,
  unit_of_measure: (_: RunDetail, step?: Step) => step?.measurement?.units,
  limit_low: (_: RunDetail, step?: Step) => limitsOf(step)?.low,
  limit_high: (_: RunDetail, step?: Step) => limitsOf(step)?.high,
  measurement_outcome: (_: RunDetail, step?: Step) => step?.measurement?.outcome,
  run_measurements_outside_limits: (run: RunDetail) => run.measurements_outside_limits,
  message: (_: RunDetail, step?: Step) => step?.message,
}

interface Step {
  name: string
  outcome: string
  message?: string | undefined
  phase?: Phase | undefined
  measurement?: Phase['measurements'][number] | undefined
}

/** Writes a line for each measurement, step without measurements and skipped test. A run without any of these gets one line. */
export async function* writeCsv(runs: AsyncIterable<RunDetail>): AsyncGenerator<string> {
  yield writeCsvLine(Object.keys(COLUMNS))
  for await (const run of runs) {
    const steps = listSteps(run)
    const lines: (Step | undefined)[] = steps.length === 0 ? [undefined] : steps
    yield lines.map((step) => writeCsvLine(Object.values(COLUMNS).map((read) => read(run, step)))).join('')
  }
}

function listSteps({ phases, skipped = [] }: RunDetail): Step[] {
  const ran = phases.flatMap((phase): Step[] => {
    const step = { name: phase.name, outcome: phase.outcome, message: phase.error?.message, phase }
    const { measurements } = phase
    return measurements.length === 0 ? [step] : measurements.map((measurement) => ({ ...step, measurement }))
  })
  return [...ran, ...skipped.map(({ name, reason }) => ({ name, outcome: 'SKIP', message: reason }))]
}

function limitsOf(step: Step | undefined): Limits | undefined {
  return deriveLimits(step?.measurement?.validators ?? null)
}

function measureMs({ started_at, ended_at }: Pick<RunDetail, 'started_at' | 'ended_at'>): number {
  return Date.parse(ended_at) - Date.parse(started_at)
}
