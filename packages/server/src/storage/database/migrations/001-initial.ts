import { ACCOUNTS } from './initial/accounts'
import { ATTACHMENTS } from './initial/attachments'
import { INDEXES } from './initial/indexes'
import { PHASES } from './initial/phases'
import { RUNS } from './initial/runs'
import { POSTGRES_SEARCH, SQLITE_SEARCH } from './initial/search'
import { UNITS } from './initial/units'
import type { Migration } from './migration'

const NAME = '001-initial'

const TABLES = [...ACCOUNTS, ...UNITS, ...RUNS, ...PHASES, ...ATTACHMENTS]

export const INITIAL: Migration = {
  name: NAME,
  statements: [
    ...TABLES,
    ...INDEXES,
    'CREATE INDEX revisions_number ON revisions (number_folded)',
    ...SQLITE_SEARCH,
  ],
}

export const POSTGRES_INITIAL: Migration = {
  name: NAME,
  statements: [
    'CREATE EXTENSION IF NOT EXISTS pg_trgm',
    ...TABLES,
    ...INDEXES,
    // Revisions are listed by number, then key. SQLite adds the row's number to every index by itself.
    'CREATE INDEX revisions_number ON revisions (number_folded, id)',
    ...POSTGRES_SEARCH,
  ],
}
