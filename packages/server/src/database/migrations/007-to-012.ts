import type { Migration } from './migration'

/**
 * What was deleted is gone from every answer when it stands here; its rows and bytes go after that, some at a time, and
 * this row with the last of them.
 */
const DELETIONS = `CREATE TABLE IF NOT EXISTS deletions (
  kind text NOT NULL,
  record_id bigint NOT NULL,
  requested_at_us bigint NOT NULL,
  PRIMARY KEY (kind, record_id)
) WITHOUT ROWID`

// How many runs were created in a month of UTC, deleted ones included.
const MONTHS = [
  `CREATE TABLE IF NOT EXISTS run_months (month text PRIMARY KEY, created_runs bigint NOT NULL) WITHOUT ROWID`,
  `INSERT OR IGNORE INTO run_months
    SELECT strftime('%Y-%m', created_at_us / 1000000, 'unixepoch') AS month, count(*) FROM runs GROUP BY month`,
]

/** What is being deleted, how many runs a month has seen. A 006 of before it was split has both already. */
export const SEARCH: Migration = {
  name: '007-search',
  statements: [DELETIONS, ...MONTHS],
}

/**
 * What clients in the field rely on: images of parts and units, and texts where there were none. A procedure without an
 * identifier gets one of its name and its UUID, a user without an e-mail address one of this machine.
 */
export const CLIENTS: Migration = {
  name: '008-clients',
  statements: [
    `ALTER TABLE stations ADD COLUMN identifier text`,
    `ALTER TABLE parts ADD COLUMN image_id text`,
    `ALTER TABLE units ADD COLUMN image_id text`,
    `CREATE INDEX parts_image ON parts (image_id) WHERE image_id IS NOT NULL`,
    `CREATE INDEX units_image ON units (image_id) WHERE image_id IS NOT NULL`,
    `CREATE INDEX procedures_name ON procedures (name_folded)`,
    `UPDATE procedures SET
      identifier = substr(replace(name, ' ', '-'), 1, 240) || '-' || substr(public_id, 1, 8),
      identifier_folded = substr(replace(name_folded, ' ', '-'), 1, 240) || '-' || substr(public_id, 1, 8)
      WHERE identifier IS NULL`,
    `UPDATE users SET email = 'owner@localhost', email_folded = 'owner@localhost'
      WHERE email IS NULL AND id = (SELECT min(id) FROM users)
      AND NOT EXISTS (SELECT 1 FROM users AS others WHERE others.email_folded = 'owner@localhost')`,
    `UPDATE users SET email = public_id || '@localhost', email_folded = public_id || '@localhost'
      WHERE email IS NULL`,
  ],
}

/** A table whose records are searched by a text of theirs; `{row}` is the row. */
interface Searched {
  table: string
  text: string
  condition?: string
}

export const RECORDS_SEARCHED: readonly Searched[] = [
  { table: 'units', text: '{row}.serial_number_folded' },
  { table: 'parts', text: '{row}.number_folded' },
  {
    table: 'procedures',
    text: `{row}.name_folded || char(10) || coalesce({row}.identifier_folded, '')`,
  },
  {
    table: 'metadata_values',
    text: '{row}.text_value',
    condition: `{row}.name IN ('file', 'project', 'framework', 'git_branch', 'git_commit', 'group')`,
  },
]

/**
 * What the search for runs looks into, folded as what is searched is, by the key of its record: keys of different tables
 * differ, and those of entries of metadata that were there before 006 are below 0. Found by any three characters; case
 * does not matter. Kept right by triggers, so that nothing can be stored and not found.
 */
const SEARCH_INDEX = [
  `DROP TABLE IF EXISTS search_index`,
  `CREATE VIRTUAL TABLE search_index USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram')`,
  ...RECORDS_SEARCHED.flatMap((searched) => [
    ...['insert', 'update', 'delete'].map(
      (event) => `DROP TRIGGER IF EXISTS ${searched.table}_search_${event}`,
    ),
    `INSERT INTO search_index (rowid, text) SELECT id, ${of(searched.table, searched.text)} FROM ${searched.table}
      ${searched.condition === undefined ? '' : `WHERE ${of(searched.table, searched.condition)}`}`,
    ...createSearchTriggers(searched),
  ]),
]

/** Keep the index of searched texts as their table is. */
export function createSearchTriggers({ table, text, condition }: Searched): string[] {
  const when = (row: string) => (condition === undefined ? '' : `WHEN ${of(row, condition)}`)
  return [
    `CREATE TRIGGER ${table}_search_insert AFTER INSERT ON ${table} ${when('new')} BEGIN
      INSERT INTO search_index (rowid, text) VALUES (new.id, ${of('new', text)}); END`,
    `CREATE TRIGGER ${table}_search_update AFTER UPDATE ON ${table} ${when('new')} BEGIN
      UPDATE search_index SET text = ${of('new', text)} WHERE rowid = new.id; END`,
    `CREATE TRIGGER ${table}_search_delete AFTER DELETE ON ${table} ${when('old')} BEGIN
      DELETE FROM search_index WHERE rowid = old.id; END`,
  ]
}

function of(row: string, sql: string): string {
  return sql.replaceAll('{row}', row)
}

const REFERENCES: Readonly<Record<string, readonly [kind: string, column: string][]>> = {
  procedures: [['procedure', 'id']],
  batches: [['batch', 'id']],
  units: [['unit', 'id']],
  runs: [
    ['run', 'id'],
    ['procedure', 'procedure_id'],
    ['unit', 'unit_id'],
  ],
}

/** The views of records without those that are being deleted. */
export const LIVE_VIEWS = Object.keys(REFERENCES).map((table) => `live_${table}`)

/**
 * A view has the columns that its table had when it was made. Not NOT EXISTS, of which PostgreSQL makes a join: it expects no row
 * of that, while nothing is being deleted, and then reads all that there is once for each.
 */
export function createLiveViews(): string[] {
  return Object.entries(REFERENCES).flatMap(([table, references]) => {
    const conditions = references.map(
      ([kind, column]) => `(SELECT 1 FROM deletions
      WHERE deletions.kind = '${kind}' AND deletions.record_id = ${table}.${column}) IS DISTINCT FROM 1`,
    )
    return [
      `DROP VIEW IF EXISTS live_${table}`,
      `CREATE VIEW live_${table} AS SELECT * FROM ${table} WHERE ${conditions.join(' AND ')}`,
    ]
  })
}

const BLOBS = [
  `CREATE TABLE new_blobs (
    sha256 text PRIMARY KEY,
    size_bytes bigint NOT NULL,
    reference_count bigint NOT NULL
  ) WITHOUT ROWID`,
  `INSERT INTO new_blobs SELECT sha256, size_bytes, reference_count FROM blobs ORDER BY sha256`,
  `DROP TABLE blobs`,
  `ALTER TABLE new_blobs RENAME TO blobs`,
]

// The first units of a batch or revision are read in the order of their serial numbers, however many it has.
const INDEXES = [
  ...['revisions_part', 'revisions_number', 'units_batch', 'units_revision'].map(
    (name) => `DROP INDEX IF EXISTS ${name}`,
  ),
  `CREATE INDEX revisions_number ON revisions (number_folded)`,
  `CREATE INDEX units_batch ON units (batch_id, serial_number_folded)`,
  `CREATE INDEX units_revision ON units (revision_id, serial_number_folded)`,
]

// An upgrade asks only the runs that have retries.
const FINAL_ATTEMPTS = [
  `ALTER TABLE phases ADD COLUMN is_final_attempt bigint NOT NULL DEFAULT 1`,
  `UPDATE phases SET is_final_attempt = 0 WHERE (run_id, id) IN (SELECT run_id, id FROM (
    SELECT run_id, id, retry_count, max(retry_count) OVER (PARTITION BY run_id, definition_id) AS final_count
    FROM phases WHERE run_id IN (SELECT run_id FROM phases WHERE retry_count > 0)) WHERE retry_count < final_count)`,
]

/**
 * What is searched, the final attempts at phases, and the records without those that are being deleted. 006 and 007 made
 * some of it in other ways before they had their last form; from here on all databases are alike.
 */
export const LIVE: Migration = {
  name: '009-live',
  statements: [...BLOBS, ...INDEXES, ...FINAL_ATTEMPTS, ...SEARCH_INDEX, ...createLiveViews()],
}

// What a step says of its test. Texts that repeat from run to run are definitions of the procedure. `skipped` is no kind that
// is sent: such a phase is a test that did not run, and no step.
const TEST_FACTS = [
  'kind text',
  'parent_index bigint',
  'file_id bigint',
  'line bigint',
  'column_number bigint',
  'owner_id bigint',
  'more_errors bigint',
].map((column) => `ALTER TABLE phases ADD COLUMN ${column}`)

const OF_PHASE = `run_id bigint NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    phase_id bigint NOT NULL`

// The beginning of the message: an index of three characters each of long texts takes seconds, for which others wait.
export function createErrorTriggers(): string[] {
  return [
    `CREATE TRIGGER errors_search_insert AFTER INSERT ON errors BEGIN
    INSERT INTO error_search (rowid, text) VALUES (new.id, substr(new.message, 1, 2000)); END`,
    `CREATE TRIGGER errors_search_delete AFTER DELETE ON errors BEGIN
    DELETE FROM error_search WHERE rowid = old.id; END`,
  ]
}

// Errors repeat from run to run, so each is stored once, and so is what those with the same fingerprint have in common.
const ERRORS = [
  `CREATE TABLE phase_tags (
    ${OF_PHASE},
    position bigint NOT NULL,
    tag_id bigint NOT NULL,
    PRIMARY KEY (run_id, phase_id, position)
  ) WITHOUT ROWID`,
  `CREATE TABLE phase_attempts (
    ${OF_PHASE},
    attempt bigint NOT NULL,
    outcome text NOT NULL,
    started_at_us bigint NOT NULL,
    duration_us bigint NOT NULL,
    more_errors bigint,
    PRIMARY KEY (run_id, phase_id, attempt)
  ) WITHOUT ROWID`,
  `CREATE TABLE error_groups (id integer PRIMARY KEY, fingerprint text NOT NULL UNIQUE)`,
  `CREATE TABLE errors (
    id integer PRIMARY KEY,
    group_id bigint NOT NULL REFERENCES error_groups (id),
    digest text NOT NULL UNIQUE,
    text_length bigint NOT NULL,
    message text NOT NULL,
    file text,
    line bigint,
    column_number bigint,
    expected text,
    actual text,
    snippet text,
    diff text,
    stack text
  )`,
  `CREATE TABLE phase_errors (
    ${OF_PHASE},
    attempt bigint NOT NULL,
    position bigint NOT NULL,
    error_id bigint NOT NULL REFERENCES errors (id),
    group_id bigint NOT NULL REFERENCES error_groups (id),
    definition_id bigint NOT NULL,
    file_id bigint,
    project_id bigint,
    PRIMARY KEY (run_id, phase_id, attempt, position)
  ) WITHOUT ROWID`,
  // How often an error happened, in which tests and in which runs, without a look at anything else.
  `CREATE INDEX phase_errors_group ON phase_errors (group_id, definition_id, file_id, project_id, run_id, error_id)`,
  `CREATE INDEX phase_errors_run ON phase_errors (group_id, run_id, error_id)`,
  `CREATE INDEX phase_errors_error ON phase_errors (error_id)`,
  `CREATE INDEX errors_group ON errors (group_id)`,
  // An error's group without the error, whose texts are long.
  `CREATE INDEX errors_id_group ON errors (id, group_id)`,
  `CREATE VIRTUAL TABLE error_search USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram')`,
  ...createErrorTriggers(),
]

// Lists show it: no run's errors are gone through for that. Without a reference to it: it goes with the run's other errors.
const FIRST_ERROR = `ALTER TABLE runs ADD COLUMN first_error_id bigint`

/** Why tests failed, where and in which attempt. */
export const TEST_ERRORS: Migration = {
  name: '010-errors',
  statements: [...TEST_FACTS, ...ERRORS, FIRST_ERROR],
}

/**
 * Units that are in another, and units of a batch, in the order of their serial numbers; without those that are in none.
 * Of an index whose entries are nearly all null, SQLite expects so many rows for each value that it reads all units instead.
 */
export const UNIT_INDEXES: Migration = {
  name: '011-unit-indexes',
  statements: [
    `DROP INDEX IF EXISTS units_parent`,
    `DROP INDEX IF EXISTS units_batch`,
    `CREATE INDEX units_parent ON units (parent_unit_id, serial_number_folded) WHERE parent_unit_id IS NOT NULL`,
    `CREATE INDEX units_batch ON units (batch_id, serial_number_folded) WHERE batch_id IS NOT NULL`,
  ],
}

/** Which worker ran a test, what its annotations say, and the code that called a step within it. */
export const TEST_DETAILS: Migration = {
  name: '012-test-details',
  statements: [
    `ALTER TABLE phases ADD COLUMN worker bigint`,
    `ALTER TABLE phases ADD COLUMN snippet text`,
    `ALTER TABLE phase_attempts ADD COLUMN worker bigint`,
    `ALTER TABLE phase_tags ADD COLUMN description text`,
  ],
}
