import { SESSION_PATH, type SignInRequest } from '@runledger/protocol'
import { isSignInNeeded } from './api-error'
import { sendOnly } from './client'

const exchanges = new Map<string, Promise<void>>()

/** Signs in with an API key. Throws ApiError when the service refuses it. */
export async function signInWithKey(key: string): Promise<void> {
  const request: SignInRequest = { key }
  await sendOnly({ method: 'POST', path: SESSION_PATH, body: request })
}

/**
 * Signs in with the one-time code of a link. A second call with the same code waits for the first: a code
 * works once, and React may run an effect twice.
 */
export function signInWithCode(code: string): Promise<void> {
  const request: SignInRequest = { code }
  const known = exchanges.get(code)
  if (known) return known
  const exchange = sendOnly({ method: 'POST', path: SESSION_PATH, body: request }).finally(() =>
    exchanges.delete(code),
  )
  exchanges.set(code, exchange)
  return exchange
}

/** The cookie is void from now on. Succeeds also if the session has ended already. */
export async function signOut(): Promise<void> {
  await sendOnly({ method: 'DELETE', path: SESSION_PATH }).catch((error: unknown) => {
    if (!isSignInNeeded(error)) throw error
  })
}
