import type { CreateRunRequest } from '@runledger/protocol'
import pLimit from 'p-limit'
import { NO_PROCEDURE, type ResolvedOptions } from '../config/resolve-options'
import { CorruptLogError, describeError, explainFailure, NetworkError } from '../model/errors'
import { createProgress, type Progress, type Run } from '../model/run'
import { ExecutionLog } from '../spool/execution-log'
import type { ExecutionLine } from '../spool/log-lines'
import type { LoggedRun } from '../spool/read-log'
import type { ListedExecution, SpoolFolder } from '../spool/spool-folder'
import { normalizeServiceUrl } from '../util/text'
import { addProcedure, restoreLoggedRun, type LeasedLog } from './restore-runs'
import type { Sender } from './sender'

const EXECUTIONS_AT_ONCE = 4
const RUNS_AT_ONCE = 4

const NO_TIME = 'no time was left'

/** `waits`: it stays, for the reason given; `busy`: another process has it; `quarantined`: its log cannot be read. */
export interface BacklogResult {
  /** The run's submission id; the execution's if its runs are unknown. */
  id: string
  isExecution: boolean
  status: 'sent' | 'waits' | 'busy' | 'quarantined'
  reason: string | undefined
  /** The service will never accept it unchanged. */
  isRefused: boolean
  /** It belongs to another service or project, so it waits until a user sends or drops it. */
  isElsewhere?: boolean
  request: CreateRunRequest | undefined
  url: string | undefined
}

export interface BacklogSettings {
  spool: SpoolFolder
  /** Others may have filled the spool: it is not trusted about this machine. */
  isForeign?: boolean | undefined
  sender: Pick<Sender, 'signal' | 'send' | 'endExecution'>
  /** The procedure for runs that were recorded without one. */
  procedureId?: ResolvedOptions['procedureId']
  /** Why a run is skipped, or undefined to send it. */
  skipReason: (head: ExecutionLine, progress: Progress) => string | undefined
  /** Called with each run as soon as it is settled. */
  onResult?: ((result: BacklogResult) => void) | undefined
}

/** Sends what waits in a spool, oldest executions first. Stops early at the deadline, or if the service does not respond. */
export async function deliverBacklog(
  settings: BacklogSettings,
  executions: readonly ListedExecution[],
): Promise<BacklogResult[]> {
  const backlog = new Backlog(settings)
  const results = await pLimit(EXECUTIONS_AT_ONCE).map(executions, (each) => backlog.deliver(each))
  return results.flat()
}

type RunOutcome = Pick<BacklogResult, 'reason'> & Partial<BacklogResult>

const UNSENT = { isRefused: false, request: undefined, url: undefined } as const

class Backlog {
  #outage: string | undefined

  readonly #timeIsUp: Promise<false>

  constructor(private readonly settings: BacklogSettings) {
    this.#timeIsUp = new Promise((resolve) => {
      settings.sender.signal.addEventListener('abort', () => resolve(false), { once: true })
    })
  }

  /** Never rejects. */
  async deliver(execution: ListedExecution): Promise<BacklogResult[]> {
    const untried = this.#findStopReason()
    if (untried !== undefined) return this.#settleAll(execution, 'waits', untried)
    try {
      const taken = await ExecutionLog.open(execution.dir)
      if (taken === undefined) return this.#settleAll(execution, 'busy', 'another process has it')
      const leased = { ...taken, isForeign: this.settings.isForeign }
      const results = await this.#deliverTaken(leased)
      return [...results, ...(await this.#close(leased, execution, results))]
    } catch (error) {
      const isCorrupt = error instanceof CorruptLogError
      if (isCorrupt) await this.settings.spool.quarantine(execution)
      return this.#settleAll(execution, isCorrupt ? 'quarantined' : 'waits', describeError(error))
    }
  }

  /** One result for all runs of an execution. */
  #settleAll(execution: ListedExecution, status: BacklogResult['status'], reason: string): BacklogResult[] {
    return [this.#settle({ ...UNSENT, isExecution: true, id: execution.executionId, status, reason })]
  }

  #settle(result: BacklogResult): BacklogResult {
    this.settings.onResult?.(result)
    return result
  }

  async #deliverTaken(taken: LeasedLog): Promise<BacklogResult[]> {
    const results = await pLimit(RUNS_AT_ONCE).map(taken.content.waiting, async (logged) => {
      const waits = {
        ...UNSENT,
        isExecution: false,
        id: logged.submissionId,
        request: logged.line?.request,
        status: 'waits',
      } as const
      try {
        return [this.#settle({ ...waits, ...(await this.#deliverRun(taken, logged)) })]
      } catch (error) {
        if (!(error instanceof CorruptLogError))
          return [this.#settle({ ...waits, reason: describeError(error) })]
        // Its suites cannot be joined. The log goes to quarantine after the other runs are sent.
        taken.content.corruptLines += 1
        return []
      }
    })
    return results.flat()
  }

  async #deliverRun(taken: LeasedLog, logged: LoggedRun): Promise<RunOutcome> {
    const untried = this.#findStopReason()
    if (untried !== undefined) return { reason: untried }
    const run = await restoreLoggedRun(taken, logged)
    if (run === undefined) return { status: 'sent', reason: undefined }
    const { request, progress } = run
    const objection = this.settings.skipReason(taken.content.head, progress)
    if (objection !== undefined) {
      const isRefused = progress.problem?.isRefused === true
      return { request, reason: objection, isRefused, isElsewhere: !isRefused }
    }
    if (request.procedure_id === '') {
      const { procedureId } = this.settings
      if (typeof procedureId !== 'string')
        return { request, reason: `${NO_PROCEDURE}, then npx runledger upload` }
      addProcedure(taken.log, logged, procedureId)
    }
    if (!(await this.#isSynced(taken.log))) return { request, reason: NO_TIME }
    return { request, ...(await this.#send(run)) }
  }

  /** Undefined while the service responds and there is time. */
  #findStopReason(): string | undefined {
    return this.#outage ?? (this.settings.sender.signal.aborted ? NO_TIME : undefined)
  }

  /** The whole log is on disk before a run is created. False if the deadline comes first. */
  async #isSynced(log: ExecutionLog): Promise<boolean> {
    return Promise.race([log.sync().then(() => true), this.#timeIsUp])
  }

  async #send(run: Run): Promise<RunOutcome> {
    const result = await this.settings.sender.send(run)
    const isRefused = run.progress.problem?.isRefused === true
    if (result.status === 'failed') {
      const { error } = result
      if (error instanceof NetworkError) this.#outage = `not tried: ${describeError(error)}`
      return { reason: [describeError(error), explainFailure(error)].filter(Boolean).join('; '), isRefused }
    }
    const { url } = result.response
    const reason = result.problems.join('; ') || undefined
    return result.isComplete ? { status: 'sent', reason, url } : { reason, isRefused, url }
  }

  /** An execution without waiting runs leaves the spool; one with unreadable lines is kept. */
  async #close(
    { log, content }: LeasedLog,
    execution: ListedExecution,
    results: readonly BacklogResult[],
  ): Promise<BacklogResult[]> {
    const isSent = results.every(({ status }) => status === 'sent')
    if (isSent && content.corruptLines === 0) {
      if (content.end !== undefined && this.#isOfThisService(content))
        await this.settings.sender.endExecution(content.end)
      await log.remove()
      return []
    }
    await log.release()
    if (!isSent) return []
    await this.settings.spool.quarantine(execution)
    const reason = `${content.corruptLines} of its runs or lines cannot be read`
    return this.#settleAll(execution, 'quarantined', reason)
  }

  /** Runs are checked one by one; a log without runs has not been checked yet. */
  #isOfThisService({ head }: LeasedLog['content']): boolean {
    return this.settings.skipReason(head, createProgress()) === undefined
  }
}

/** A key is never sent to another service. A local service may change its port. */
export function refuseOtherService(
  { service, projectRoot }: ExecutionLine,
  own: Pick<ResolvedOptions, 'url' | 'credentialsFile'> & { projectRoot: string },
): string | undefined {
  const here = normalizeServiceUrl(own.url ?? '')
  if (service.url === here || (service.url === '' && projectRoot === own.projectRoot)) return undefined
  if (own.credentialsFile !== undefined && service.credentialsFile === own.credentialsFile) return undefined
  const meant = service.url ? `for another service, ${service.url}` : `of another project, ${projectRoot}`
  return `it is ${meant}: npx runledger upload --url ${here} sends it here`
}
