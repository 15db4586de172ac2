import {
  PROVIDER_SIGN_IN_PATH,
  SESSION_PATH,
  type SignedIn,
  type SignedOut,
  type SignInRequest,
} from '@runledger/protocol'
import { queryOptions } from '@tanstack/react-query'
import { isSignInNeeded } from './api-error'
import { readJson } from './client'
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

/**
 * The cookie is void from now on. Succeeds also if the session has ended already. Returns where the browser ends its session at the
 * sign-in provider, if it has one.
 */
export async function signOut(): Promise<string | undefined> {
  const answer = await readJson({ method: 'DELETE', path: SESSION_PATH }).catch((error: unknown) => {
    if (!isSignInNeeded(error)) throw error
    return {}
  })
  keepSessionToken(undefined)
  return (answer as Partial<SignedOut>).continue_at
}

/** What the service calls the provider by whose accounts people sign in; undefined without one. */
export function readSignInProvider(): string | undefined {
  return document.documentElement.dataset.signInProvider
}

/** Where the browser goes to sign in there, and then on to `next`. */
export function providerSignInAddress(next: string | undefined): string {
  return next === undefined
    ? PROVIDER_SIGN_IN_PATH
    : `${PROVIDER_SIGN_IN_PATH}?${new URLSearchParams({ next })}`
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
