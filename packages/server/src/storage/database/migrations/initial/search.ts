/** Report variables that tell where a run came from. */
const IS_SEARCHED = `name IN ('file', 'project', 'framework', 'git_branch', 'git_commit', 'group')`

/** Indexing every three characters of long texts takes seconds, while other writes wait. */
const SEARCHED_MESSAGE = 'substr(message, 1, 2000)'

/** For texts of at least three characters. `postgres-engine.ts` has the same expressions. */
export const POSTGRES_SEARCH: readonly string[] = [
  'units_search ON units USING gin (serial_number_folded gin_trgm_ops)',
  `metadata_values_search ON metadata_values USING gin (lower(text_value COLLATE "und-x-icu") gin_trgm_ops)
    WHERE ${IS_SEARCHED}`,
  `errors_search ON errors USING gin (lower(${SEARCHED_MESSAGE} COLLATE "und-x-icu") gin_trgm_ops)`,
].map((index) => `CREATE INDEX ${index}`)

interface Searched {
  table: string
  /** `{row}` stands for the row. */
  text: string
  condition?: string
}

const SEARCHED: readonly Searched[] = [
  { table: 'units', text: '{row}.serial_number_folded' },
  { table: 'parts', text: '{row}.number_folded' },
  {
    table: 'procedures',
    text: `{row}.name_folded || char(10) || coalesce({row}.identifier_folded, '')`,
  },
  { table: 'metadata_values', text: '{row}.text_value', condition: `{row}.${IS_SEARCHED}` },
]

/** A row's number is its record's key, which differs between tables. Triggers keep the indexes up to date. */
export const SQLITE_SEARCH: readonly string[] = [
  createSearchTable('search_index'),
  ...SEARCHED.flatMap(createTriggers),
  createSearchTable('error_search'),
  `CREATE TRIGGER errors_search_insert AFTER INSERT ON errors BEGIN
    INSERT INTO error_search (rowid, text) VALUES (new.id, ${SEARCHED_MESSAGE.replace('message', 'new.message')}); END`,
  `CREATE TRIGGER errors_search_delete AFTER DELETE ON errors BEGIN
    DELETE FROM error_search WHERE rowid = old.id; END`,
]

function createSearchTable(name: string): string {
  return `CREATE VIRTUAL TABLE ${name} USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram')`
}

function createTriggers({ table, text, condition }: Searched): string[] {
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

function of(row: string, text: string): string {
  return text.replaceAll('{row}', row)
}
