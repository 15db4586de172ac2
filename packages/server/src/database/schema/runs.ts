import type { RunOutcome } from '@runledger/protocol'

export interface RunsTable {
  id: number
  public_id: string
  procedure_id: number
  unit_id: number
  revision_id: number
  outcome: RunOutcome
  started_at_us: number
  ended_at_us: number
  duration_us: number
  created_at_us: number
  created_by_user_id: number | null
  docstring: string | null
}

/** Names of phases and measurements, each once for its procedure. */
export interface DefinitionsTable {
  id: number
  procedure_id: number
  digest: string
  name: string
  unit_of_measure: string | null
}

export interface PhasesTable {
  run_id: number
  id: number
  definition_id: number
  outcome: 'PASS' | 'FAIL' | 'SKIP' | 'ERROR'
  started_at_us: number
  duration_us: number
  retry_count: number
  docstring: string | null
}

export interface MeasurementsTable {
  run_id: number
  id: number
  phase_id: number
  definition_id: number
  outcome: 'PASS' | 'FAIL' | 'UNSET'
  number_value: number | null
  limit_low: number | null
  limit_high: number | null
}

export interface RunMetadataTable {
  run_id: number
  position: number
  name: string
  digest: string
  text_value: string
}

export interface RunSubUnitsTable {
  run_id: number
  position: number
  unit_id: number
}

export interface DeclaredAttachmentsTable {
  run_id: number
  position: number
  name: string
}

export interface IdempotencyKeysTable {
  owner: string
  idempotency_key: string
  body_digest: string
  answer: string
  run_id: number
}
