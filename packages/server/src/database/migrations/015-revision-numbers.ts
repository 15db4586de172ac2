import type { Migration } from './migration'

/** SQLite ends every index with the key of the row; PostgreSQL must be told. Runs are listed by number, then key. */
export const POSTGRES_REVISION_NUMBERS: Migration = {
  name: '015-revision-numbers',
  statements: [
    `DROP INDEX revisions_number`,
    `CREATE INDEX revisions_number ON revisions (number_folded, id)`,
  ],
}
