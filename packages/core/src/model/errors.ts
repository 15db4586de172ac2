import type { AnyError } from '@runledger/protocol'
import { messageOf } from '../util/tell-user'

/** Base of everything that can go wrong between a suite and its record. Messages hold no key and no signed query. */
export abstract class UploadError extends Error {
  abstract readonly code: string
}

/** An option or environment variable has a value that cannot be used; the message names it and the fix. */
export class ConfigError extends UploadError {
  override name = 'ConfigError'
  readonly code = 'CONFIG_ERROR'
}

/** The service gave no answer: refused, reset, timed out, or the deadline came first. */
export class NetworkError extends UploadError {
  override name = 'NetworkError'
  readonly code = 'NETWORK_ERROR'

  /** `wasSent`: the request may have reached the service, so that nothing tells whether it was done. */
  constructor(message: string, { cause, wasSent }: { cause?: unknown; wasSent: boolean }) {
    super(message, { cause })
    this.wasSent = wasSent
  }

  readonly wasSent: boolean
}

/** The service answered, but not with success, or with something that is no answer of its interface. */
export class ApiError extends UploadError {
  override name = 'ApiError'
  readonly code = 'API_ERROR'

  constructor(
    message: string,
    readonly statusCode: number,
    readonly problem?: AnyError,
  ) {
    super(message)
  }
}

/** One attachment could not be read or sent; its run goes on without it. */
export class AttachmentError extends UploadError {
  override name = 'AttachmentError'
  readonly code = 'ATTACHMENT_ERROR'
}

const MAX_MESSAGE_LENGTH = 500
const MAX_NAMED_ISSUES = 3

/** The message of whatever was thrown, on one line. */
export function describeError(error: unknown): string {
  return messageOf(error).replace(/\s+/g, ' ').trim()
}

/** The first few things that are wrong with a record, each with its field. */
export function describeIssues(issues: readonly { path: readonly PropertyKey[]; message: string }[]): string {
  const named = issues
    .slice(0, MAX_NAMED_ISSUES)
    .map(({ path, message }) => [path.map(String).join('.'), message].filter(Boolean).join(': '))
  const rest = issues.length - named.length
  return `${cutMessage(named.join('; '))}${rest > 0 ? `, and ${rest} more` : ''}`
}

/** A message of someone else's, cut to what a line can take. */
export function cutMessage(message: string): string {
  return message.length <= MAX_MESSAGE_LENGTH ? message : `${message.slice(0, MAX_MESSAGE_LENGTH)}…`
}
