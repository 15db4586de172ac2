import type { ApiKeysTable, SessionsTable, SettingsTable, SignInCodesTable, UsersTable } from './access'
import type { AttachmentsTable, BlobsTable } from './attachments'
import type {
  DeclaredAttachmentsTable,
  DefinitionsTable,
  IdempotencyKeysTable,
  MeasurementsTable,
  PhasesTable,
  RunMetadataTable,
  RunsTable,
  RunSubUnitsTable,
} from './runs'
import type { PartsTable, ProceduresTable, RevisionsTable, UnitsTable } from './units'

/** Every table, for Kysely. */
export interface Schema {
  settings: SettingsTable
  users: UsersTable
  api_keys: ApiKeysTable
  sessions: SessionsTable
  sign_in_codes: SignInCodesTable
  procedures: ProceduresTable
  parts: PartsTable
  revisions: RevisionsTable
  units: UnitsTable
  runs: RunsTable
  definitions: DefinitionsTable
  phases: PhasesTable
  measurements: MeasurementsTable
  run_metadata: RunMetadataTable
  run_sub_units: RunSubUnitsTable
  declared_attachments: DeclaredAttachmentsTable
  idempotency_keys: IdempotencyKeysTable
  blobs: BlobsTable
  attachments: AttachmentsTable
}
