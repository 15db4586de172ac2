import {
  MAX_PATHS_LENGTH,
  MAX_PLANNED_FILES,
  formatTimestampUs,
  type TakeShardRequest,
  type TakenShard,
} from '@runledger/protocol'
import { HttpError } from '../../../base/errors'
import type { ShardPlansTable } from '../../../storage/database/schema/shards'

export type AskedShard = Omit<TakeShardRequest, 'procedure_id'>

export interface TakenFromPlan {
  answer: TakenShard
  /** The plan with the files that no earlier shard found; undefined if there are none. */
  extended: string | undefined
}

/**
 * Returns the files of a shard in a stored plan. A file that is not in the plan yet goes to the shard that asks, because that shard is
 * the first to find it. @throws HttpError CONFLICT for the files of another suite
 */
export function takeFromPlan(plan: ShardPlansTable, asked: AskedShard): TakenFromPlan {
  const shards = JSON.parse(plan.shards) as string[][]
  const planned = new Set(shards.flat())
  const found = new Set(asked.files)
  const added = [...found].filter((file) => !planned.has(file)).toSorted()
  if (added.length > found.size / 2 && planned.size > 0) throw otherSuiteError(added.length, asked)
  const own = [...(shards[asked.shard_index - 1] ?? []), ...added]
  shards[asked.shard_index - 1] = own
  if (added.length > 0) checkSize([...planned, ...added])
  return {
    answer: {
      files: own.filter((file) => found.has(file)).toSorted(),
      absent: own.filter((file) => !found.has(file)).toSorted(),
      planned_at: formatTimestampUs(plan.created_at_us),
      by_count: plan.by_count === 1,
    },
    extended: added.length > 0 ? JSON.stringify(shards) : undefined,
  }
}

/** @throws HttpError CONFLICT */
function checkSize(files: readonly string[]): void {
  const length = files.reduce((sum, file) => sum + file.length, 0)
  if (files.length <= MAX_PLANNED_FILES && length <= MAX_PATHS_LENGTH) return
  throw new HttpError('CONFLICT', 'The shards of this build found too many different files for one plan.')
}

function otherSuiteError(count: number, { files, framework, shard_total: total }: AskedShard): HttpError {
  return new HttpError(
    'CONFLICT',
    `This build has a plan of ${total} ${framework} shards, and ${count} of these ${files.length} files are not in it. If they are of another suite or system, give each of these a name of its own (RUNLEDGER_SHARD_NAME, or --name of runledger shard).`,
  )
}
