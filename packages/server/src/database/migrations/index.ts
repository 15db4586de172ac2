import { ACCESS, ATTACHMENTS, RUNS } from './001-to-003'
import { INTERFACE, SIGN_IN_CODES } from './004-to-005'
import { SCALE } from './006-scale'
import { CLIENTS, LIVE, SEARCH, TEST_DETAILS, TEST_ERRORS, UNIT_INDEXES } from './007-to-012'
import { ORGANISATIONS, POSTGRES_ORGANISATIONS } from './013-organisations'
import { OBJECT_NAMES, POSTGRES_OBJECT_NAMES } from './014-object-names'
import { POSTGRES_REVISION_NUMBERS } from './015-revision-numbers'
import { OUTSIDE_LIMITS } from './016-outside-limits'
import { EXECUTIONS } from './017-executions'
import type { Migration } from './migration'
import { POSTGRES_TABLES } from './postgres-001'

/** Of both databases, after those that each has of its own. Views and collations PostgreSQL gets with each of them. */
const SHARED: readonly Migration[] = [OUTSIDE_LIMITS, EXECUTIONS]

/**
 * Of SQLite, in order; one that was released is never changed, only followed by another of `SHARED`. But for the views: the last one
 * that changes their tables makes them anew, whatever they were.
 */
export const MIGRATIONS: readonly Migration[] = [
  ACCESS,
  RUNS,
  ATTACHMENTS,
  INTERFACE,
  SIGN_IN_CODES,
  SCALE,
  SEARCH,
  CLIENTS,
  LIVE,
  TEST_ERRORS,
  UNIT_INDEXES,
  TEST_DETAILS,
  ORGANISATIONS,
  OBJECT_NAMES,
  ...SHARED,
]

export const POSTGRES_MIGRATIONS: readonly Migration[] = [
  POSTGRES_TABLES,
  POSTGRES_ORGANISATIONS,
  POSTGRES_OBJECT_NAMES,
  POSTGRES_REVISION_NUMBERS,
  ...SHARED,
]
