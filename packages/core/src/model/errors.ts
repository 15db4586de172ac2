import { messageOf } from '../util/print-warning'

/** Messages contain no key and no signed query. */
export abstract class UploadError extends Error {
  abstract readonly code: string
}

/** The message names the option or variable, its value and the fix. */
export class ConfigError extends UploadError {
  override name = 'ConfigError'
  readonly code = 'CONFIG_ERROR'
}

/** The listener did not prove that it is the service of the local credentials. */
export class UnprovenError extends Error {
  override name = 'UnprovenError'

  constructor(url: string) {
    super(`whoever listens at ${url} does not prove to be the service of the local credentials`)
  }
}

/** No response: refused, reset, timed out, or past the deadline. */
export class NetworkError extends UploadError {
  override name = 'NetworkError'
  readonly code = 'NETWORK_ERROR'

  /** `wasSent`: the request may have reached the service, so it may have been done. */
  constructor(
    message: string,
    readonly wasSent: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }

  /** A retry cannot help soon: no service listens, the host has no address, or its certificate is rejected. */
  get isLasting(): boolean {
    if (this.cause instanceof UnprovenError) return true
    const { code = '', address, errors = [] } = (this.cause ?? {}) as ConnectError
    if (code !== 'ECONNREFUSED') return !this.wasSent && LASTING.test(code)
    return [address, ...errors.map((each) => each.address)].some((each) => /^(?:127\.|::1$)/.test(each ?? ''))
  }
}

type ConnectError = NodeJS.ErrnoException & { address?: string; errors?: { address?: string }[] }

const LASTING = /^(?:ENOTFOUND$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT|ERR_SSL_WRONG_VERSION)/

export class ApiError extends UploadError {
  override name = 'ApiError'
  readonly code = 'API_ERROR'

  constructor(
    message: string,
    readonly statusCode: number,
    private readonly said: { message?: string | undefined; code?: string | undefined } = {},
  ) {
    super(message)
  }

  get reason(): string | undefined {
    return this.said.message
  }

  /** The error code of the service; undefined if something else responded, such as a proxy. */
  get serviceCode(): string | undefined {
    return this.said.code
  }
}

/** One attachment could not be read or sent; its run continues without it. */
export class AttachmentError extends UploadError {
  override name = 'AttachmentError'
  readonly code = 'ATTACHMENT_ERROR'
}

const MAX_MESSAGE_LENGTH = 500
const MAX_NAMED_ISSUES = 3

export function describeError(error: unknown): string {
  return messageOf(error).replace(/\s+/g, ' ').trim()
}

export function describeIssues(issues: readonly { path: readonly PropertyKey[]; message: string }[]): string {
  const named = issues
    .slice(0, MAX_NAMED_ISSUES)
    .map(({ path, message }) => [namePlace(path, message), message].filter(Boolean).join(': '))
  const rest = issues.length - named.length
  return `${cutMessage(named.join('; '))}${rest > 0 ? `, and ${rest} more` : ''}`
}

// Our service's messages begin with the field's name.
function namePlace(path: readonly PropertyKey[], message: string): string {
  const place = path.map(String).join('.')
  return message.startsWith(`${place.replaceAll('_', ' ')} `) ? '' : place
}

export function cutMessage(message: string): string {
  return message.length <= MAX_MESSAGE_LENGTH ? message : `${message.slice(0, MAX_MESSAGE_LENGTH)}…`
}

/** Advice about a failed delivery, naming the option or the credentials file; empty if there is none. */
export function explainFailure(error: unknown, credentialsFile?: string): string {
  if (error instanceof NetworkError) return explainNoResponse(error)
  if (!(error instanceof ApiError)) return ''
  if (error.statusCode === 401 && credentialsFile)
    return `the key is that of ${credentialsFile}: start runledger serve there again`
  if (error.statusCode === 401) return 'check apiKey (RUNLEDGER_API_KEY): it is wrong, expired or revoked'
  if (error.statusCode < 300) return 'check url (RUNLEDGER_URL)'
  if (isAboutProcedure(error)) return 'check procedureId (RUNLEDGER_PROCEDURE_ID)'
  if (error.statusCode >= 300 && error.statusCode < 400) return 'it is moved: check url (RUNLEDGER_URL)'
  if (error.statusCode === 403) return 'check what apiKey (RUNLEDGER_API_KEY) may do'
  if (error.statusCode === 413)
    return 'lower maxAttachmentBytes (RUNLEDGER_MAX_ATTACHMENT_BYTES), or raise the limit of the service'
  if (error.statusCode === 404) return 'check url (RUNLEDGER_URL) and createPath (RUNLEDGER_CREATE_PATH)'
  return ''
}

function explainNoResponse({ cause }: NetworkError): string {
  if (cause instanceof UnprovenError)
    return 'another program may listen in its place: start runledger serve there again'
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? ''
  if (/ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA)|HANDSHAKE_FAILURE/.test(code))
    return 'the service wants a client certificate: check clientCertFile (RUNLEDGER_CLIENT_CERT_FILE)'
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/.test(code))
    return 'it does not speak TLS: check url (RUNLEDGER_URL), which may have to begin with http://'
  if (/SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)/.test(code))
    return 'set caFile (RUNLEDGER_CA_FILE) to the authority that the service uses'
  if (/ECONNRESET|^HPE_/.test(code))
    return 'check url (RUNLEDGER_URL): if the service speaks TLS, it begins with https://'
  return 'check url (RUNLEDGER_URL) and that the service runs'
}

// Advice only: no verdict depends on these words.
function isAboutProcedure({ statusCode, reason = '' }: ApiError): boolean {
  const isRefused = statusCode === 404 || statusCode === 403
  return isRefused && /procedure/i.test(reason)
}

/** The spool's folder cannot be written: a full disk, a read-only or missing folder. */
export class SpoolError extends Error {
  override name = 'SpoolError'
}

/** An execution's folder has no readable log; the message says why. */
export class CorruptLogError extends Error {
  override name = 'CorruptLogError'
}

export function toSpoolError(error: unknown): SpoolError {
  return error instanceof SpoolError ? error : new SpoolError(describeError(error), { cause: error })
}
