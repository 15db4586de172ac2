import { createHash, randomBytes } from 'node:crypto'

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
