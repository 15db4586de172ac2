import type { BuildSummary, CreateRunRequest, VerdictList } from '@runledger/protocol'
import type { SendingOptions } from '../config/resolve-options'
import { isDelivered, type Run } from '../model/run'
import { type DroppedRuns, enforceBounds, SPOOL_BOUNDS } from '../spool/retention'
import type { SpoolFolder } from '../spool/spool-folder'
import { listWaitingRuns } from '../spool/waiting-runs'
import type { Connection } from '../transport/connection'
import { type BacklogResult, type BacklogSettings, deliverBacklog, refuseOtherService } from './backlog'
import type { EarlyUpload } from './early-upload'
import type { ExecutionNotice } from './execution-notice'
import type { Recorder } from './recorder'
import { type RunResult, selectDelivered } from './deliver-run'
import { openSender, type Sender } from './sender'

export interface FinishSettings {
  recorder: Recorder
  early: EarlyUpload
  notice: ExecutionNotice
  spool: SpoolFolder
  /** Rejects with a ConfigError when there is no key, or a TLS file or a proxy's address cannot be used. */
  connection: Promise<Connection>
  options: SendingOptions
  projectRoot: string
}

export interface ExecutionResults {
  runs: RunResult[]
  requests: CreateRunRequest[]
  backlog: BacklogResult[]
  dropped: DroppedRuns[]
  keptCount: number
  /** Runs that are neither with the service nor in the spool. */
  lostCount: number
  verdicts?: VerdictList | undefined
  build?: BuildSummary | undefined
}

type OlderRuns = Pick<ExecutionResults, 'backlog' | 'dropped'>
const NO_OLDER: OlderRuns = { backlog: [], dropped: [] }

/** Repeating these requests cannot help. Executions do not retry them; `upload` does. */
const PERMANENT_REFUSALS = new Set([400, 409, 413, 415, 422])

/** Delivers this execution's runs, then older ones; one deadline bounds both. */
export async function finishExecution(settings: FinishSettings): Promise<ExecutionResults> {
  const { options, recorder, early, notice, connection } = settings
  const deadlineAtMs = Date.now() + options.deadlineMs
  const cutEarly = setTimeout(() => early.abort(), options.deadlineMs / 2)
  try {
    const { runs, failed } = await recorder.completeRuns(options.deadlineMs / 2)
    early.close()
    const results = await deliverOrLeave(runs, { ...settings, deadlineAtMs, unmadeRuns: failed.length })
    const keptCount = runs.filter((run) => run.journal.isKept() && !isDelivered(run)).length
    const requests = runs.map(({ request }) => request)
    const lost = results.runs.filter(
      ({ status }, index) => status === 'failed' && !runs[index]?.journal.isKept(),
    )
    const lostCount = lost.length + failed.length
    return { ...results, runs: [...results.runs, ...failed], requests, keptCount, lostCount }
  } finally {
    clearTimeout(cutEarly)
    early.abort()
    notice.close()
    // Sockets close at once; responses are not waited for.
    void connection.then(({ transport }) => transport.close()).catch(() => undefined)
    await recorder.releaseLog()
  }
}

/** Completes the runs of an execution that sends nothing. Does not deliver older runs. */
export async function completeWithoutSending({
  recorder,
  early,
  notice,
  options,
}: Pick<FinishSettings, 'recorder' | 'early' | 'notice' | 'options'>): Promise<CreateRunRequest[]> {
  early.abort()
  notice.close()
  try {
    const { runs } = await recorder.completeRuns(options.deadlineMs)
    return runs.map(({ request }) => request)
  } finally {
    await recorder.releaseLog()
  }
}

async function deliverOrLeave(
  runs: readonly Run[],
  settings: FinishSettings & { deadlineAtMs: number; unmadeRuns: number },
): Promise<Pick<ExecutionResults, 'runs' | 'verdicts' | 'build'> & OlderRuns> {
  if (runs.length === 0) return { runs: [], ...NO_OLDER, build: await reportEnd([], settings) }
  let connection: Connection
  try {
    connection = await settings.connection
  } catch (error) {
    // No key or an unreadable TLS file: nothing can be sent, and the runs wait in the spool.
    const left = runs.map(({ request }) => ({ status: 'failed', passed: request.run_passed, error }) as const)
    return { runs: left, ...(await leaveBacklog(settings)) }
  }
  const { options, deadlineAtMs } = settings
  const sender = openSender(connection, { options, deadlineAtMs, transferTimeoutMs: options.deadlineMs })
  try {
    const results = await Promise.all(runs.map((run) => sender.send(run)))
    const verdicts = sender.findVerdicts(listFailed(results))
    const build = reportEnd(results, settings)
    // Failures of older runs do not affect this execution.
    const older = await deliverOlder(results, sender, settings).catch(() => NO_OLDER)
    return { runs: results, verdicts: await verdicts, build: await build, ...older }
  } finally {
    sender.close()
  }
}

async function reportEnd(
  results: readonly RunResult[],
  {
    notice,
    recorder,
    unmadeRuns,
    deadlineAtMs,
  }: FinishSettings & { unmadeRuns: number; deadlineAtMs: number },
): Promise<BuildSummary | undefined> {
  const delivered = selectDelivered(results).length
  const end = delivered < results.length ? notice.describeEnd(unmadeRuns) : undefined
  if (end) recorder.noteEnd(end)
  const isReached = results.length === 0 ? !notice.hasFailed : delivered > 0
  return isReached ? notice.end(results.length - delivered + unmadeRuns, deadlineAtMs) : undefined
}

function listFailed(results: readonly RunResult[]): string[] {
  const failed = selectDelivered(results).filter(({ passed }) => !passed)
  return failed.flatMap(({ response }) => response.id ?? [])
}

/** Older runs follow only if the service has accepted one of this execution's. */
async function deliverOlder(
  own: readonly RunResult[],
  sender: Sender,
  settings: FinishSettings,
): Promise<OlderRuns> {
  const { spool, recorder, options, projectRoot } = settings
  if (recorder.failure !== undefined) return NO_OLDER
  if (!own.some(({ status }) => status === 'delivered')) return leaveBacklog(settings)
  const skipReason: BacklogSettings['skipReason'] = (head, { problem }) =>
    problem?.isRefused && PERMANENT_REFUSALS.has(problem.statusCode ?? 0)
      ? problem.message
      : refuseOtherService(head, { ...options, projectRoot })
  await spool.removeUnfinished()
  const executions = (await spool.list()).filter(({ dir }) => dir !== recorder.dir)
  const isForeign = options.spoolDir !== undefined
  const backlog = await deliverBacklog({ spool, isForeign, sender, skipReason }, executions)
  return { backlog, dropped: await enforceBounds(spool, SPOOL_BOUNDS).catch(() => []) }
}

/** Older runs stay, within the bounds of the spool. */
async function leaveBacklog({ spool, recorder }: FinishSettings): Promise<OlderRuns> {
  if (recorder.failure !== undefined) return NO_OLDER
  const dropped = await enforceBounds(spool, SPOOL_BOUNDS).catch(() => [])
  const waiting = await listWaitingRuns(spool).catch(() => [])
  const backlog = waiting.flatMap(({ id, isExecution, state, url }): BacklogResult[] => {
    if (state !== 'waits' && state !== 'refused') return []
    const reason = 'the service did not take this execution’s own runs'
    const isRefused = state === 'refused'
    return [{ id, isExecution, status: 'waits', reason, isRefused, request: undefined, url }]
  })
  return { backlog, dropped }
}
