/** The path of run creation that the specification names (4.1). */
export const CREATE_RUN_PATH = '/v1/runs/create'

/** Request header that makes a repeated creation answer the first response again (contract decisions, additions). */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key'

export const SESSION_PATH = '/session'

/** Where `serve` writes how to reach it, and where a reporter looks for it, upward from the project root. */
export const CREDENTIALS_FILE = 'credentials.json'
export const DATA_FOLDER = '.runledger'
export const DEFAULT_PORT = 7357
