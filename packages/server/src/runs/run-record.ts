import type { RunOutcome } from '@runledger/protocol'

/** The one stored shape of a run, whichever interface it came by (contract decisions, v2 runs). Times in microseconds. */
export interface RunRecord {
  outcome: RunOutcome
  startedAtUs: number
  durationUs: number
  phases: PhaseRecord[]
  metadata: [name: string, value: string][]
  declaredAttachments: string[]
}

export interface PhaseRecord {
  name: string
  outcome: 'PASS' | 'FAIL' | 'SKIP' | 'ERROR'
  startedAtUs: number
  durationUs: number
  retryCount: number
  measurements: MeasurementRecord[]
}

export interface MeasurementRecord {
  name: string
  unitOfMeasure: string | null
  outcome: 'PASS' | 'FAIL' | 'UNSET'
  value: number | null
  limitLow: number | null
  limitHigh: number | null
}
