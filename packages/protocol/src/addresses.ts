/** The path of run creation that the specification names (4.1). */
export const CREATE_RUN_PATH = '/v1/runs/create'

/** The path of run creation that clients in the field call; same handler, lenient (contract decisions, v1). */
export const LENIENT_CREATE_RUN_PATH = '/v1/runs'

/** Request header that makes a repeated creation answer the first answer again (contract decisions, additions). */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key'

export const RUNS_PATH = '/v2/runs'
export const PROCEDURES_PATH = '/v2/procedures'
export const ATTACHMENTS_PATH = '/v2/attachments'
export const V1_INITIALIZE_UPLOAD_PATH = '/v1/uploads/initialize'
export const V1_SYNC_UPLOAD_PATH = '/v1/uploads/sync'
export const SESSION_PATH = '/session'

/** Where `serve` writes how to reach it, and where a reporter looks for it, upward from the project root. */
export const CREDENTIALS_FILE = 'credentials.json'
export const DATA_FOLDER = '.runledger'
export const DEFAULT_PORT = 7357
