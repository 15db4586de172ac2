const NAME = 'runledger-session-token'

/** The token of the session, which a change needs beside the cookie. Storage keeps it for this origin, so other ports cannot read it. */
export function readSessionToken(): string | undefined {
  return localStorage.getItem(NAME) ?? undefined
}

/** Undefined removes it. */
export function keepSessionToken(token: string | undefined): void {
  if (token === undefined) localStorage.removeItem(NAME)
  else localStorage.setItem(NAME, token)
}
