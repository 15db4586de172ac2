import type { Migration } from '../sqlite-driver'

/**
 * What the search for runs looks into, folded as what is searched is, where that is on record, by the key of its record: keys of different tables differ, and those of entries of
 * metadata that were there before are below 0. Found by any three
 * characters; case does not matter. Kept right by triggers, so that nothing can be stored and not found.
 */
const SEARCH_INDEX = [
  `CREATE VIRTUAL TABLE search_index USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram')`,
  ...[
    ['units', '{row}.serial_number_folded', ''],
    ['parts', '{row}.number_folded', ''],
    ['procedures', `{row}.name_folded || char(10) || coalesce({row}.identifier_folded, '')`, ''],
    [
      'metadata_values',
      '{row}.text_value',
      `{row}.name IN ('file', 'project', 'framework', 'git_branch', 'git_commit', 'group')`,
    ],
  ].flatMap(([table = '', text = '', condition = '']) => createSearchTriggers(table, text, condition)),
]

function createSearchTriggers(table: string, text: string, condition: string): string[] {
  const of = (row: string, sql: string) => sql.replaceAll('{row}', row)
  const when = (row: string) => (condition === '' ? '' : `WHEN ${of(row, condition)}`)
  return [
    `INSERT INTO search_index (rowid, text) SELECT id, ${of(table, text)} FROM ${table}
      ${condition === '' ? '' : `WHERE ${of(table, condition)}`}`,
    `CREATE TRIGGER ${table}_search_insert AFTER INSERT ON ${table} ${when('new')} BEGIN
      INSERT INTO search_index (rowid, text) VALUES (new.id, ${of('new', text)}); END`,
    `CREATE TRIGGER ${table}_search_update AFTER UPDATE ON ${table} ${when('new')} BEGIN
      UPDATE search_index SET text = ${of('new', text)} WHERE rowid = new.id; END`,
    `CREATE TRIGGER ${table}_search_delete AFTER DELETE ON ${table} ${when('old')} BEGIN
      DELETE FROM search_index WHERE rowid = old.id; END`,
  ]
}

/**
 * What was deleted is gone from every answer when it stands here; its rows and bytes go after that, some at a time, and
 * this row with the last of them.
 */
const DELETIONS = [
  `CREATE TABLE deletions (
    kind text NOT NULL,
    record_id bigint NOT NULL,
    requested_at_us bigint NOT NULL,
    PRIMARY KEY (kind, record_id)
  ) WITHOUT ROWID`,
  ...[
    ['procedures', ['procedure', 'id']],
    ['units', ['unit', 'id']],
    ['runs', ['run', 'id'], ['procedure', 'procedure_id'], ['unit', 'unit_id']],
  ].map(([table, ...references]) => createLiveView(table as string, references as [string, string][])),
]

function createLiveView(table: string, references: readonly [kind: string, column: string][]): string {
  const conditions = references.map(
    ([kind, column]) => `NOT EXISTS (SELECT 1 FROM deletions
      WHERE deletions.kind = '${kind}' AND deletions.record_id = ${table}.${column})`,
  )
  return `CREATE VIEW live_${table} AS SELECT * FROM ${table} WHERE ${conditions.join(' AND ')}`
}

// How many runs were created in a month of UTC, deleted ones included.
const MONTHS = [
  `CREATE TABLE run_months (month text PRIMARY KEY, created_runs bigint NOT NULL) WITHOUT ROWID`,
  `INSERT INTO run_months SELECT strftime('%Y-%m', created_at_us / 1000000, 'unixepoch') AS month, count(*)
    FROM runs GROUP BY month`,
]

/** What is searched, what is being deleted, how many runs a month has seen. */
export const SEARCH: Migration = {
  name: '007-search',
  statements: [...SEARCH_INDEX, ...DELETIONS, ...MONTHS],
}
