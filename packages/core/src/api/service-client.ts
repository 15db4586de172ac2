import {
  type AnyError,
  AnyErrorSchema,
  CREATE_RUN_PATH,
  createRequest,
  type CreateRunResponse,
  CreateRunResponseSchema,
  IDEMPOTENCY_KEY_HEADER,
  type InitializeAttachmentResponse,
  InitializeAttachmentResponseSchema,
  OPERATION_ROUTES,
  type TakenAttachment,
  TakenAttachmentsSchema,
  type VerdictList,
  VerdictListSchema,
} from '@runledger/protocol'
import * as z from 'zod'
import type { SendingOptions } from '../config/resolve-options'
import { ApiError } from '../model/errors'
import type { ServicePaths } from '../model/run'
import type { QueuedRequest, QueuedTransport } from '../transport/connection'
import { isWorthRetrying } from '../transport/retrying-transport'
import type { RequestBody } from '../transport/transport'
import { normalizeServiceUrl, parseJson } from '../util/text'
import { startTimeLimit } from '../util/time-limit'
import {
  createJsonRequest,
  expectSuccess,
  hideKey,
  joinUrl,
  parseResponse,
  toApiError,
} from './json-exchange'
import type { JsonContent, Response } from './json-exchange'

export type ServiceAddress = ServicePaths & Pick<SendingOptions, 'url' | 'apiKey'>

export interface RequestLimits {
  requestTimeoutMs: number
  transferTimeoutMs: number
  signal: AbortSignal
  /** Ends a little earlier than `signal`, so that attachments that were sent can be linked. */
  transferSignal: AbortSignal
}

export interface BatchedRun {
  key: string
  body: string
}

const BatchResponseSchema = z.object({
  runs: z.array(
    z.union([
      z.object({ created: CreateRunResponseSchema, error: z.undefined().optional() }),
      z.object({ created: z.undefined().optional(), error: AnyErrorSchema.extend({ status_code: z.int() }) }),
    ]),
  ),
})

const FoundRunsSchema = z.object({
  data: z.array(z.object({ id: z.string().min(1), metadata: z.record(z.string(), z.unknown()).optional() })),
})
const LinkedSchema = z.object({ attachments: TakenAttachmentsSchema })

/** Verdicts are requested once. More failed runs than fit into one address are not asked about: a part would mislead. */
const VERDICTS_MS = 300
const MAX_ASKED = 100

/** The requests that a reporter needs. All throw NetworkError or ApiError. */
export class ServiceClient {
  constructor(
    private readonly transport: QueuedTransport,
    private readonly address: ServiceAddress,
    private readonly limits: RequestLimits,
  ) {}

  /** `makeBody` runs when the request's turn has come; it returns a CreateRunRequest as JSON. */
  async createRun(makeBody: () => string, idempotencyKey: string): Promise<CreateRunResponse> {
    const request = {
      ...this.#jsonRequest('POST', this.address.createPath, {
        body: makeBody,
        headers: { [IDEMPOTENCY_KEY_HEADER]: idempotencyKey },
      }),
      isUnsafeToRepeat: true,
    }
    return parseResponse(CreateRunResponseSchema, request, await this.#send(request))
  }

  /** False for a service with configured paths, since the path of batches is not configurable. */
  get hasBatches(): boolean {
    return this.address.createPath === CREATE_RUN_PATH
  }

  async createRuns(makeBodies: () => BatchedRun[]): Promise<(CreateRunResponse | ApiError)[]> {
    let count = 0
    const makeBody = (): string => {
      const runs = makeBodies()
      count = runs.length
      const texts = runs.map(({ key, body }) => `{"idempotency_key":${JSON.stringify(key)},"run":${body}}`)
      return `{"runs":[${texts.join(',')}]}`
    }
    const { method, path } = OPERATION_ROUTES.createV1Runs
    const request = { ...this.#jsonRequest(method, path, { body: makeBody }), isUnsafeToRepeat: true }
    const response = await this.#send(request)
    const { runs } = parseResponse(BatchResponseSchema, request, response)
    if (runs.length !== count)
      throw new ApiError(`${path} answered of ${runs.length} runs, not of ${count}`, 200)
    return runs.map(({ created, error }) => created ?? this.#toRefusal(error))
  }

  #toRefusal(error: AnyError & { status_code: number }): ApiError {
    const { url: base, apiKey, createPath } = this.address
    return toApiError(
      { method: 'POST', url: joinUrl(base, createPath) },
      { statusCode: error.status_code, body: hideKey(JSON.stringify(error), apiKey) },
    )
  }

  /** Looks for a run by its report variable `submission_id`; undefined also if the service cannot search for it. */
  async findRun(submissionId: string): Promise<CreateRunResponse | undefined> {
    const id = (await this.findRunIds([submissionId])).get(submissionId)
    if (id === undefined) return undefined
    const { path } = createRequest('getRun', { params: { id } })
    const url = joinUrl(normalizeServiceUrl(this.address.url), path)
    return CreateRunResponseSchema.parse({ id, url })
  }

  /** Ids of the runs with these submission ids, at most 40. */
  async findRunIds(submissionIds: readonly string[]): Promise<Map<string, string>> {
    const metadata = { submission_id: { in: [...submissionIds] } }
    const query = { metadata, include_metadata: true, limit: 2 * submissionIds.length + 8 }
    const list = await this.#ask(FoundRunsSchema, createRequest('listRuns', { query }).path)
    const found = new Map<string, string>()
    for (const { id, metadata: own } of list?.data ?? []) {
      const submissionId = own?.['submission_id']
      // A service that does not know the filter returns any runs.
      if (
        typeof submissionId === 'string' &&
        submissionIds.includes(submissionId) &&
        !found.has(submissionId)
      )
        found.set(submissionId, id)
    }
    return found
  }

  async findLinked(runId: string): Promise<TakenAttachment[]> {
    const { path } = createRequest('getRun', { params: { id: runId } })
    return (await this.#ask(LinkedSchema, path))?.attachments ?? []
  }

  /** Which failures of these runs are new; undefined unless the service answers quickly. Never rejects. */
  async findVerdicts(runIds: readonly string[]): Promise<VerdictList | undefined> {
    if (runIds.length === 0 || runIds.length > MAX_ASKED) return undefined
    const { path } = createRequest('listVerdicts', { query: { ids: [...runIds] } })
    const { signal, stop } = startTimeLimit(VERDICTS_MS, this.limits.signal)
    const response = await this.transport.send({ ...this.#jsonRequest('GET', path), signal })
    stop()
    if (response.kind !== 'response' || response.statusCode !== 200) return undefined
    return VerdictListSchema.safeParse(parseJson(response.body)).data
  }

  async initializeAttachment(name: string): Promise<InitializeAttachmentResponse> {
    const { path } = OPERATION_ROUTES.initializeAttachment
    const request = {
      ...this.#jsonRequest('POST', path, { body: JSON.stringify({ name }) }),
      signal: this.limits.transferSignal,
    }
    return parseResponse(InitializeAttachmentResponseSchema, request, await this.#send(request))
  }

  /** The address is signed, so the key is not sent. */
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

  /** Undefined if the service refuses, or answers something else. */
  async #ask<Schema extends z.ZodType>(schema: Schema, path: string): Promise<z.output<Schema> | undefined> {
    try {
      const { body } = await this.#send(this.#jsonRequest('GET', path))
      return schema.safeParse(parseJson(body)).data
    } catch (error) {
      if (error instanceof ApiError && !isWorthRetrying(error.statusCode)) return undefined
      throw error
    }
  }

  #jsonRequest(method: QueuedRequest['method'], path: string, content: JsonContent = {}): QueuedRequest {
    const { requestTimeoutMs: timeoutMs, signal } = this.limits
    return { ...createJsonRequest(this.address, { method, path, ...content }), timeoutMs, signal }
  }

  async #send(request: QueuedRequest): Promise<Response> {
    return expectSuccess(request, await this.transport.send(request), this.address.apiKey)
  }
}
