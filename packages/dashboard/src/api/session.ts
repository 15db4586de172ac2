import { SESSION_PATH, type SignedIn, type SignInRequest } from '@runledger/protocol'
import { queryOptions } from '@tanstack/react-query'
import { isSignInNeeded } from './api-error'
import { readJson, sendOnly } from './client'
import { service } from './service'
import { queryKeys } from './query-keys'
import { keepSessionToken } from './session-token'

const exchanges = new Map<string, Promise<void>>()

/** Signs in with an API key. Throws ApiError when the service refuses it. */
export function signInWithKey(key: string): Promise<void> {
  return signIn({ key })
}

/**
 * Signs in with the one-time code of a link. A second call with the same code waits for the first: a code
 * works once, and React may run an effect twice.
 */
export function signInWithCode(code: string): Promise<void> {
  const known = exchanges.get(code)
  if (known) return known
  const exchange = signIn({ code }).finally(() => exchanges.delete(code))
  exchanges.set(code, exchange)
  return exchange
}

async function signIn(request: SignInRequest): Promise<void> {
  const answer = await readJson({ method: 'POST', path: SESSION_PATH, body: request })
  keepSessionToken((answer as SignedIn).token)
}

/** The cookie is void from now on. Succeeds also if the session has ended already. */
export async function signOut(): Promise<void> {
  await sendOnly({ method: 'DELETE', path: SESSION_PATH }).catch((error: unknown) => {
    if (!isSignInNeeded(error)) throw error
  })
  keepSessionToken(undefined)
}

/** Who is signed in, with the role of the session; null without a session, where anyone may view. */
export const currentUserQuery = queryOptions({
  queryKey: queryKeys.currentUser(),
  queryFn: async ({ signal }) => {
    const [user] = await service.listUsers({ query: { current: true } }, { signal })
    return user ?? null
  },
  staleTime: Infinity,
})

/** Whether the page is viewed without a session. Asks only a service that says in its pages that anyone may view. */
export const isAnonymousQuery = queryOptions({
  ...currentUserQuery,
  select: (user) => user === null,
  enabled: 'anonymousViewing' in document.documentElement.dataset,
})
