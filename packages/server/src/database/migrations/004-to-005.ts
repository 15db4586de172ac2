import type { Migration } from './migration'

/**
 * Stations and their keys, batches, procedure versions, logs, and what v2 runs and units say beyond v1. Who created a
 * record is a user or a station; `runs.batch_id` and `runs.version_id` are what the run was sent with.
 */
export const INTERFACE: Migration = {
  name: '004-interface',
  statements: [
    `CREATE TABLE stations (
      id bigint PRIMARY KEY,
      public_id text NOT NULL UNIQUE,
      name text NOT NULL,
      name_folded text NOT NULL,
      image_id text,
      created_at_us bigint NOT NULL,
      created_by_user_id bigint REFERENCES users (id),
      deleted_at_us bigint
    )`,
    `CREATE TABLE station_procedures (
      station_id bigint NOT NULL REFERENCES stations (id) ON DELETE CASCADE,
      procedure_id bigint NOT NULL REFERENCES procedures (id) ON DELETE CASCADE,
      PRIMARY KEY (station_id, procedure_id)
    )`,
    `CREATE INDEX station_procedures_procedure ON station_procedures (procedure_id)`,
    `ALTER TABLE api_keys ADD COLUMN station_id bigint REFERENCES stations (id)`,
    `ALTER TABLE api_keys ADD COLUMN last_used_at_us bigint`,
    `CREATE INDEX api_keys_station ON api_keys (station_id)`,

    `CREATE TABLE batches (
      id bigint PRIMARY KEY,
      public_id text NOT NULL UNIQUE,
      number text NOT NULL,
      number_folded text NOT NULL UNIQUE,
      created_at_us bigint NOT NULL,
      created_by_user_id bigint REFERENCES users (id),
      created_by_station_id bigint REFERENCES stations (id)
    )`,
    `CREATE TABLE procedure_versions (
      id bigint PRIMARY KEY,
      public_id text NOT NULL UNIQUE,
      procedure_id bigint NOT NULL REFERENCES procedures (id) ON DELETE CASCADE,
      tag text NOT NULL,
      tag_folded text NOT NULL,
      created_at_us bigint NOT NULL,
      created_by_user_id bigint REFERENCES users (id),
      created_by_station_id bigint REFERENCES stations (id),
      UNIQUE (procedure_id, tag_folded)
    )`,

    `ALTER TABLE procedures ADD COLUMN repository_settings text`,
    `ALTER TABLE parts ADD COLUMN created_by_station_id bigint REFERENCES stations (id)`,
    `ALTER TABLE parts ADD COLUMN updated_at_us bigint`,
    `ALTER TABLE revisions ADD COLUMN created_by_station_id bigint REFERENCES stations (id)`,
    `ALTER TABLE revisions ADD COLUMN image_id text`,

    `ALTER TABLE units ADD COLUMN created_by_station_id bigint REFERENCES stations (id)`,
    `ALTER TABLE units ADD COLUMN batch_id bigint REFERENCES batches (id)`,
    `ALTER TABLE units ADD COLUMN sample text`,
    `ALTER TABLE units ADD COLUMN created_by_run_id bigint`,
    `CREATE INDEX units_batch ON units (batch_id)`,
    `CREATE INDEX units_revision ON units (revision_id)`,
    `CREATE TABLE unit_metadata (
      unit_id bigint NOT NULL REFERENCES units (id) ON DELETE CASCADE,
      name text NOT NULL,
      value_type text NOT NULL,
      text_value text NOT NULL,
      number_value double precision,
      PRIMARY KEY (unit_id, name)
    )`,

    `ALTER TABLE runs ADD COLUMN created_by_station_id bigint REFERENCES stations (id)`,
    `ALTER TABLE runs ADD COLUMN batch_id bigint REFERENCES batches (id)`,
    `ALTER TABLE runs ADD COLUMN version_id bigint REFERENCES procedure_versions (id)`,
    `ALTER TABLE runs ADD COLUMN operated_by_user_id bigint REFERENCES users (id)`,
    `ALTER TABLE runs ADD COLUMN deployment_id text`,
    `CREATE INDEX runs_batch ON runs (batch_id)`,
    `CREATE INDEX runs_version ON runs (version_id)`,
    `CREATE INDEX runs_revision ON runs (revision_id)`,
    `CREATE INDEX run_sub_units_unit ON run_sub_units (unit_id)`,
    `ALTER TABLE run_metadata ADD COLUMN value_type text NOT NULL DEFAULT 'string'`,
    `ALTER TABLE run_metadata ADD COLUMN number_value double precision`,
    `ALTER TABLE measurements ADD COLUMN value_type text NOT NULL DEFAULT 'numeric'`,
    `ALTER TABLE measurements ADD COLUMN text_value text`,
    `ALTER TABLE measurements ADD COLUMN detail text`,
    `CREATE TABLE run_logs (
      run_id bigint NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      id bigint NOT NULL,
      level text NOT NULL,
      timestamp_us bigint NOT NULL,
      message text NOT NULL,
      source_file text NOT NULL,
      line_number bigint NOT NULL,
      PRIMARY KEY (run_id, id)
    )`,
    `CREATE INDEX run_logs_timestamp ON run_logs (timestamp_us, id)`,

    `ALTER TABLE attachments ADD COLUMN created_by_station_id bigint REFERENCES stations (id)`,
    `ALTER TABLE attachments ADD COLUMN unit_id bigint REFERENCES units (id) ON DELETE CASCADE`,
    `ALTER TABLE attachments ADD COLUMN link_to_unit_id bigint REFERENCES units (id) ON DELETE CASCADE`,
    `CREATE INDEX attachments_unit ON attachments (unit_id)`,
    `CREATE INDEX attachments_link_to_unit ON attachments (link_to_unit_id)`,
    `DROP INDEX attachments_unlinked`,
    `CREATE INDEX attachments_unlinked ON attachments (created_at_us) WHERE run_id IS NULL AND unit_id IS NULL`,
    `CREATE INDEX stations_image ON stations (image_id) WHERE image_id IS NOT NULL`,
    `CREATE INDEX revisions_image ON revisions (image_id) WHERE image_id IS NOT NULL`,
    `CREATE INDEX runs_station ON runs (created_by_station_id, procedure_id) WHERE created_by_station_id IS NOT NULL`,
    `ALTER TABLE users ADD COLUMN email_folded text`,
    `CREATE UNIQUE INDEX users_email ON users (email_folded)`,
    `ALTER TABLE sessions ADD COLUMN api_key_id bigint REFERENCES api_keys (id)`,
    `CREATE INDEX sessions_api_key ON sessions (api_key_id)`,
  ],
}

/** The key that asked for a sign-in code: what was opened with the code ends with the key. */
export const SIGN_IN_CODES: Migration = {
  name: '005-sign-in-codes',
  statements: [`ALTER TABLE sign_in_codes ADD COLUMN api_key_id bigint REFERENCES api_keys (id)`],
}
