/** The strict path of run creation (docs/interface.md#run-creation-in-v1). */
export const CREATE_RUN_PATH = '/v1/runs/create'

/** Request header: a repeated creation gets the first response again (docs/interface.md#idempotent-creation). */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key'

/** Request header with a fresh random number. The service answers it with a proof of its identity (`proofText`). */
export const CHALLENGE_HEADER = 'runledger-challenge'
/** HMAC-SHA-256 of `proofText` with the `service_secret` of local credentials, in hexadecimal. */
export const PROOF_HEADER = 'runledger-proof'

/** Contains the address, so that a proof for one address is worthless at another. */
export function proofText(challenge: string, url: string): string {
  return `${challenge} ${url}`
}

export const SESSION_PATH = '/session'
/** A browser that opens it is sent to the sign-in provider, which sends it back to the second. */
export const PROVIDER_SIGN_IN_PATH = '/session/provider'
export const PROVIDER_CALLBACK_PATH = '/session/provider/callback'
/** Request header that a change needs beside the cookie of a session (docs/interface.md#sessions). */
export const SESSION_TOKEN_HEADER = 'runledger-session-token'

/** Where `serve` writes how to reach it, and where a reporter looks for it, upward from the project root. */
export const CREDENTIALS_FILE = 'credentials.json'
export const DATA_FOLDER = '.runledger'
export const DEFAULT_PORT = 7357
