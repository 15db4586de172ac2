import { HttpError } from '../../base/errors'

export function readTimeoutError(limitMs: number): HttpError {
  const message = `Reading this took longer than ${limitMs / 1000} s, so it was stopped. Ask for less, or again when the service has less to do.`
  return new HttpError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 10 })
}

/** No client receives it. */
export function clientGoneError(): HttpError {
  return new HttpError('BAD_REQUEST', 'The request broke off before its end.')
}

export function shutdownError(): HttpError {
  return new HttpError('SERVICE_UNAVAILABLE', 'The service is shutting down.', { retryAfterSeconds: 5 })
}

export function overloadedError(): HttpError {
  const message = 'Too many requests wait for the database already. Ask again in a moment.'
  return new HttpError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5 })
}

export function writeTimeoutError(limitMs: number): HttpError {
  const message = `Storing this took longer than ${limitMs / 1000} s, so nothing of it was stored. Send it again.`
  return new HttpError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5 })
}

export function endedTransactionError(): Error {
  return new Error('A transaction was used after its end.')
}
