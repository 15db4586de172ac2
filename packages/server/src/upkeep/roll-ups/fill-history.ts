import { setTimeout as sleep } from 'node:timers/promises'
import type { StorageContext } from '../../storage/context'
import { readInternal, writeSettingRow } from '../../storage/database/internal-settings'
import { reassignRuns } from '../../record/results/history/reassign-runs'
import { recountLine } from '../../record/results/line/line-store'
import { listProcedures, listRunKeys } from './roll-up-store'

const FILLED_TO = 'internal.history_filled_to'
/** The last procedure whose roll-ups of the line are made. */
const LINE_FILLED_TO = 'internal.line_filled_to'
const DONE = -1
const RUNS_AT_ONCE = 25
/** Others write in between. */
const PAUSE_MS = 20

/** Adds runs older than the history; continues after a restart. Returns what stops it after the current step. */
export function startFillingHistory(context: StorageContext): () => Promise<void> {
  const stopping = new AbortController()
  const filling = fillHistory(context, stopping.signal).catch((error: unknown) =>
    context.log.error('Adding old runs to the history failed; it goes on at the next start', error),
  )
  return () => {
    stopping.abort()
    return filling
  }
}

export async function fillHistory(
  { database, nextKey }: Pick<StorageContext, 'database' | 'nextKey'>,
  signal: AbortSignal,
): Promise<void> {
  const filled = await readInternal(database.query, FILLED_TO)
  let after = typeof filled === 'number' ? filled : 0
  // Later runs are added when they are created.
  const last = nextKey()
  while (after !== DONE && !signal.aborted) {
    const keys = (await listRunKeys(database.query, after, RUNS_AT_ONCE)).filter((key) => key < last)
    const next = keys.at(-1) ?? DONE
    await database.write(async (transaction) => {
      if (keys.length > 0) await reassignRuns(transaction, keys, nextKey)
      await writeSettingRow(transaction, FILLED_TO, next)
    })
    after = next
    await sleep(PAUSE_MS)
  }
  if (after === DONE) await fillLine(database, signal)
}

/** The line came later than the history, so procedures may lack its roll-ups. */
async function fillLine(database: StorageContext['database'], signal: AbortSignal): Promise<void> {
  const filled = await readInternal(database.query, LINE_FILLED_TO)
  if (filled === DONE) return
  const procedures = (await listProcedures(database.query)).toSorted((one, other) => one - other)
  for (const id of procedures.filter((each) => typeof filled !== 'number' || each > filled)) {
    if (signal.aborted) return
    await database.write(async (transaction) => {
      await recountLine(transaction.query, id)
      await writeSettingRow(transaction, LINE_FILLED_TO, id)
    })
    await sleep(PAUSE_MS)
  }
  await database.write((transaction) => writeSettingRow(transaction, LINE_FILLED_TO, DONE))
}
