import {
  createRequest,
  IDEMPOTENCY_KEY_HEADER,
  OPERATION_ROUTES,
  type CreateRunAnswer,
  type InitializeAttachmentAnswer,
  type TakenAttachment,
} from '@runledger/protocol'
import type { Answers } from './answer-schemas'
import { ApiError, cutMessage, describeIssues } from '../model/errors'
import { MASK } from '../redact/masker'
import { withoutQuery } from '../util/without-query'
import { isWorthRetrying } from '../transport/retry-delay'
import type { ServicePaths } from './deliverable-run'
import { parseJson } from '../util/parse-json'
import type { BoundedRequest, BoundedTransport } from '../transport/bounded-transport'
import type { RequestBody, TransportResponse } from '../transport/transport'

export interface ServiceAddress extends ServicePaths {
  url: string
  apiKey: string
}

const NO_ANSWER = {
  message: undefined,
  warnings: undefined,
  group_url: undefined,
  inline_attachments: undefined,
}

const SHORTEST_KEY = 8

type Answer = TransportResponse & { kind: 'answer' }

export interface RequestLimits {
  requestTimeoutMs: number
  /** The same for a file's bytes. */
  transferTimeoutMs: number
  /** The deadline of everything. */
  signal: AbortSignal
  /** The deadline of attachments, a little earlier: those that were sent are then linked. */
  transferSignal: AbortSignal
}

/** The operations of the interface that a reporter needs, each one request. All throw NetworkError or ApiError. */
export class ServiceClient {
  constructor(
    private readonly transport: BoundedTransport,
    private readonly address: ServiceAddress,
    private readonly limits: RequestLimits,
  ) {}

  /** The same service by other paths. */
  at(paths: ServicePaths): ServiceClient {
    return new ServiceClient(this.transport, { ...this.address, ...paths }, this.limits)
  }

  /** `makeRequest` gives a CreateRunRequest as JSON when its turn has come. */
  async createRun(makeRequest: () => Promise<RequestBody>, idempotencyKey: string): Promise<CreateRunAnswer> {
    const headers = { [IDEMPOTENCY_KEY_HEADER]: idempotencyKey }
    const sent = {
      ...this.#jsonRequest('POST', this.address.createPath, { body: makeRequest, headers }),
      isUnsafeToRepeat: true,
    }
    return readAnswer('createRun', sent, await this.#send(sent))
  }

  /**
   * Looks for a run by its report variable `submission_id`. Undefined when there is none, and also when the service
   * cannot be asked in this way. The answer's address is that of the run's record, since a list has no other.
   */
  async findRun(submissionId: string): Promise<CreateRunAnswer | undefined> {
    const query = { metadata: { submission_id: { in: [submissionId] } }, include_metadata: true, limit: 10 }
    const sent = this.#jsonRequest('GET', createRequest('listRuns', { query }).path, {})
    const answer = await this.#ask(sent)
    const { parseFoundRuns } = await import('./answer-schemas')
    // A service that does not know the filter answers any runs.
    const found = parseFoundRuns(answer && parseJson(answer.body)).find(
      (run) => run.metadata?.['submission_id'] === submissionId,
    )
    return (
      found && {
        ...NO_ANSWER,
        id: found.id,
        url: this.#base() + createRequest('getRun', { params: { id: found.id } }).path,
      }
    )
  }

  /** What is linked to a run; none where the service cannot be asked. */
  async findLinked(runId: string): Promise<TakenAttachment[]> {
    const { path } = createRequest('getRun', { params: { id: runId } })
    const answer = await this.#ask(this.#jsonRequest('GET', path, {}))
    const { parseLinked } = await import('./answer-schemas')
    return parseLinked(answer && parseJson(answer.body))
  }

  async initializeAttachment(name: string): Promise<InitializeAttachmentAnswer> {
    const sent = {
      ...this.#jsonRequest('POST', OPERATION_ROUTES.initializeAttachment.path, {
        body: JSON.stringify({ name }),
      }),
      signal: this.limits.transferSignal,
    }
    return readAnswer('initializeAttachment', sent, await this.#send(sent))
  }

  /** PUTs the bytes; the address is signed, so the key does not go with them. */
  async putAttachment(uploadUrl: string, body: RequestBody, contentType: string): Promise<void> {
    await this.#send({
      method: 'PUT',
      url: new URL(uploadUrl, this.address.url).href,
      headers: { 'content-type': contentType },
      body,
      timeoutMs: this.limits.transferTimeoutMs,
      signal: this.limits.transferSignal,
    })
  }

  async linkAttachments(runId: string, ids: readonly string[]): Promise<void> {
    const path = this.address.updatePath.replaceAll('{id}', encodeURIComponent(runId))
    await this.#send(this.#jsonRequest('PATCH', path, { body: JSON.stringify({ attachments: ids }) }))
  }

  #base(): string {
    return this.address.url.replace(/\/+$/, '')
  }

  /** Undefined when the service refuses to be asked. */
  async #ask(request: BoundedRequest): Promise<Answer | undefined> {
    try {
      return await this.#send(request)
    } catch (error) {
      if (error instanceof ApiError && error.statusCode < 500 && !isWorthRetrying(error.statusCode))
        return undefined
      throw error
    }
  }

  #jsonRequest(
    method: 'POST' | 'PATCH' | 'GET',
    path: string,
    { body, headers = {} }: Pick<BoundedRequest, 'body'> & { headers?: Record<string, string> },
  ): BoundedRequest {
    return {
      method,
      url: this.#base() + path,
      headers: {
        authorization: `Bearer ${this.address.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        accept: 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      timeoutMs: this.limits.requestTimeoutMs,
      signal: this.limits.signal,
    }
  }

  async #send(request: BoundedRequest): Promise<Answer> {
    const response = await this.transport.send(request)
    if (response.kind !== 'answer') throw response.error
    if (response.statusCode < 200 || response.statusCode > 299)
      throw await toApiError(request, { ...response, body: hideKey(response.body, this.address.apiKey) })
    return response
  }
}

/** What our own service answers is plain to see; for anything else the contract's schemas are asked. @throws ApiError */
async function readAnswer<Operation extends keyof Answers>(
  operation: Operation,
  request: BoundedRequest,
  { statusCode, body }: Answer,
): Promise<Answers[Operation]> {
  const found = parseJson(body)
  const plain = PLAIN_ANSWERS[operation](found as Partial<Record<string, unknown>> | null | undefined)
  if (plain) return plain
  const { parseAnswer } = await import('./answer-schemas')
  const parsed = parseAnswer(operation, found)
  if (!('problem' in parsed)) return parsed
  throw new ApiError(
    `${nameRequest(request)} answered ${statusCode} with something else than its interface says: ${parsed.problem}`,
    statusCode,
  )
}

type PlainAnswers = {
  [Operation in keyof Answers]: (
    found: Partial<Record<string, unknown>> | null | undefined,
  ) => Answers[Operation] | undefined
}

const PLAIN_ANSWERS: PlainAnswers = {
  createRun: (found) => {
    const { id, url, message, group_url, warnings, inline_attachments } = found ?? {}
    const isPlain =
      [id, url].every(isText) && [message, group_url].every((text) => text === undefined || isText(text))
    if (!isPlain) return undefined
    if (warnings !== undefined && !(Array.isArray(warnings) && warnings.every(isText))) return undefined
    if (inline_attachments !== undefined && !isTakenList(inline_attachments)) return undefined
    return { id, url, message, group_url, warnings, inline_attachments } as CreateRunAnswer
  },
  initializeAttachment: (found) => {
    const { id, upload_url } = found ?? {}
    return id && upload_url && isText(id) && isText(upload_url) ? { id, upload_url } : undefined
  },
}

function isTakenList(value: unknown): boolean {
  const isTaken = ({ id, name }: Partial<Record<string, unknown>>): boolean =>
    isText(name) && isText(id) && id !== ''
  return Array.isArray(value) && value.every((each) => typeof each === 'object' && each && isTaken(each))
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** A service may say which key it did not like. */
export function hideKey(body: string, apiKey: string): string {
  return apiKey.length < SHORTEST_KEY ? body : body.replaceAll(apiKey, MASK)
}

export async function toApiError(
  request: Pick<BoundedRequest, 'method' | 'url'>,
  { statusCode, body }: Answer,
): Promise<ApiError> {
  const { parseProblem } = await import('./answer-schemas')
  const problem = parseProblem(parseJson(body))
  const said = [cutMessage(problem?.message ?? ''), describeIssues(problem?.issues ?? [])]
    .filter(Boolean)
    .join(' - ')
  const message = `${nameRequest(request)} answered ${statusCode}${said ? `: ${said}` : ''}`
  return new ApiError(message, statusCode, problem)
}

function nameRequest({ method, url }: Pick<BoundedRequest, 'method' | 'url'>): string {
  return `${method} ${withoutQuery(url)}`
}
