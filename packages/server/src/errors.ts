import { ERROR_STATUS, type ErrorCode, type ErrorIssue, VALIDATION_FAILED_MESSAGE } from '@runledger/protocol'

export interface HttpErrorDetail {
  issues?: ErrorIssue[]
  /** Seconds after which the same request may succeed, sent as `Retry-After`. */
  retryAfterSeconds?: number
  cause?: unknown
}

/** What an operation throws to answer with an error record; the status follows from the code (contract decisions, Errors). */
export class HttpError extends Error {
  override name = 'HttpError'
  readonly code: ErrorCode
  readonly issues: ErrorIssue[]
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, detail: HttpErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause })
    this.code = code
    this.issues = detail.issues ?? []
    this.retryAfterSeconds = detail.retryAfterSeconds
  }

  get statusCode(): number {
    return ERROR_STATUS[this.code]
  }
}

/** BAD_REQUEST with one issue for each thing that is wrong with the input. */
export function failedValidation(issues: ErrorIssue[]): HttpError {
  return new HttpError('BAD_REQUEST', VALIDATION_FAILED_MESSAGE, { issues })
}

/** The service cannot start as it was told to; the message names the setting and the fix. */
export class StartError extends Error {
  override name = 'StartError'
  readonly code: string = 'START_ERROR'
}

/** A flag or variable has a value that makes no sense. */
export class SettingError extends StartError {
  override name = 'SettingError'
  override readonly code = 'SETTING_ERROR'
}
