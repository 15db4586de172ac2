import type { ApiKeysTable, SessionsTable, SettingsTable, SignInCodesTable, UsersTable } from './access'
import type { AttachmentsTable, BlobsTable } from './attachments'
import type {
  DeclaredAttachmentsTable,
  DefinitionsTable,
  DeletionsTable,
  IdempotencyKeysTable,
  MeasurementsTable,
  MetadataValuesTable,
  PhasesTable,
  RunLogsTable,
  RunMetadataTable,
  RunMonthsTable,
  RunsTable,
  RunSubUnitsTable,
} from './runs'
import type {
  BatchesTable,
  PartsTable,
  ProceduresTable,
  ProcedureVersionsTable,
  RevisionsTable,
  StationProceduresTable,
  StationsTable,
  UnitMetadataTable,
  UnitsTable,
} from './units'

/** Every table, for Kysely. */
export interface Schema {
  settings: SettingsTable
  users: UsersTable
  api_keys: ApiKeysTable
  sessions: SessionsTable
  sign_in_codes: SignInCodesTable
  stations: StationsTable
  station_procedures: StationProceduresTable
  procedures: ProceduresTable
  procedure_versions: ProcedureVersionsTable
  parts: PartsTable
  revisions: RevisionsTable
  batches: BatchesTable
  units: UnitsTable
  unit_metadata: UnitMetadataTable
  runs: RunsTable
  definitions: DefinitionsTable
  phases: PhasesTable
  measurements: MeasurementsTable
  run_metadata: RunMetadataTable
  metadata_values: MetadataValuesTable
  run_months: RunMonthsTable
  deletions: DeletionsTable
  run_logs: RunLogsTable
  run_sub_units: RunSubUnitsTable
  declared_attachments: DeclaredAttachmentsTable
  idempotency_keys: IdempotencyKeysTable
  blobs: BlobsTable
  attachments: AttachmentsTable
  /** Views: the rows without what was deleted. */
  live_procedures: ProceduresTable
  live_units: UnitsTable
  live_runs: RunsTable
}
