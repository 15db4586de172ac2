import { type CreateRunRequest, createRequest } from '@runledger/protocol'
import { createJsonRequest, expectSuccess } from '../api/json-exchange'
import type { Environment } from '../config/options'
import type { SendingOptions } from '../config/resolve-options'
import { ApiError, describeError } from '../model/errors'
import type { FrameworkEnd } from '../model/framework-end'
import type { ExecutionFacts, Suite } from '../model/suite'
import { findListsFolder } from '../spool/spool-place'
import type { Connection } from '../transport/connection'
import { createRetryingTransport, isWorthRetrying } from '../transport/retrying-transport'
import { parseJson } from '../util/text'
import { finishesWithin } from '../util/time-limit'
import { judgeExecution, type Judgement, type KnownList, type NoList } from './judge-execution'
import { findListFile, keepList, readKeptList } from './list-cache'
import { readList } from './read-list'

// Taken before a test in this process can mock it.
const readClock = Date.now

/** The longest wait for lists at the end of a failed execution. */
const PATIENCE_MS = 300

export interface QuarantineSettings {
  connection: Promise<Connection>
  options: SendingOptions
  facts: ExecutionFacts
  env: Environment
}

/** Fetches the lists of quarantined failures while tests run, and decides at the end of a failed execution. */
export class Quarantine {
  readonly #suites = new Set<Suite>()
  /** By procedure. */
  readonly #lists = new Map<string, ListRequest>()
  readonly #abort = new AbortController()

  constructor(private readonly settings: QuarantineSettings) {}

  /** A suite that is added again counts in its last state. */
  addSuite(suite: Suite): void {
    const isOfInterest =
      suite.outcome === 'failed' || suite.tests.some(({ outcome }) => outcome === 'not-run')
    if (isOfInterest) this.#suites.add(suite)
    else this.#suites.delete(suite)
    const procedureId = this.#findProcedure(suite)
    if (procedureId !== undefined) this.#request(procedureId)
  }

  /** Stops requests for lists; if the lists are needed, it first waits a moment for them. */
  async settle(areNeeded: boolean): Promise<void> {
    const all = Promise.all([...this.#lists.values()].map(({ settled }) => settled))
    if (areNeeded) await finishesWithin(all, PATIENCE_MS)
    this.#abort.abort()
  }

  judge(end: FrameworkEnd, runs: readonly CreateRunRequest[], lostRuns: number): Judgement {
    const findList = (procedureId: string) => this.#lists.get(procedureId)?.read() ?? UNKNOWN_PROCEDURE
    return judgeExecution({ end, runs, suites: [...this.#suites], lostRuns, findList })
  }

  #request(procedureId: string): void {
    if (this.#lists.has(procedureId)) return
    this.#lists.set(
      procedureId,
      new ListRequest(procedureId, { ...this.settings, signal: this.#abort.signal }),
    )
  }

  #findProcedure({ project, file }: Suite): string | undefined {
    const { options, facts } = this.settings
    try {
      return typeof options.procedureId === 'function'
        ? options.procedureId({ framework: facts.framework, project, file })
        : options.procedureId
    } catch {
      // The run is not recorded either, which fails the execution.
      return undefined
    }
  }
}

const UNKNOWN_PROCEDURE: NoList = { reason: 'no list of quarantined tests was asked for' }

interface Received {
  signed: unknown
  /** The service's clock at that time, and two clocks of this process: the first can be set, the second may stop while the machine sleeps. */
  serviceMs: number
  clockMs: number
  atMs: number
}

/** The list of one procedure: the service's, or without an answer the kept one. */
class ListRequest {
  readonly settled: Promise<void>
  #received: Received | undefined
  /** The service refused the list to this key, so the kept list does not count either. */
  #isRefused = false
  #problem = 'the service did not send the list of quarantined tests in time'

  constructor(
    private readonly procedureId: string,
    private readonly settings: QuarantineSettings & { signal: AbortSignal },
  ) {
    this.settled = this.#fetch().catch((error: unknown) => {
      if (settings.signal.aborted) return
      this.#isRefused = error instanceof ApiError && !isWorthRetrying(error.statusCode)
      this.#problem = `no list of quarantined tests: ${describeError(error)}`
    })
  }

  read(): KnownList | NoList {
    if (this.#received !== undefined) return this.#readReceived(this.#received)
    return this.#isRefused ? { reason: this.#problem } : this.#readKept()
  }

  #readReceived({ signed, serviceMs, clockMs, atMs }: Received): KnownList | NoList {
    const { apiKey } = this.settings.options
    const nowMs = serviceMs + Math.max(performance.now() - atMs, readClock() - clockMs)
    return readList(signed, { apiKey, procedureId: this.procedureId, nowMs })
  }

  #readKept(): KnownList | NoList {
    const { procedureId } = this
    const { options, env } = this.settings
    try {
      const kept = readKeptList(this.#file, env)
      if (kept === undefined) return { reason: this.#problem }
      const nowMs = readClock() + kept.clockLeadMs
      return readList(kept.signed, { apiKey: options.apiKey, procedureId, nowMs })
    } catch (error) {
      return { reason: `${this.#problem}, and of the last one: ${describeError(error)}` }
    }
  }

  get #file(): string {
    const { env, facts, options } = this.settings
    return findListFile(findListsFolder(env, facts.rootDir), {
      url: options.url,
      procedureId: this.procedureId,
    })
  }

  async #fetch(): Promise<void> {
    const { connection, options, signal } = this.settings
    const { transport } = await connection
    const { maxRetries, requestTimeoutMs } = options
    const retrying = createRetryingTransport(transport, {
      maxRetries,
      deadlineAtMs: readClock() + options.deadlineMs,
    })
    const query = { procedure_id: this.procedureId }
    const { method, path } = createRequest('getQuarantineList', { query })
    const { body: _none, ...request } = createJsonRequest(options, { method, path })
    const answer = await retrying.send({ ...request, timeoutMs: requestTimeoutMs, signal })
    const { body, date = '' } = expectSuccess(request, answer, options.apiKey)
    const serviceMs = Date.parse(date)
    const nowMs = readClock()
    // The header has whole seconds. Counted from the end of the second, no entry is used after its end.
    const received = {
      signed: parseJson(body),
      serviceMs: (Number.isNaN(serviceMs) ? nowMs : serviceMs) + 1_000,
      clockMs: nowMs,
      atMs: performance.now(),
    }
    this.#received = received
    if ('reason' in this.#readReceived(received)) return
    const clockLeadMs = received.serviceMs - nowMs
    // If the list cannot be kept, the next execution needs the service.
    await keepList(this.#file, { signed: received.signed, clockLeadMs }).catch(() => undefined)
  }
}
