import { AnyErrorSchema } from '@runledger/protocol'
import { MASK } from '@runledger/redact'
import type * as z from 'zod'
import { ApiError, ConfigError, cutMessage, describeIssues } from '../model/errors'
import { SHORTEST_KEY } from '../redact/redactor'
import type { QueuedRequest } from '../transport/connection'
import type { TransportRequest, TransportResponse } from '../transport/transport'
import { parseJson, withoutQuery } from '../util/text'

export type Response = TransportResponse & { kind: 'response' }
type NamedRequest = Pick<TransportRequest, 'method' | 'url'>

export interface JsonContent extends Pick<QueuedRequest, 'body'> {
  headers?: Record<string, string> | undefined
}

export function createJsonRequest(
  { url, apiKey }: { url: string; apiKey: string },
  { method, path, body, headers }: JsonContent & { method: QueuedRequest['method']; path: string },
): Pick<QueuedRequest, 'method' | 'url' | 'headers' | 'body'> {
  return {
    method,
    url: joinUrl(url, path),
    headers: {
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body,
  }
}

/** @throws ConfigError if the path leads to another service, because the key goes with it */
export function joinUrl(base: string, path: string): string {
  const url = base.replace(/\/+$/, '') + path
  if (URL.canParse(url) && new URL(url).origin === new URL(base).origin) return url
  throw new ConfigError(`the path ${path} leads away from ${withoutQuery(base)}`)
}

/** @throws NetworkError, AttachmentError, ApiError for a status other than 2xx */
export function expectSuccess(request: NamedRequest, response: TransportResponse, apiKey: string): Response {
  if (response.kind !== 'response') throw response.error
  if (response.statusCode >= 200 && response.statusCode <= 299) return response
  throw toApiError(request, { ...response, body: hideKey(response.body, apiKey) })
}

/** @throws ApiError for a response that is not of the interface */
export function parseResponse<Schema extends z.ZodType>(
  schema: Schema,
  request: NamedRequest,
  { statusCode, body }: Response,
): z.output<Schema> {
  const found = parseJson(body)
  const parsed = schema.safeParse(found)
  if (parsed.success) return parsed.data
  const problem = found === undefined ? nameContent(body) : describeIssues(parsed.error.issues)
  throw new ApiError(
    `${nameRequest(request)} answered ${statusCode} with something else than its interface says: ${problem}`,
    statusCode,
  )
}

/** A service may repeat the key that it rejected. */
export function hideKey(body: string, apiKey: string): string {
  return apiKey.length < SHORTEST_KEY ? body : body.replaceAll(apiKey, MASK)
}

export function toApiError(
  request: NamedRequest,
  { statusCode, body }: Pick<Response, 'statusCode' | 'body'>,
): ApiError {
  const problem = AnyErrorSchema.safeParse(parseJson(body)).data
  const said = problem
    ? cutMessage(problem.message)
    : isPage(body)
      ? nameContent(body)
      : readTextRefusal(body, statusCode)
  const words = [said, describeIssues(problem?.issues ?? [])].filter(Boolean)
  const message = [`${nameRequest(request)} answered ${statusCode}`, words.join(' - ')].filter(Boolean)
  return new ApiError(message.join(': '), statusCode, problem)
}

/** Errors of text pages are text: `404: The run … was not found.`, then advice. */
function readTextRefusal(body: string, statusCode: number): string {
  const start = `${statusCode}: `
  return body.startsWith(start) ? cutMessage(body.slice(start.length).split('\n', 1)[0] ?? '') : ''
}

function isPage(body: string): boolean {
  return /^\s*<(?:!doctype|html|head|body)\b/i.test(body)
}

function nameContent(body: string): string {
  return isPage(body) ? 'a web page, not the service' : 'no JSON'
}

function nameRequest({ method, url }: NamedRequest): string {
  return `${method} ${withoutQuery(url)}`
}
