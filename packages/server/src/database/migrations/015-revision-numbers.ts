import type { Migration } from './migration'

/** SQLite has the key of a row at the end of each index; PostgreSQL, where an index names it. Runs are listed by both. */
export const POSTGRES_REVISION_NUMBERS: Migration = {
  name: '015-revision-numbers',
  statements: [
    `DROP INDEX revisions_number`,
    `CREATE INDEX revisions_number ON revisions (number_folded, id)`,
  ],
}
