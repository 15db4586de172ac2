import {
  createErrorTriggers,
  createLiveViews,
  createSearchTriggers,
  LIVE_VIEWS,
  RECORDS_SEARCHED,
} from './007-to-012'
import type { Migration } from './migration'

// Whose a record is. There is one organisation yet, 1; what hangs on a record that says it need not say it again. Stored bytes
// are nobody's: attachments are, and equal bytes are stored once for all. What is unique is so within an organisation, which
// comes last in its keys: what is looked up by its text alone is found by the key too.
const COLUMN = 'organisation_id bigint NOT NULL DEFAULT 1'

/** Tables that have the column, and whose keys SQLite need not change. */
const WIDENED = ['users', 'api_keys', 'stations', 'runs', 'attachments'].map(
  (table) => `ALTER TABLE ${table} ADD COLUMN ${COLUMN}`,
)

const USERS_EMAIL = [
  `DROP INDEX users_email`,
  `CREATE UNIQUE INDEX users_email ON users (email_folded, organisation_id)`,
]

interface Rebuilt {
  table: string
  /** In the order that they have. */
  columns: string
  key: string
  isWithoutRowid?: boolean
}

/** Tables whose keys change: SQLite makes them anew. */
const REBUILT: readonly Rebuilt[] = [
  {
    table: 'settings',
    columns: `name text NOT NULL, value text NOT NULL`,
    key: 'PRIMARY KEY (name, organisation_id)',
  },
  {
    table: 'procedures',
    columns: `id integer PRIMARY KEY, public_id text NOT NULL UNIQUE, identifier text, identifier_folded text,
      name text NOT NULL, name_folded text NOT NULL, created_at_us bigint NOT NULL,
      created_by_user_id bigint REFERENCES users (id), repository_settings text`,
    key: 'UNIQUE (identifier_folded, organisation_id)',
  },
  {
    table: 'parts',
    columns: `id integer PRIMARY KEY, public_id text NOT NULL UNIQUE, number text NOT NULL, number_folded text NOT NULL,
      name text NOT NULL, created_at_us bigint NOT NULL, created_by_user_id bigint REFERENCES users (id),
      created_by_station_id bigint REFERENCES stations (id), updated_at_us bigint, image_id text`,
    key: 'UNIQUE (number_folded, organisation_id)',
  },
  {
    table: 'batches',
    columns: `id integer PRIMARY KEY, public_id text NOT NULL UNIQUE, number text NOT NULL, number_folded text NOT NULL,
      created_at_us bigint NOT NULL, created_by_user_id bigint REFERENCES users (id),
      created_by_station_id bigint REFERENCES stations (id)`,
    key: 'UNIQUE (number_folded, organisation_id)',
  },
  {
    table: 'units',
    columns: `id integer PRIMARY KEY, public_id text NOT NULL UNIQUE, serial_number text NOT NULL,
      serial_number_folded text NOT NULL, revision_id bigint NOT NULL REFERENCES revisions (id),
      parent_unit_id bigint REFERENCES units (id), created_at_us bigint NOT NULL,
      created_by_user_id bigint REFERENCES users (id), created_by_station_id bigint REFERENCES stations (id),
      batch_id bigint REFERENCES batches (id), sample text, created_by_run_id bigint, image_id text`,
    key: 'UNIQUE (serial_number_folded, organisation_id)',
  },
  {
    table: 'metadata_values',
    columns: `id integer PRIMARY KEY, name text NOT NULL, digest text NOT NULL, value_type text NOT NULL,
      text_value text NOT NULL, number_value double precision`,
    key: 'UNIQUE (digest, value_type, organisation_id)',
  },
  {
    table: 'error_groups',
    columns: `id integer PRIMARY KEY, fingerprint text NOT NULL`,
    key: 'UNIQUE (fingerprint, organisation_id)',
  },
  {
    table: 'errors',
    columns: `id integer PRIMARY KEY, group_id bigint NOT NULL REFERENCES error_groups (id), digest text NOT NULL,
      text_length bigint NOT NULL, message text NOT NULL, file text, line bigint, column_number bigint, expected text,
      actual text, snippet text, diff text, stack text`,
    key: 'UNIQUE (digest, organisation_id)',
  },
  {
    table: 'run_months',
    columns: `month text NOT NULL, created_runs bigint NOT NULL`,
    key: 'PRIMARY KEY (month, organisation_id)',
    isWithoutRowid: true,
  },
  {
    table: 'idempotency_keys',
    columns: `owner text NOT NULL, idempotency_key text NOT NULL, body_digest text NOT NULL, answer text NOT NULL,
      run_id bigint NOT NULL REFERENCES runs (id) ON DELETE CASCADE`,
    key: 'PRIMARY KEY (owner, idempotency_key, organisation_id)',
    isWithoutRowid: true,
  },
]

function rebuild({ table, columns, key, isWithoutRowid }: Rebuilt): string[] {
  return [
    `CREATE TABLE new_${table} (${columns}, ${COLUMN}, ${key}) ${isWithoutRowid ? 'WITHOUT ROWID' : ''}`,
    `INSERT INTO new_${table} SELECT *, 1 FROM ${table}`,
    `DROP TABLE ${table}`,
    `ALTER TABLE new_${table} RENAME TO ${table}`,
  ]
}

/** Of the tables that were made anew, as they were. */
const INDEXES = [
  `procedures_name ON procedures (name_folded)`,
  `parts_image ON parts (image_id) WHERE image_id IS NOT NULL`,
  `units_parent ON units (parent_unit_id, serial_number_folded) WHERE parent_unit_id IS NOT NULL`,
  `units_batch ON units (batch_id, serial_number_folded) WHERE batch_id IS NOT NULL`,
  `units_revision ON units (revision_id, serial_number_folded)`,
  `units_image ON units (image_id) WHERE image_id IS NOT NULL`,
  `metadata_values_name ON metadata_values (name)`,
  `idempotency_keys_run ON idempotency_keys (run_id)`,
  `errors_group ON errors (group_id)`,
  `errors_id_group ON errors (id, group_id)`,
].map((index) => `CREATE INDEX ${index}`)

const NAME = '013-organisations'

export const ORGANISATIONS: Migration = {
  name: NAME,
  statements: [
    // A table is not renamed while a view is of one that is not there.
    ...LIVE_VIEWS.map((view) => `DROP VIEW ${view}`),
    ...WIDENED,
    ...USERS_EMAIL,
    ...REBUILT.flatMap(rebuild),
    ...INDEXES,
    ...RECORDS_SEARCHED.flatMap((searched) => createSearchTriggers(searched)),
    ...createErrorTriggers(),
    ...createLiveViews(),
  ],
}

/** The same for PostgreSQL, which changes keys in place. */
export const POSTGRES_ORGANISATIONS: Migration = {
  name: NAME,
  statements: [
    ...WIDENED,
    ...USERS_EMAIL,
    ...REBUILT.flatMap(({ table, key }) => [
      `ALTER TABLE ${table} ADD COLUMN ${COLUMN}`,
      `ALTER TABLE ${table} DROP CONSTRAINT ${nameFormerKey(table, key)}`,
      `ALTER TABLE ${table} ADD ${key}`,
    ]),
  ],
}

/** As PostgreSQL has named the key without the column. */
function nameFormerKey(table: string, key: string): string {
  if (key.startsWith('PRIMARY')) return `${table}_pkey`
  const columns = key.slice(key.indexOf('(') + 1, key.lastIndexOf(',')).replaceAll(', ', '_')
  return `${table}_${columns}_key`
}
