import { ApiError, AttachmentError, NetworkError } from '../model/errors'
import { mayHaveBeenDone } from '../transport/retry-delay'

const REFUSALS = new Set([400, 401, 403, 404, 409, 413, 415, 422])

/** The answer that refused a request for good: the same will not be taken until something is mended. */
export function findRefusal(error: unknown): ApiError | undefined {
  const cause = error instanceof AttachmentError ? error.cause : error
  return cause instanceof ApiError && REFUSALS.has(cause.statusCode) ? cause : undefined
}

/** True when nothing tells whether the service has done what it was asked. */
export function isAmbiguous(error: unknown): boolean {
  if (error instanceof NetworkError) return error.wasSent
  return error instanceof ApiError && mayHaveBeenDone(error.statusCode)
}
