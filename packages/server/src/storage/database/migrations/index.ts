import { INITIAL, POSTGRES_INITIAL } from './001-initial'
import { HISTORY } from './002-history'
import { LINE } from './003-line'
import { SHARDS } from './004-shards'
import { ROLES } from './005-roles'
import { QUARANTINE } from './006-quarantine'
import { PROJECT_KEYS } from './007-project-keys'
import { WEBHOOKS } from './008-webhooks'
import { AUDIT, POSTGRES_AUDIT } from './009-audit'
import { SIGN_IN_PROVIDER } from './010-sign-in-provider'
import type { Migration } from './migration'

const SHARED: readonly Migration[] = [HISTORY, LINE, SHARDS, ROLES, QUARANTINE, PROJECT_KEYS, WEBHOOKS]

export const MIGRATIONS: readonly Migration[] = [INITIAL, ...SHARED, AUDIT, SIGN_IN_PROVIDER]

export const POSTGRES_MIGRATIONS: readonly Migration[] = [
  POSTGRES_INITIAL,
  ...SHARED,
  POSTGRES_AUDIT,
  SIGN_IN_PROVIDER,
]
