import type { Migration } from './migration'
import { ACCESS, NOUNS } from './postgres-nouns'
import { ATTACHMENTS, PHASES, RUNS } from './postgres-runs'

const INDEXES = [
  `api_keys_station ON api_keys (station_id)`,
  `sessions_api_key ON sessions (api_key_id)`,
  `stations_image ON stations (image_id) WHERE image_id IS NOT NULL`,
  `station_procedures_procedure ON station_procedures (procedure_id)`,
  `procedures_name ON procedures (name_folded)`,
  `parts_image ON parts (image_id) WHERE image_id IS NOT NULL`,
  `revisions_number ON revisions (number_folded)`,
  `revisions_image ON revisions (image_id) WHERE image_id IS NOT NULL`,
  `units_parent ON units (parent_unit_id, serial_number_folded) WHERE parent_unit_id IS NOT NULL`,
  `units_batch ON units (batch_id, serial_number_folded) WHERE batch_id IS NOT NULL`,
  `units_revision ON units (revision_id, serial_number_folded)`,
  `units_image ON units (image_id) WHERE image_id IS NOT NULL`,
  `runs_public_id ON runs (public_id)`,
  `runs_started ON runs (started_at_us)`,
  `runs_created ON runs (created_at_us)`,
  `runs_duration ON runs (duration_us)`,
  `runs_outcome ON runs (outcome, started_at_us)`,
  `runs_procedure ON runs (procedure_id, started_at_us)`,
  `runs_unit ON runs (unit_id, started_at_us)`,
  `runs_revision ON runs (revision_id, started_at_us)`,
  `runs_batch ON runs (batch_id, started_at_us) WHERE batch_id IS NOT NULL`,
  `runs_version ON runs (version_id, started_at_us) WHERE version_id IS NOT NULL`,
  `runs_station ON runs (created_by_station_id, procedure_id) WHERE created_by_station_id IS NOT NULL`,
  `runs_first_phase ON runs (procedure_id, first_phase_at_us) WHERE first_phase_at_us IS NOT NULL`,
  `runs_last_phase ON runs (procedure_id, last_phase_at_us) WHERE last_phase_at_us IS NOT NULL`,
  `run_logs_timestamp ON run_logs (timestamp_us, id)`,
  `run_sub_units_unit ON run_sub_units (unit_id)`,
  `idempotency_keys_run ON idempotency_keys (run_id)`,
  `run_metadata_value ON run_metadata (value_id, run_id)`,
  `metadata_values_name ON metadata_values (name)`,
  `attachments_run ON attachments (run_id) WHERE run_id IS NOT NULL`,
  `attachments_link_to_run ON attachments (link_to_run_id) WHERE link_to_run_id IS NOT NULL`,
  `attachments_unit ON attachments (unit_id) WHERE unit_id IS NOT NULL`,
  `attachments_link_to_unit ON attachments (link_to_unit_id) WHERE link_to_unit_id IS NOT NULL`,
  `attachments_sha256 ON attachments (sha256) WHERE sha256 IS NOT NULL`,
  `attachments_unlinked ON attachments (created_at_us) WHERE run_id IS NULL AND unit_id IS NULL`,
  `phase_errors_group ON phase_errors (group_id, definition_id, file_id, project_id, run_id, error_id)`,
  `phase_errors_run ON phase_errors (group_id, run_id, error_id)`,
  `phase_errors_error ON phase_errors (error_id)`,
  `errors_group ON errors (group_id)`,
  `errors_id_group ON errors (id, group_id)`,
]

/** What is searched for any three characters, as `postgres-engine.ts` asks for it. SQLite has a search index for these. */
const SEARCH_INDEXES = [
  `units_search ON units USING gin (serial_number_folded gin_trgm_ops)`,
  `metadata_values_search ON metadata_values USING gin (lower(text_value COLLATE "und-x-icu") gin_trgm_ops)
    WHERE name IN ('file', 'project', 'framework', 'git_branch', 'git_commit', 'group')`,
  `errors_search ON errors USING gin (lower(substr(message, 1, 2000) COLLATE "und-x-icu") gin_trgm_ops)`,
]

/** The tables as the migrations of SQLite up to 012 leave them. */
export const POSTGRES_TABLES: Migration = {
  name: 'postgres-001',
  statements: [
    `CREATE EXTENSION IF NOT EXISTS pg_trgm`,
    ...ACCESS,
    ...NOUNS,
    ...RUNS,
    ...PHASES,
    ...ATTACHMENTS,
    `CREATE UNIQUE INDEX users_email ON users (email_folded)`,
    ...[...INDEXES, ...SEARCH_INDEXES].map((index) => `CREATE INDEX ${index}`),
  ],
}
