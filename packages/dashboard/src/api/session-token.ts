const NAME = 'runledger-session-token'

/** Where a browser forbids storage, the token lasts as long as the page. */
let ofPage: string | undefined

/** The token of the session, which a change needs beside the cookie. Storage keeps it for this origin, so other ports cannot read it. */
export function readSessionToken(): string | undefined {
  return ofPage ?? inStorage((storage) => storage.getItem(NAME)) ?? undefined
}

/** Undefined removes it. */
export function keepSessionToken(token: string | undefined): void {
  ofPage = token
  inStorage((storage) => (token === undefined ? storage.removeItem(NAME) : storage.setItem(NAME, token)))
}

/** Calls back when another tab of the browser signs in or out: this page shows what the former session read. */
export function watchSessionToken(onChange: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === NAME) onChange()
  })
}

function inStorage<Result>(use: (storage: Storage) => Result): Result | undefined {
  try {
    return use(localStorage)
  } catch {
    return undefined
  }
}
