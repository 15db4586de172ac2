import type { Environment } from '../config/options'
import type { ResolvedOptions } from '../config/resolve-options'
import { boundSpool, SPOOL_BOUNDS } from '../spool/bound-spool'
import type { FolderSpool, ListedEntry } from '../spool/folder-spool'
import { releaseRuns } from '../spool/release-runs'
import type { RunKeeper } from '../spool/run-keeper'
import { refuseOtherService, sweepSpool, type SweptEntry } from '../spool/sweep-spool'
import { startTimeLimit } from '../util/time-limit'
import type { AheadDelivery } from './ahead-delivery'
import type { DeliverableRun } from './deliverable-run'
import type { EarlyUpload } from './early-upload'
import { leaveRuns, type ExecutionDelivery } from './execution-delivery'
import { openDelivery, type Delivery } from './open-delivery'
import type { RunDelivery } from './run-delivery'

export interface ExecutionDeliverySettings {
  keeper: RunKeeper
  early: EarlyUpload
  spool: FolderSpool
  options: ResolvedOptions
  url: string
  apiKey: string
  env: Environment
  /** What was begun before. */
  ahead?: AheadDelivery | undefined
}

export { openDelivery }

/** Refusals that only another payload would mend: an execution does not try those entries again, `upload` does. */
const HOPELESS = new Set([400, 409, 413, 415, 422])

/** Delivers an execution's runs, then what waits from others as far as time is left; one deadline bounds all of it. */
export async function deliverExecution(settings: ExecutionDeliverySettings): Promise<ExecutionDelivery> {
  const { options, keeper, early, ahead } = settings
  ahead?.end()
  const deadlineAtMs = Date.now() + options.deadlineMs
  early.hasten(options.deadlineMs / 2)
  const { runs, refused } = await keeper.close(options.deadlineMs / 2)
  early.close()
  try {
    if (runs.length === 0) return { deliveries: refused, requests: [], swept: [], dropped: [], keptCount: 0 }
    const outcome = await openAndDeliver(runs, { ...settings, deadlineAtMs })
    return { ...outcome, deliveries: [...outcome.deliveries, ...refused] }
  } finally {
    await ahead?.close()
    await early.stop()
    await releaseRuns(runs, settings.spool)
  }
}

async function openAndDeliver(
  runs: readonly DeliverableRun[],
  settings: ExecutionDeliverySettings & { deadlineAtMs: number },
): Promise<ExecutionDelivery> {
  const { options, early, ahead } = settings
  let delivery: Delivery
  try {
    const transferTimeoutMs = options.deadlineMs
    delivery = await openDelivery({ ...settings, transferTimeoutMs, limit: early.limit })
  } catch (error) {
    // A file of the TLS options that cannot be used, say; not when others have been sent already.
    if (ahead?.delivery) return deliverInTime(runs, ahead.delivery, settings)
    return { ...leaveRuns(runs, error), ...(await leaveOlder(runs, settings)) }
  }
  return deliverAndSweep(runs, delivery, settings).finally(() => delivery.close())
}

/** By a connection that does not keep the process alive, which now has to last until all is done. */
async function deliverInTime(
  runs: readonly DeliverableRun[],
  delivery: Delivery,
  settings: ExecutionDeliverySettings & { deadlineAtMs: number },
): Promise<ExecutionDelivery> {
  const limit = startTimeLimit(Math.max(0, settings.deadlineAtMs - Date.now()))
  try {
    return await deliverAndSweep(runs, delivery, settings)
  } finally {
    limit.stop()
  }
}

/** What waits from others waits on, within the bounds of the spool. */
async function leaveOlder(
  runs: readonly DeliverableRun[],
  { spool, keeper, deadlineAtMs }: ExecutionDeliverySettings & { deadlineAtMs: number },
): Promise<Pick<ExecutionDelivery, 'swept' | 'dropped'>> {
  if (keeper.failure !== undefined) return { swept: [], dropped: [] }
  const limit = startTimeLimit(Math.max(0, deadlineAtMs - Date.now()))
  try {
    const older = await listOlder(runs, spool, limit.signal)
    const dropped = await boundSpool(spool, SPOOL_BOUNDS, limit.signal).catch(() => [])
    return { swept: older.map(leaveWaiting), dropped }
  } finally {
    limit.stop()
  }
}

async function listOlder(
  runs: readonly DeliverableRun[],
  spool: FolderSpool,
  signal: AbortSignal,
): Promise<ListedEntry[]> {
  const own = new Set(runs.map(({ submissionId }) => submissionId))
  const listed = await spool.list(signal).catch(() => [])
  return listed.filter(({ submissionId }) => !own.has(submissionId))
}

async function deliverAndSweep(
  runs: readonly DeliverableRun[],
  delivery: Delivery,
  settings: ExecutionDeliverySettings,
): Promise<ExecutionDelivery> {
  const deliveries = await Promise.all(
    runs.map((run) => settings.ahead?.find(run, delivery) ?? delivery.deliver(run)),
  )
  const isKept = (run: DeliverableRun, index: number): boolean => {
    const result = deliveries[index] as RunDelivery
    return run.entry?.canBeSent === true && !(result.status === 'delivered' && result.isComplete)
  }
  const keptCount = runs.filter(isKept).length
  const requests = runs.map(({ requestJson }) => requestJson)
  if (settings.keeper.failure !== undefined)
    return { deliveries, requests, swept: [], dropped: [], keptCount }
  const swept = await sweepOlder(runs, deliveries, { ...settings, delivery })
  return {
    deliveries,
    requests,
    swept,
    keptCount,
    dropped: await boundSpool(settings.spool, SPOOL_BOUNDS, delivery.signal).catch(() => []),
  }
}

/** Older entries come after the execution's own, and only where the service has taken one of those. */
async function sweepOlder(
  runs: readonly DeliverableRun[],
  deliveries: readonly RunDelivery[],
  { spool, delivery, url }: ExecutionDeliverySettings & { delivery: Delivery },
): Promise<SweptEntry[]> {
  const older = await listOlder(runs, spool, delivery.signal)
  if (older.length === 0) return []
  await spool.removeLeftovers()
  const failure = deliveries.find((result) => result.status === 'failed')
  if (failure && !deliveries.some(({ status }) => status === 'delivered')) return older.map(leaveWaiting)
  return sweepSpool(
    {
      spool,
      delivery,
      refuse: (entry, { problem }) =>
        problem?.isRefused && HOPELESS.has(problem.statusCode ?? 0)
          ? problem.message
          : refuseOtherService(entry, url),
    },
    older,
  )
}

function leaveWaiting({ submissionId }: { submissionId: string }): SweptEntry {
  const reason = 'the service did not take this execution’s own runs'
  return { submissionId, status: 'waits', reason, isRefused: false, entry: undefined, url: undefined }
}
