import { foldIdentifier } from '@runledger/protocol'
import { US_PER_SECOND } from '../clock'
import type { Context } from '../context'
import { markDeleted } from '../deletions/store'
import { readCommittedSettings, type Settings } from '../settings/store'
import { listOldRuns, listProcedureNames, readRetentionTime, writeRetentionTime } from './retention-store'

const DAY_US = 24 * 3600 * US_PER_SECOND
const BATCH_SIZE = 200

/** Deletes the runs that the settings keep no longer; returns how many. */
export async function applyRetention(context: Context, signal: AbortSignal): Promise<number> {
  const { query } = context.database
  const settings = await readCommittedSettings(query)
  const timeUs = await moveRetentionTime(context)
  let deleted = 0
  for (const { id, days } of await listRules(context, settings)) {
    deleted += await deleteOldRuns(context, { procedureId: id, beforeUs: timeUs - days * DAY_US }, signal)
  }
  if (deleted > 0) context.log.info('Deleted runs that the settings keep no longer', { runs: deleted })
  return deleted
}

/**
 * The time that ages are counted from. It follows the clock by at most a day at each clean-up, so that a clock that jumps
 * ahead, and is set right some hours later, has deleted a few days and not everything.
 */
async function moveRetentionTime({ database, clock, log }: Context): Promise<number> {
  const nowUs = clock()
  const lastUs = (await readRetentionTime(database.query)) ?? nowUs
  const timeUs = Math.min(nowUs, lastUs + DAY_US)
  if (timeUs > lastUs || lastUs === nowUs)
    await database.write(({ query }) => writeRetentionTime(query, timeUs))
  if (nowUs > timeUs) {
    const counted_from = new Date(timeUs / 1000).toISOString()
    log.warn('The clock went ahead by more than a day: retention follows a day an hour', { counted_from })
  }
  return timeUs
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

/** Found by those who read, some at a time; marked, so that they leave every answer; deleted in the background. */
async function deleteOldRuns(context: Context, of: OldRunsOf, signal: AbortSignal): Promise<number> {
  const { database, clock, deletions } = context
  let deleted = 0
  let afterKey = 0
  while (!signal.aborted) {
    const aheadUs = clock() + DAY_US
    const keys = await listOldRuns(database.query, { ...of, aheadUs, afterKey, limit: BATCH_SIZE })
    if (keys.length === 0) break
    await database.write(({ query }) => markDeleted(query, { kind: 'run', keys }, clock()))
    void deletions.run()
    deleted += keys.length
    afterKey = keys.at(-1) ?? 0
  }
  return deleted
}
