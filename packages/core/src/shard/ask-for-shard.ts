import { type OperationInput, type TakenShard, TakenShardSchema } from '@runledger/protocol'
import { connectService } from '../api/connect-service'
import type { Environment, Options } from '../config/options'
import { resolveOptions } from '../config/resolve-options'
import { isForkedPullRequest } from '../environment/fork'
import { ApiError, ConfigError, NetworkError } from '../model/errors'
import { deriveRetryDelayMs, isWorthRetrying } from '../transport/retrying-transport'
import { messageOf } from '../util/print-warning'

/** The request for a shard. Without a build or a procedure, shards cannot share a plan. */
export type AskedShard = Omit<OperationInput<'takeShard'>['body'], 'procedure_id' | 'build'> & {
  procedure_id: string | undefined
  build: string | undefined
}

export type Answer = { taken: TakenShard } | Unplanned

export interface Unplanned {
  reason: string
  /** `none`: no shard can follow a plan. `later`: asking again may give a plan. `unknown`: other shards may follow a plan. */
  plan: 'none' | 'later' | 'unknown'
}

export interface ShardAsker {
  options: Options
  env: Environment
  projectRoot: string
  clock: { nowMs(): number; sleep(ms: number): Promise<unknown> }
}

const PATIENCE_MS = 3_000
/** A shard that ran its part by count waits longer: in total, and for each request. */
const LATER_MS = 60_000
const LATER_PATIENCE_MS = 15_000
/** If the service asks to wait longer before a retry, the request fails at once. */
const LONGEST_WAIT_MS = 10_000

/** Asks once, and waits at most `patienceMs`. @throws ApiError 409 if the plan is for other files */
export async function askForShard(
  asked: AskedShard,
  asker: ShardAsker,
  patienceMs = PATIENCE_MS,
): Promise<Answer> {
  const { procedure_id, build } = asked
  if (build === undefined)
    return { reason: 'neither a group (RUNLEDGER_GROUP) nor a commit is known', plan: 'none' }
  const unset = findUnset(asker)
  if (unset) return unset
  if (procedure_id === undefined)
    return { reason: 'no procedure is set (RUNLEDGER_PROCEDURE_ID)', plan: 'unknown' }
  const signal = AbortSignal.timeout(patienceMs)
  const late = new Promise<Answer>((resolve) => {
    const reason = `the service did not respond within ${patienceMs / 1_000} s`
    signal.addEventListener('abort', () => resolve({ reason, plan: 'later' }), { once: true })
  })
  const answer = take({ ...asked, procedure_id, build }, asker, signal).catch((error: unknown) =>
    explain(error, signal),
  )
  return Promise.race([answer, late])
}

/** Asks until the service responds, at most for about a minute. @throws ApiError 409 if the plan is for other files */
export async function askPatientlyForShard(asked: AskedShard, asker: ShardAsker): Promise<Answer> {
  const { clock } = asker
  const endMs = clock.nowMs() + LATER_MS
  for (let retry = 1; ; retry += 1) {
    const answer = await askForShard(asked, asker, LATER_PATIENCE_MS)
    const delayMs = deriveRetryDelayMs(retry)
    if ('taken' in answer || answer.plan !== 'later' || clock.nowMs() + delayMs > endMs) return answer
    await clock.sleep(delayMs)
  }
}

async function take(
  body: OperationInput<'takeShard'>['body'],
  { options, env, projectRoot }: ShardAsker,
  signal: AbortSignal,
): Promise<Answer> {
  const service = await connectService({ options, env, projectRoot, longestWaitMs: LONGEST_WAIT_MS })
  try {
    const { data } = TakenShardSchema.safeParse(await service.client.takeShard({ body }, { signal }))
    return data ? { taken: data } : { reason: 'the answer of the service is no plan', plan: 'unknown' }
  } finally {
    await service.close()
  }
}

/** If only the address or the key is missing, other shards may have it. In a pull request from a fork, no shard has a key. */
function findUnset({ options, env, projectRoot }: ShardAsker): Unplanned | undefined {
  const { url, apiKey } = resolveOptions(options, env, projectRoot)
  if (url !== undefined && apiKey !== undefined) return undefined
  const hasNone = url === undefined && apiKey === undefined
  const isForked = apiKey === undefined && isForkedPullRequest(env)
  return {
    reason: 'no service is set (RUNLEDGER_URL, RUNLEDGER_API_KEY)',
    plan: hasNone || isForked ? 'none' : 'unknown',
  }
}

/** @throws ApiError 409 if the plan is for other files */
function explain(error: unknown, signal: AbortSignal): Answer {
  if (signal.aborted || error instanceof NetworkError || error instanceof ConfigError)
    return { reason: messageOf(error), plan: error instanceof ConfigError ? 'unknown' : 'later' }
  if (!(error instanceof ApiError) || error.statusCode === 409) throw error
  if (isUnknownOperation(error)) return { reason: 'the service is too old to plan shards', plan: 'none' }
  return { reason: error.message, plan: isWorthRetrying(error.statusCode) ? 'later' : 'unknown' }
}

/** Checks the message, because an unknown procedure also gets 404. */
function isUnknownOperation({ statusCode, reason = '' }: ApiError): boolean {
  return statusCode === 404 && /^The route POST (?:\/api)?\/v2\/shards was not found\.$/.test(reason)
}
