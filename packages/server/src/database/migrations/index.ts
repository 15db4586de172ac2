import type { Migration } from './migration'
import { ACCESS, ATTACHMENTS, RUNS } from './001-to-003'
import { INTERFACE, SIGN_IN_CODES } from './004-to-005'
import { SCALE } from './006-scale'
import { CLIENTS, LIVE, SEARCH, TEST_DETAILS, TEST_ERRORS, UNIT_INDEXES } from './007-to-012'

/** In order; one that was released is never changed, only followed by another. */
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
]
