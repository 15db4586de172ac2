import { createHash, randomBytes } from 'node:crypto'
import type { ApiKeysTable } from '../database/schema/index'

const SECRET_BYTES = 32

/** 32 random bytes as base64url behind a readable prefix. */
export function createSecret(prefix: string): string {
  return `${prefix}${randomBytes(SECRET_BYTES).toString('base64url')}`
}

const SECRET_TEXT = /^[\w-]{43}$/

/** Tells whether a text can be a secret that `createSecret` made with this prefix. */
export function isSecret(text: string | undefined, prefix: string): text is string {
  return text !== undefined && text.startsWith(prefix) && SECRET_TEXT.test(text.slice(prefix.length))
}

/** SHA-256 as base64url: all that is stored of a key, a session or a code. They are random enough to need no salt. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

export const KEY_PREFIX = { user: 'rl_user_', station: 'rl_station_' } as const

/** A fresh secret, and what is stored of it. */
export interface FreshSecret {
  secret: string
  stored: Pick<ApiKeysTable, 'hash' | 'hint'>
}

export function createKeySecret(kind: ApiKeysTable['kind']): FreshSecret {
  const secret = createSecret(KEY_PREFIX[kind])
  return { secret, stored: { hash: hashSecret(secret), hint: `${KEY_PREFIX[kind]}…${secret.slice(-4)}` } }
}
