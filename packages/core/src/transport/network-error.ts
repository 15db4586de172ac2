import { describeError, NetworkError } from '../errors'
import { withoutQuery } from '../redact/without-query'
import type { TransportRequest } from './transport'

/** Why a request got no answer; `isCut`: its own time limit or the deadline was reached. */
export function toNetworkError(error: unknown, request: TransportRequest, isCut: boolean): NetworkError {
  const { method, url, timeoutMs } = request
  const cut = request.signal.aborted ? 'the deadline was reached' : `none within ${timeoutMs} ms`
  const cause = isCut ? cut : describeCause(error)
  const wasSent = isCut || !isBeforeSending(error)
  return new NetworkError(`no answer from ${method} ${withoutQuery(url)}: ${cause}`, {
    cause: error,
    wasSent,
  })
}

const UNSENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|CERT_.*|.*_CERT.*|UNABLE_TO_.*|ERR_SSL_.*|EPROTO|UND_ERR_INVALID_ARG|ERR_INVALID_.*|ERR_UNESCAPED_CHARACTERS)$/

/** No connection was made, or the request itself is none, so that the service cannot have seen the request. */
function isBeforeSending(error: unknown): boolean {
  return UNSENT.test((error as NodeJS.ErrnoException | undefined)?.code ?? '')
}

// A refused connection to a name with several addresses is an AggregateError with an empty message.
function describeCause(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  const message = describeError(error)
  return code === undefined || message.includes(code) ? message : `${code} ${message}`
}
