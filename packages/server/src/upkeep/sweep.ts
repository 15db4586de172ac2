import { foldIdentifier } from '@runledger/protocol'
import {
  deleteUnlinkedAttachments,
  dropReferences,
  listWaitingAttachments,
} from '../record/files/attachments/store'
import { removeBlobs, removeUnnamedBlobs } from '../record/files/blobs/store'
import { deleteExecutions, listIdleExecutions } from '../record/results/builds/store'
import { deleteOldDeliveries } from '../record/results/webhooks/delivery-store'
import { deleteOldPlans, PLAN_DAYS } from '../record/results/shards/plan-store'
import { US_PER_DAY, US_PER_SECOND } from '../base/clock'
import type { Context } from '../operations/call/context'
import { renewMark } from '../storage/database/places/folder-mark'
import { listOldRuns } from './deletions/store'
import { deleteExpiredSessions } from '../record/access/sessions/store'
import { readCommittedSettings, type Settings } from '../record/access/settings/store'
import { listProcedureNames, readRetentionTime, writeRetentionTime } from './store'
import { markDeleted } from '../record/results/deletion-store'

const SWEEP_INTERVAL_MS = 60 * 60 * 1000
// Once in so many clean-ups, listing everything stored finds what killed processes left.
const SWEEPS_PER_LISTING = 24

/** Runs every hour; once a day it also removes what killed processes left. Returns a function that stops it after the current step. */
export function startSweeping(context: Context): () => Promise<void> {
  const stopping = new AbortController()
  const sweep = async (work: () => Promise<unknown>) => {
    await work().catch((error: unknown) => context.log.error('Sweeping failed', error))
  }
  void context.deletions.run()
  let count = 0
  const sweepAll = async () => {
    await sweep(() => renewFolderMark(context))
    if (count % SWEEPS_PER_LISTING === 0) {
      await sweep(() => sweepBlobs(context, stopping.signal))
      await sweep(() => sweepDirectUploads(context, stopping.signal))
    }
    count += 1
    await sweep(() => sweepOnce(context, stopping.signal))
  }
  let current = sweepAll()
  const timer = setInterval(() => {
    current = current.then(sweepAll)
  }, SWEEP_INTERVAL_MS)
  timer.unref()
  return () => {
    clearInterval(timer)
    stopping.abort()
    return current
  }
}

async function renewFolderMark({ config, database }: Context): Promise<void> {
  if (config.database === undefined) await renewMark(config.dataDir, database)
}

export async function sweepOnce(context: Context, signal: AbortSignal): Promise<void> {
  void context.deletions.run()
  const { timeUs, isBehind } = await moveCleanUpTime(context)
  const [attachments, runs] = isBehind ? [0, 0] : await deleteOld(context, timeUs, signal)
  if (!signal.aborted) context.metrics.countCleanUp({ attachments, runs }, context.clock() / US_PER_SECOND)
}

async function deleteOld(context: Context, timeUs: number, signal: AbortSignal): Promise<[number, number]> {
  const attachments = await sweepAttachments(context, signal)
  const runs = await applyRetention(context, timeUs, signal)
  await sweepExecutions(context, signal)
  await sweepDeliveries(context, timeUs, signal)
  await context.database.write(({ query }) => deleteOldPlans(query, timeUs - PLAN_DAYS * US_PER_DAY))
  if (!signal.aborted)
    await context.database.write(({ query }) => deleteExpiredSessions(query, context.clock()))
  return [attachments, runs]
}

// Rows deleted in one transaction; other writes wait meanwhile.
const BATCH_SIZE = 100

/** Deletes attachments that were not linked in time; returns how many. */
export async function sweepAttachments(context: Context, signal: AbortSignal): Promise<number> {
  const beforeUs = context.clock() - context.config.unlinkedLifeHours * 3600 * US_PER_SECOND
  let swept = 0
  for (let count = BATCH_SIZE; count === BATCH_SIZE && !signal.aborted; swept += count) {
    const { deleted, orphans } = await context.database.write(async ({ query }) => {
      const rows = await deleteUnlinkedAttachments(query, beforeUs, BATCH_SIZE)
      return { deleted: rows.length, orphans: await dropReferences(query, rows) }
    })
    await removeBlobs(context, orphans)
    count = deleted
  }
  return swept
}

/** A process that was killed or lost its database between storing and recording leaves bytes without attachments. */
async function sweepBlobs(context: Context, signal: AbortSignal): Promise<void> {
  for await (const names of context.blobs.listSettled()) {
    if (signal.aborted) return
    await removeUnnamedBlobs(context, names)
  }
}

/** Of attachments that are deleted or have their bytes already. */
async function sweepDirectUploads({ blobs, database }: Context, signal: AbortSignal): Promise<void> {
  const { directUploads } = blobs
  if (!directUploads) return
  for await (const ids of directUploads.list()) {
    if (signal.aborted) return
    const waiting = await listWaitingAttachments(database.query, ids)
    for (const id of ids) if (!waiting.has(id)) await directUploads.remove(id)
  }
}

const IDLE_EXECUTION_DAYS = 30

/** Executions of builds with runs are deleted with the runs. */
async function sweepExecutions({ database, clock }: Context, signal: AbortSignal): Promise<void> {
  const beforeUs = clock() - IDLE_EXECUTION_DAYS * US_PER_DAY
  for (let count = BATCH_SIZE; count === BATCH_SIZE && !signal.aborted;) {
    const ids = await listIdleExecutions(database.query, beforeUs, BATCH_SIZE)
    if (ids.length > 0) await database.write(({ query }) => deleteExecutions(query, ids))
    count = ids.length
  }
}

const DELIVERY_DAYS = 30

async function sweepDeliveries({ database }: Context, timeUs: number, signal: AbortSignal): Promise<void> {
  const beforeUs = timeUs - DELIVERY_DAYS * US_PER_DAY
  for (let count = BATCH_SIZE; count === BATCH_SIZE && !signal.aborted;)
    count = await database.write(({ query }) => deleteOldDeliveries(query, beforeUs, BATCH_SIZE))
}

const RUNS_AT_ONCE = 200

async function applyRetention(context: Context, timeUs: number, signal: AbortSignal): Promise<number> {
  const { query } = context.database
  const settings = await readCommittedSettings(query)
  let deleted = 0
  for (const { id, days } of await listRules(context, settings)) {
    deleted += await deleteOldRuns(context, { procedureId: id, beforeUs: timeUs - days * US_PER_DAY }, signal)
  }
  if (deleted > 0) context.log.info('Deleted runs that the settings keep no longer', { runs: deleted })
  return deleted
}

/** A service that runs for minutes each night is not behind. */
const TOLERATED_US = US_PER_DAY + 3600 * US_PER_SECOND

/**
 * Ages are counted from this time. It follows the clock by at most two days at each clean-up, and nothing is deleted while it is
 * behind, so a clock that jumps ahead for some hours deletes nothing. With one day, a service that runs for minutes a day could
 * not catch up after a weekend.
 */
async function moveCleanUpTime({
  database,
  clock,
  log,
}: Context): Promise<{ timeUs: number; isBehind: boolean }> {
  const nowUs = clock()
  const lastUs = (await readRetentionTime(database.query)) ?? nowUs
  const isBehind = nowUs - lastUs > TOLERATED_US
  const timeUs = isBehind ? Math.min(nowUs, lastUs + 2 * US_PER_DAY) : nowUs
  if (timeUs >= lastUs) await database.write(({ query }) => writeRetentionTime(query, timeUs))
  if (isBehind) {
    const counted_from = new Date(timeUs / 1000).toISOString()
    log.warn(
      'The clock went ahead by more than a day: ages grow by at most two days at each clean-up, and nothing old is deleted until they have caught up',
      { counted_from },
    )
  }
  return { timeUs, isBehind }
}

async function listRules({ database }: Context, settings: Settings): Promise<{ id: number; days: number }[]> {
  const general = settings['retention.days']
  const single = new Map(
    Object.entries(settings['retention.days_by_procedure']).map(([name, days]) => [
      foldIdentifier(name),
      days,
    ]),
  )
  if (general === null && single.size === 0) return []
  const procedures = await listProcedureNames(database.query)
  return procedures.flatMap(({ id, public_id, identifier_folded }) => {
    const own = single.get(identifier_folded ?? '') ?? single.get(public_id)
    const isOwn = single.has(identifier_folded ?? '') || single.has(public_id)
    const days = isOwn ? own : general
    return days === null || days === undefined ? [] : [{ id, days }]
  })
}

interface OldRunsOf {
  procedureId: number
  beforeUs: number
}

/** Reads find old runs in chunks; marking removes them from every response, and their rows are deleted in the background. */
async function deleteOldRuns(context: Context, of: OldRunsOf, signal: AbortSignal): Promise<number> {
  const { database, clock, deletions } = context
  let deleted = 0
  let afterKey = 0
  while (!signal.aborted) {
    const aheadUs = clock() + US_PER_DAY
    const keys = await listOldRuns(database.query, { ...of, aheadUs, afterKey, limit: RUNS_AT_ONCE })
    if (keys.length === 0) break
    await database.write(({ query }) => markDeleted(query, { kind: 'run', keys }, clock()))
    void deletions.run()
    deleted += keys.length
    afterKey = keys.at(-1) ?? 0
  }
  return deleted
}
