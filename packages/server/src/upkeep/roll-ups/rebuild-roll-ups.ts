import type { StorageContext } from '../../storage/context'
import { recountLine } from '../../record/results/line/line-store'
import { reassignRuns } from '../../record/results/history/reassign-runs'
import {
  countDifferences,
  countRuns,
  describeResults,
  listProceduresOfDays,
  listRunKeys,
  recountDays,
} from './roll-up-store'

const RUNS_AT_ONCE = 25

export interface RebuiltRollUps {
  runs: number
  /** Runs whose results did not match their steps. */
  changed_runs: number
  changed_roll_ups: number
  /** Roll-ups that differ from a recount now: 0. */
  different: number
}

export type RollUpContext = Pick<StorageContext, 'database' | 'nextKey'>

export async function rebuildRollUps(
  { database, nextKey }: RollUpContext,
  progress: (runs: number, all: number) => void = () => undefined,
): Promise<RebuiltRollUps> {
  const all = await countRuns(database.query)
  const changedDays = await countDifferences(database.query)
  let [runs, changedRuns, after] = [0, 0, 0]
  for (;;) {
    const keys = await listRunKeys(database.query, after, RUNS_AT_ONCE)
    const last = keys.at(-1)
    if (last === undefined) break
    changedRuns += await database.write(async (transaction) => {
      const before = await describeResults(transaction.query, keys)
      await reassignRuns(transaction, keys, nextKey)
      const now = await describeResults(transaction.query, keys)
      return keys.filter((key) => before.get(key) !== now.get(key)).length
    })
    runs += keys.length
    after = last
    progress(runs, all)
  }
  for (const id of await listProceduresOfDays(database.query))
    await database.write(async ({ query }) => {
      await recountDays(query, id)
      await recountLine(query, id)
    })
  return {
    runs,
    changed_runs: changedRuns,
    changed_roll_ups: changedDays,
    different: await countDifferences(database.query),
  }
}
