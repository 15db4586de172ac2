import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** What a sign-in provider issued for one account. */
export interface ProviderTokens {
  issuer: string
  subject: string
  accessToken: string
  refreshToken: string | undefined
  idToken: string | undefined
}

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts with the secret of a session or a sign-in code. The database has only hashes of these, so neither it nor a backup opens the
 * tokens.
 */
export function sealTokens(secret: string, tokens: ProviderTokens): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, deriveKey(secret), iv)
  const sealed = Buffer.concat([cipher.update(JSON.stringify(tokens), 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** @throws Error for another secret, or changed text */
export function openTokens(secret: string, sealedTokens: string): ProviderTokens {
  const bytes = Buffer.from(sealedTokens, 'base64url')
  const decipher = createDecipheriv(CIPHER, deriveKey(secret), bytes.subarray(0, IV_BYTES))
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
  return JSON.parse(text.toString('utf8')) as ProviderTokens
}

function deriveKey(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'tokens of a sign-in provider', 32))
}
