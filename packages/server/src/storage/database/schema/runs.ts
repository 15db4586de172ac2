import type {
  LogLevel,
  MeasurementType,
  MetadataType,
  PhaseOutcome,
  RunOutcome,
  StepKind,
} from '@runledger/protocol'

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
  /** When the first and the last phase began; null without phases. */
  first_phase_at_us: number | null
  last_phase_at_us: number | null
  created_at_us: number
  created_by_user_id: number | null
  docstring: string | null
  created_by_station_id: number | null
  batch_id: number | null
  version_id: number | null
  operated_by_user_id: number | null
  deployment_id: string | null
  /** Of the first failed phase with an error; lists show it. */
  first_error_id: number | null
  /** Null for runs that are not about software. */
  build_id: number | null
  /** An entry of metadata. */
  branch_id: number | null
  /** Facts of the machine that may decide whether a test passes: `linux v22`. */
  environment: string | null
  /** Which rerun of its CI build the run belongs to. */
  rerun: string | null
  /** By framework: `vitest 2/4`. */
  shard: string | null
  /** Definitions: the file of tests that name none, and the project. */
  file_id: number | null
  project_id: number | null
  /** 0 if the unit is the tested software itself. */
  is_of_line: number
}

/** Names of phases and measurements; files, tags and owners of tests. Each text is stored once for its procedure. */
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
  outcome: PhaseOutcome
  started_at_us: number
  duration_us: number
  retry_count: number
  /** Of a test that did not run, the reason. */
  docstring: string | null
  /** 0 if the run has a later attempt. */
  is_final_attempt: number
  /** `skipped` is a test that did not run, which is no phase in responses. */
  kind: StepKind | 'skipped' | null
  /** Index of the parent among the phases of the run, in the order sent. */
  parent_index: number | null
  /** A definition: where the test is declared. */
  file_id: number | null
  line: number | null
  column_number: number | null
  /** A definition. */
  owner_id: number | null
  /** The framework's worker that ran the last attempt. */
  worker: number | null
  /** Of a step within a test, the code that called it. */
  snippet: string | null
  /** How many further errors are not on record. */
  more_errors: number | null
}

export interface PhaseTagsTable {
  run_id: number
  phase_id: number
  position: number
  /** A definition. */
  tag_id: number
  /** Of an annotation, whose type is the tag. */
  description: string | null
}

/** Only for tests with several attempts; the last attempt is the phase itself. */
export interface PhaseAttemptsTable {
  run_id: number
  phase_id: number
  attempt: number
  outcome: PhaseOutcome
  started_at_us: number
  duration_us: number
  worker: number | null
  more_errors: number | null
}

export interface ErrorGroupsTable {
  id: number
  fingerprint: string
}

export interface ErrorsTable {
  id: number
  group_id: number
  /** Of the whole error. */
  digest: string
  /** Of all its texts together. */
  text_length: number
  message: string
  file: string | null
  line: number | null
  column_number: number | null
  expected: string | null
  actual: string | null
  snippet: string | null
  diff: string | null
  stack: string | null
}

/** Errors of each attempt; those of the phase itself have its `retry_count` as their attempt. */
export interface PhaseErrorsTable {
  run_id: number
  phase_id: number
  attempt: number
  position: number
  error_id: number
  /** For counts by test: the error's group, and what identifies the test (name, file, project). */
  group_id: number
  definition_id: number
  file_id: number | null
  project_id: number | null
}

export interface MeasurementsTable {
  run_id: number
  id: number
  phase_id: number
  definition_id: number
  outcome: 'PASS' | 'FAIL' | 'UNSET'
  /** 1 or 0 for a boolean. */
  number_value: number | null
  limit_low: number | null
  limit_high: number | null
  value_type: MeasurementType
  /** JSON for `json` and `multidimensional`. */
  text_value: string | null
  /** JSON of a MeasurementDetail. */
  detail: string | null
}

export interface RunMetadataTable {
  run_id: number
  position: number
  value_id: number
}

export interface MetadataValuesTable {
  id: number
  name: string
  /** Of the name and the text. */
  digest: string
  text_value: string
  value_type: MetadataType
  number_value: number | null
}

/** Runs created in a UTC month, deleted ones included: the sum of several counters (`2026-11/7`). */
export interface RunMonthsTable {
  month: string
  created_runs: number
}

/** Records that are in no response while their rows and bytes are being deleted. */
export interface DeletionsTable {
  kind: 'procedure' | 'batch' | 'unit' | 'run'
  record_id: number
  requested_at_us: number
}

export interface RunLogsTable {
  run_id: number
  id: number
  level: LogLevel
  timestamp_us: number
  message: string
  source_file: string
  line_number: number
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
