import type { Role } from '@runledger/protocol'
import type { Generated } from 'kysely'
import type {
  DeclaredAttachmentsTable,
  DefinitionsTable,
  DeletionsTable,
  ErrorGroupsTable,
  ErrorsTable,
  IdempotencyKeysTable,
  MeasurementsTable,
  MetadataValuesTable,
  PhaseAttemptsTable,
  PhaseErrorsTable,
  PhasesTable,
  PhaseTagsTable,
  RunLogsTable,
  RunMetadataTable,
  RunMonthsTable,
  RunsTable,
  RunSubUnitsTable,
} from './runs'
import type { AuditEntriesTable } from './audit'
import type { ExecutionsTable } from './executions'
import type { LineDaysTable, LineValuesTable, MeasurementDaysTable } from './line'
import type {
  BuildProceduresTable,
  BuildsTable,
  RunSuitesTable,
  SuitesTable,
  TestDaysTable,
  TestResultsTable,
  TestsTable,
} from './history'
import type { QuarantineEntriesTable } from './quarantine'
import type { ShardPlansTable } from './shards'
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
import type { WebhookDeliveriesTable, WebhookProceduresTable, WebhooksTable } from './webhooks'

export interface Schema {
  settings: SettingsTable & OfOrganisation
  users: UsersTable & OfOrganisation
  api_keys: ApiKeysTable & OfOrganisation
  sessions: SessionsTable
  sign_in_codes: SignInCodesTable
  identities: IdentitiesTable
  stations: StationsTable & OfOrganisation
  station_procedures: StationProceduresTable
  procedures: ProceduresTable & OfOrganisation
  procedure_versions: ProcedureVersionsTable
  parts: PartsTable & OfOrganisation
  revisions: RevisionsTable
  batches: BatchesTable & OfOrganisation
  units: UnitsTable & OfOrganisation
  unit_metadata: UnitMetadataTable
  runs: RunsTable & OfOrganisation
  definitions: DefinitionsTable
  phases: PhasesTable
  phase_tags: PhaseTagsTable
  phase_attempts: PhaseAttemptsTable
  phase_errors: PhaseErrorsTable
  errors: ErrorsTable & OfOrganisation
  error_groups: ErrorGroupsTable & OfOrganisation
  measurements: MeasurementsTable
  run_metadata: RunMetadataTable
  metadata_values: MetadataValuesTable & OfOrganisation
  run_months: RunMonthsTable & OfOrganisation
  deletions: DeletionsTable
  run_logs: RunLogsTable
  run_sub_units: RunSubUnitsTable
  declared_attachments: DeclaredAttachmentsTable
  executions: ExecutionsTable & OfOrganisation
  shard_plans: ShardPlansTable & OfOrganisation
  quarantine_entries: QuarantineEntriesTable & OfOrganisation
  webhooks: WebhooksTable & OfOrganisation
  webhook_procedures: WebhookProceduresTable
  webhook_deliveries: WebhookDeliveriesTable
  builds: BuildsTable & OfOrganisation
  build_procedures: BuildProceduresTable
  suites: SuitesTable
  tests: TestsTable
  line_days: LineDaysTable
  measurement_days: MeasurementDaysTable
  line_values: LineValuesTable
  test_results: TestResultsTable
  run_suites: RunSuitesTable
  test_days: TestDaysTable
  audit_entries: AuditEntriesTable & OfOrganisation
  idempotency_keys: IdempotencyKeysTable & OfOrganisation
  blobs: BlobsTable
  attachments: AttachmentsTable & OfOrganisation
  /** Views without deleted rows. */
  live_procedures: ProceduresTable & OfOrganisation
  live_batches: BatchesTable & OfOrganisation
  live_units: UnitsTable & OfOrganisation
  live_runs: RunsTable & OfOrganisation
}

/** There is only organisation 1 so far. */
export interface OfOrganisation {
  organisation_id: Generated<number>
}

export interface SettingsTable {
  name: string
  value: string
}

export interface UsersTable {
  id: number
  public_id: string
  name: string | null
  email: string | null
  email_folded: string | null
  created_at_us: number
}

export interface ApiKeysTable {
  id: number
  public_id: string
  kind: 'user' | 'station' | 'project'
  /** Null for station and project keys. */
  role: Role | null
  name: string
  hint: string
  hash: string
  /** The owner; of a station or project key, the issuer. */
  user_id: number
  /** Of a station key. */
  station_id: number | null
  /** Of a project key. */
  procedure_id: number | null
  created_at_us: number
  expires_at_us: number | null
  revoked_at_us: number | null
  last_used_at_us: number | null
}

export interface SessionsTable {
  id: number
  public_id: string
  hash: string
  user_id: number
  /** The session or code ends with the key that opened or requested it. Null when `serve` printed the code. */
  api_key_id: number | null
  created_at_us: number
  expires_at_us: number
  /** IP address that opened it. */
  address: string | null
  user_agent: string | null
  /** These four are set for a session by a sign-in provider. */
  role: Role | null
  /** Only with the secret of the session can they be opened. */
  sealed_tokens: string | null
  /** When the provider was last asked. */
  checked_at_us: number | null
  /** When it last answered. */
  confirmed_at_us: number | null
}

export interface SignInCodesTable {
  id: number
  hash: string
  user_id: number
  /** Null when `serve` printed it, and after a sign-in at a provider. */
  api_key_id: number | null
  expires_at_us: number
  /** These two are set after a sign-in at a provider. */
  role: Role | null
  /** Only with the code can they be opened. */
  sealed_tokens: string | null
}

/** An account at a sign-in provider, and its user. */
export interface IdentitiesTable {
  issuer: string
  subject: string
  user_id: number
  created_at_us: number
}

export interface BlobsTable {
  sha256: string
  /** Never names other bytes. */
  object_name: string
  size_bytes: number
  reference_count: number
}

export interface AttachmentsTable {
  id: number
  public_id: string
  name: string
  content_type: string | null
  /** Null until the bytes are received. */
  sha256: string | null
  run_id: number | null
  unit_id: number | null
  /** Links the attachment when its bytes are received (one-shot upload). */
  link_to_run_id: number | null
  link_to_unit_id: number | null
  created_at_us: number
  created_by_user_id: number | null
  created_by_station_id: number | null
  /** The procedure of the project key that uploaded the file. */
  created_by_procedure_id: number | null
  received_at_us: number | null
}
