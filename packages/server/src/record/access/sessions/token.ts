import { createHmac, timingSafeEqual } from 'node:crypto'

/** The token that allows changes with a session; `sessionHash` is the stored hash of its secret. */
export function createSessionToken(sessionKey: string, sessionHash: string): string {
  return createHmac('sha256', sessionKey).update(sessionHash).digest('base64url')
}

export function isSessionToken(sessionKey: string, sessionHash: string, sent: unknown): boolean {
  if (typeof sent !== 'string') return false
  const expected = Buffer.from(createSessionToken(sessionKey, sessionHash))
  const received = Buffer.from(sent)
  return received.length === expected.length && timingSafeEqual(received, expected)
}
