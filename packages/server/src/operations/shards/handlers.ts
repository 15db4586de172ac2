import type { TakenShard } from '@runledger/protocol'
import { NO_HISTORY, planShards } from '@runledger/statistics'
import { HttpError } from '../../base/errors'
import type { Context } from '../call/context'
import type { Call, Handlers } from '../call/handler'
import {
  digestKey,
  findPlan,
  insertPlan,
  isRemoved,
  updatePlan,
} from '../../record/results/shards/plan-store'
import { readShardHistory } from '../../record/results/shards/read-history'
import { type AskedShard, takeFromPlan } from '../../record/results/shards/take-shard'
import type { Transaction } from '../../storage/database/database'
import type { ShardPlansTable } from '../../storage/database/schema/shards'

export const SHARD_HANDLERS: Handlers<'takeShard'> = { takeShard: (call) => takeShard(call) }

/** @throws HttpError CONFLICT, SERVICE_UNAVAILABLE */
async function takeShard({ context, body, write }: Call<'takeShard'>): Promise<TakenShard> {
  const known = await write(async (transaction, { id }) => ({
    procedureId: id,
    taken: await takeStored(context, transaction, { procedureId: id, asked: body }),
  }))
  if (known.taken) return known.taken
  // Plans outside the transaction, so that other writes do not wait.
  const plan = await createPlan(context, known.procedureId, body)
  return write(async (transaction, { id }) => {
    // Another shard may have stored a plan meanwhile.
    const taken = await takeStored(context, transaction, { procedureId: id, asked: body })
    if (taken) return taken
    await insertPlan(transaction.query, plan)
    return takeFromPlan(plan, body).answer
  })
}

async function takeStored(
  { clock }: Context,
  { query }: Transaction,
  { procedureId, asked }: { procedureId: number; asked: AskedShard },
): Promise<TakenShard | undefined> {
  const plan = await findPlan(query, procedureId, asked)
  if (!plan) return undefined
  if (isRemoved(plan)) throw removedPlanError()
  const { answer, extended } = takeFromPlan(plan, asked)
  if (extended !== undefined) await updatePlan(query, { ...plan, shards: extended }, { nowUs: clock() })
  return answer
}

function removedPlanError(): HttpError {
  return new HttpError(
    'CONFLICT',
    "The plan of this build's shards was removed to make room for later ones, so it is not known which files the other shards ran. Start a new build.",
  )
}

async function createPlan(
  { database, clock, nextKey }: Context,
  procedureId: number,
  asked: AskedShard,
): Promise<ShardPlansTable> {
  const history = asked.by_count
    ? NO_HISTORY
    : await readShardHistory(database.query, procedureId, asked.files)
  return {
    id: nextKey(),
    procedure_id: procedureId,
    digest: digestKey(asked),
    shards: JSON.stringify(planShards(asked.files, asked.shard_total, history)),
    by_count: history.durations.size === 0 ? 1 : 0,
    created_at_us: clock(),
  }
}
