import { createHash, randomBytes } from 'node:crypto'

const SECRET_BYTES = 32

/** 32 random bytes as base64url behind a readable prefix. */
export function createSecret(prefix: string): string {
  return `${prefix}${randomBytes(SECRET_BYTES).toString('base64url')}`
}

/** SHA-256 as base64url: all that is stored of a key, a session or a code. They are random enough to need no salt. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}
