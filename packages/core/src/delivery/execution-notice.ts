import {
  type BuildSummary,
  createRequest,
  type PutExecutionInput,
  PutExecutionResponseSchema,
} from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import { createJsonRequest } from '../api/json-exchange'
import type { SendingOptions } from '../config/resolve-options'
import type { ExecutionEndLine } from '../spool/log-lines'
import type { Connection } from '../transport/connection'
import { createRetryingTransport, isWorthRetrying } from '../transport/retrying-transport'
import type { Transport } from '../transport/transport'
import { parseJson } from '../util/text'
import { startTimeLimit } from '../util/time-limit'

export interface NoticeSettings {
  connection: Promise<Connection>
  options: SendingOptions
  /** Undefined outside of a CI. Never rejects. */
  describe: () => Promise<PutExecutionInput | undefined>
}

/** The longest time of each request, in milliseconds: the first one delays nothing, the last one delays the end. */
const BEGIN_MS = 10_000
const END_MS = 2_000

/** Tells the service that a CI execution began and ended; without the end its build is incomplete. Failures are ignored. */
export class ExecutionNotice {
  readonly #id = randomUUID()
  readonly #abort = new AbortController()
  #body: PutExecutionInput | undefined
  #isRefused = false
  hasFailed = false

  constructor(private readonly settings: NoticeSettings) {}

  begin(): void {
    void this.#begin().catch(() => undefined)
  }

  close(): void {
    this.#abort.abort()
  }

  /** Undefined without a response within two seconds and before the deadline. Never rejects. */
  async end(missingRuns: number, deadlineAtMs: number): Promise<BuildSummary | undefined> {
    const body = this.#endingBody(missingRuns)
    const leftMs = Math.min(END_MS, deadlineAtMs - Date.now())
    if (body === undefined || leftMs <= 0) return undefined
    const limit = startTimeLimit(leftMs, this.#abort.signal)
    try {
      const { transport } = await this.settings.connection
      const { maxRetries } = this.settings.options
      const retrying = createRetryingTransport(transport, { maxRetries, deadlineAtMs: Date.now() + leftMs })
      return await this.#put(retrying, body, { timeoutMs: END_MS, signal: limit.signal })
    } catch {
      return undefined
    } finally {
      limit.stop()
    }
  }

  /** The end as a line of the execution's log. */
  describeEnd(unmadeRuns: number): ExecutionEndLine | undefined {
    const request = this.#endingBody(unmadeRuns)
    return request && { kind: 'end', execution: this.#id, request }
  }

  #endingBody(missing_runs: number): PutExecutionInput | undefined {
    if (this.#body === undefined || this.#isRefused) return undefined
    return { ...this.#body, ended_at: new Date().toISOString(), missing_runs }
  }

  async #begin(): Promise<void> {
    this.#body = await this.settings.describe()
    if (this.#body === undefined) return
    const { transport } = await this.settings.connection
    await this.#put(transport, this.#body, { timeoutMs: BEGIN_MS, signal: this.#abort.signal })
  }

  async #put(
    transport: Transport,
    body: PutExecutionInput,
    limits: { timeoutMs: number; signal: AbortSignal },
  ): Promise<BuildSummary | undefined> {
    const answer = await transport.send({
      ...createPutExecution(this.settings.options, this.#id, body),
      ...limits,
    })
    this.hasFailed = answer.kind !== 'response'
    if (answer.kind !== 'response') return undefined
    this.#isRefused = answer.statusCode >= 300 && !isWorthRetrying(answer.statusCode)
    return PutExecutionResponseSchema.safeParse(parseJson(answer.body)).data?.build
  }
}

export function createPutExecution(
  address: Pick<SendingOptions, 'url' | 'apiKey'>,
  id: string,
  body: PutExecutionInput,
) {
  const { method, path } = createRequest('putExecution', { params: { id }, body })
  const { body: text, ...request } = createJsonRequest(address, { method, path, body: JSON.stringify(body) })
  return { ...request, body: text as string }
}
