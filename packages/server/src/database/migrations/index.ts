import { ACCESS } from './001-access'
import { RUNS } from './002-runs'
import { ATTACHMENTS } from './003-attachments'
import { INTERFACE } from './004-interface'
import { SIGN_IN_CODES } from './005-sign-in-codes'
import { SCALE } from './006-scale'
import { SEARCH } from './007-search'
import { CLIENTS } from './008-clients'
import type { Migration } from './migration'

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
]
