import { ERROR_STATUS, type ErrorCode, type ErrorIssue, VALIDATION_FAILED_MESSAGE } from '@runledger/protocol'

export interface HttpErrorDetail {
  /** Each message says what the field must be, in words that follow its name. */
  issues?: ErrorIssue[]
  /** Seconds after which the same request may succeed, sent as `Retry-After`. */
  retryAfterSeconds?: number
  cause?: unknown
}

/** An operation throws it to answer with an error record (docs/interface.md#errors). */
export class HttpError extends Error {
  override name = 'HttpError'
  readonly code: ErrorCode
  /** Each message begins with its field's name, because clients show it without its path. */
  readonly issues: ErrorIssue[]
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, detail: HttpErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause })
    this.code = code
    this.issues = (detail.issues ?? []).map(beginWithField)
    this.retryAfterSeconds = detail.retryAfterSeconds
  }

  get statusCode(): number {
    return ERROR_STATUS[this.code]
  }
}

// An entry of a list goes by the list's name: `steps.3` is "steps", and `steps.3.started_at` is "started at".
function beginWithField({ path, message }: ErrorIssue): ErrorIssue {
  const field = path.findLast((part) => typeof part === 'string') ?? 'request'
  return { path, message: `${String(field).replaceAll('_', ' ')} ${message}` }
}

/** Clients recognise NOT_FOUND by this wording. */
export function notFound(what: string, fix = ''): HttpError {
  return new HttpError('NOT_FOUND', `The ${what} was not found.${fix === '' ? '' : ` ${fix}`}`)
}

export function failedValidation(issues: ErrorIssue[]): HttpError {
  return new HttpError('BAD_REQUEST', VALIDATION_FAILED_MESSAGE, { issues })
}

/** BAD_REQUEST for a missing field or a malformed id, which is checked before access. */
export class MalformedError extends HttpError {
  constructor(issues: ErrorIssue[]) {
    super('BAD_REQUEST', VALIDATION_FAILED_MESSAGE, { issues })
  }
}

/** The message names the setting and the fix. */
export class StartError extends Error {
  override name = 'StartError'
  readonly code: string = 'START_ERROR'
}

export class SettingError extends StartError {
  override name = 'SettingError'
  override readonly code = 'SETTING_ERROR'
}
