import type { PhaseInputSchema, TestErrorInputSchema } from '@runledger/protocol'
import type * as z from 'zod'
import { checkShape, toText } from '../check-shape'
import type { Notes } from '../notes'
import type { FilePath } from '../read-error'
import { mapMeasurement } from './map-measurement'
import { type Phase, PhaseSchema } from './report-schema'

type PhaseInput = z.input<typeof PhaseInputSchema>
type ErrorInput = z.input<typeof TestErrorInputSchema>

export interface MappedPhase {
  phase: PhaseInput
  attachments: NonNullable<Phase['attachments']>
}

export function mapPhase(sent: unknown, at: FilePath, notes: Notes): MappedPhase {
  const phase = checkShape(PhaseSchema, sent, at)
  const startedAt = phase.start_time_millis
  const docstring = phase.codeinfo?.docstring
  const errors = listErrors(phase)
  const annotations = listAnnotations(phase, at)
  const measurements = Object.entries(phase.measurements ?? {}).map((entry) =>
    mapMeasurement(entry, [...at, 'measurements', entry[0]], notes),
  )
  const mapped = {
    name: notes.text(phase.name, [...at, 'name']),
    outcome: phase.outcome ?? deriveOutcome(phase, measurements),
    started_at: formatMillis(startedAt),
    // A clock that was set back must not lose the run.
    ended_at: formatMillis(Math.max(startedAt, phase.end_time_millis ?? startedAt)),
    ...(docstring !== undefined && { docstring: notes.text(docstring, [...at, 'codeinfo', 'docstring']) }),
    ...(measurements.length > 0 && { measurements }),
    ...(errors.length > 0 && { errors }),
    ...(annotations.length > 0 && { annotations }),
  }
  return { phase: mapped, attachments: phase.attachments ?? {} }
}

export function formatMillis(millis: number): string {
  return new Date(millis).toISOString()
}

/** For reports of OpenHTF versions that give phases no outcome. */
function deriveOutcome(
  { result }: Phase,
  measurements: readonly { outcome: string }[],
): PhaseInput['outcome'] {
  const phaseResult = result?.phase_result
  // A phase that was stopped by its timeout has no result.
  if (typeof phaseResult !== 'string') return 'ERROR'
  if (phaseResult === 'SKIP' || phaseResult === 'REPEAT') return 'SKIP'
  if (phaseResult === 'STOP') return 'ERROR'
  const hasFailed = phaseResult.startsWith('FAIL') || measurements.some(({ outcome }) => outcome === 'FAIL')
  return hasFailed ? 'FAIL' : 'PASS'
}

/** The exception of the phase, or another reason for its end. */
function listErrors({ outcome, result }: Phase): ErrorInput[] {
  const phaseResult = result?.phase_result
  if (typeof phaseResult === 'object') {
    const { exc_type: type, exc_val: value, exc_tb: stack } = phaseResult
    const name = /^<class '(.*)'>$/.exec(type ?? '')?.[1] ?? type
    const message = [name, value].filter((part) => part !== undefined && part !== '').join(': ')
    return [{ message: message || 'an exception', ...(stack !== undefined && { stack }) }]
  }
  if (outcome !== 'ERROR') return []
  if (phaseResult === 'STOP') return [{ message: 'The phase stopped the test.' }]
  if (phaseResult === '') return [{ message: 'The phase was aborted.' }]
  return phaseResult === undefined && result ? [{ message: 'The phase timed out.' }] : []
}

function listAnnotations(phase: Phase, at: FilePath): { type: string; description: string }[] {
  const { subtest_name: subtest, marginal } = phase
  const diagnoses = [
    ...(phase.diagnosis_results ?? []).map((result) => ({ type: 'diagnosis', result })),
    ...(phase.failure_diagnosis_results ?? []).map((result) => ({ type: 'failure diagnosis', result })),
  ]
  return [
    ...(subtest === undefined ? [] : [{ type: 'subtest', description: subtest }]),
    ...(marginal === true ? [{ type: 'marginal', description: 'A value is in its marginal range' }] : []),
    ...diagnoses.map(({ type, result }) => ({
      type,
      description: toText(result, [...at, 'diagnosis_results']),
    })),
  ]
}
