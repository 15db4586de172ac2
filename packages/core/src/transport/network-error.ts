import { describeError, NetworkError } from '../model/errors'
import { withoutQuery } from '../util/without-query'
import type { TransportRequest } from './transport'

/**
 * Why a request got no answer; `isCut`: its own time limit or the deadline was reached; `wasSent`: something of it may
 * have reached the service.
 */
export function toNetworkError(
  error: unknown,
  request: TransportRequest,
  { isCut, wasSent }: { isCut: boolean; wasSent: boolean },
): NetworkError {
  const { method, url, timeoutMs } = request
  const cut = request.signal.aborted ? 'the deadline was reached' : `none within ${timeoutMs} ms`
  const cause = isCut ? cut : describeCause(error)
  return new NetworkError(`no answer from ${method} ${withoutQuery(url)}: ${cause}`, {
    cause: error,
    wasSent,
  })
}

// A refused connection to a name with several addresses is an AggregateError with an empty message.
function describeCause(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  const message = describeError(error)
  return code === undefined || message.includes(code) ? message : `${code} ${message}`
}
