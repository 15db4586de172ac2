import {
  ApiError,
  ConfigError,
  deriveRetryDelayMs,
  isForkedPullRequest,
  isWorthRetrying,
  messageOf,
  NetworkError,
  readCiFacts,
} from '@runledger/core/tools'
import type { OperationInput, TakenShard } from '@runledger/protocol'
import { deriveCurrentGroup } from '../ask/failure'
import { SYSTEM_CLOCK } from '../clock'
import { CommandError } from '../command-error'
import type { CommandContext } from '../command-context'
import { findSettings } from '../service-settings'
import { type ServiceFlags, withService } from '../with-service'

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

interface Asker {
  flags: ServiceFlags
  context: CommandContext
}

const PATIENCE_MS = 3_000
/** A shard that ran its part by count fails without an answer, so it waits longer: in total, and for each request. */
const LATER_MS = 60_000
const LATER_PATIENCE_MS = 15_000

/** Names the build of the shard by its group, else by its commit. */
export async function identifyBuild({ env, cwd }: Pick<CommandContext, 'env' | 'cwd'>): Promise<{
  group: string | undefined
  build: string | undefined
}> {
  const facts = await readCiFacts(env, cwd)
  const group = deriveCurrentGroup(env, facts)
  return { group, build: group ?? facts.commit }
}

/** Asks once, and waits at most `patienceMs`. @throws CommandError if the plan is for other files */
export async function askForShard(
  asked: AskedShard,
  { flags, context }: Asker,
  patienceMs = PATIENCE_MS,
): Promise<Answer> {
  const { procedure_id, build } = asked
  if (build === undefined)
    return { reason: 'neither a group (RUNLEDGER_GROUP) nor a commit is known', plan: 'none' }
  const unset = findUnset({ flags, context })
  if (unset) return unset
  if (procedure_id === undefined)
    return { reason: 'no procedure is set (RUNLEDGER_PROCEDURE_ID, --procedure)', plan: 'unknown' }
  const signal = AbortSignal.timeout(patienceMs)
  const late = new Promise<Answer>((resolve) => {
    const reason = `the service did not respond within ${patienceMs / 1_000} s`
    signal.addEventListener('abort', () => resolve({ reason, plan: 'later' }), { once: true })
  })
  const answer = withService(flags, context, async ({ client }): Promise<Answer> => {
    return { taken: await client.takeShard({ body: { ...asked, procedure_id, build } }, { signal }) }
  }).catch((error: unknown): Answer => explain(error, signal))
  return Promise.race([answer, late])
}

/** Asks until the service responds, at most for about a minute. @throws CommandError if the plan is for other files */
export async function askPatientlyForShard(asked: AskedShard, asker: Asker): Promise<Answer> {
  const { clock = SYSTEM_CLOCK } = asker.context
  const endMs = clock.nowMs() + LATER_MS
  for (let retry = 1; ; retry += 1) {
    const answer = await askForShard(asked, asker, LATER_PATIENCE_MS)
    const delayMs = deriveRetryDelayMs(retry)
    if ('taken' in answer || answer.plan !== 'later' || clock.nowMs() + delayMs > endMs) return answer
    await clock.sleep(delayMs)
  }
}

/** If only the address or the key is missing, other shards may have it. In a pull request from a fork, no shard has a key. */
function findUnset({ flags, context }: Asker): Unplanned | undefined {
  const { url, apiKey } = findSettings(flags, context)
  if (url.value !== undefined && apiKey.value !== undefined) return undefined
  const hasNone = url.value === undefined && apiKey.value === undefined
  const isForked = apiKey.value === undefined && isForkedPullRequest(context.env)
  return {
    reason: 'no service is set (RUNLEDGER_URL, RUNLEDGER_API_KEY)',
    plan: hasNone || isForked ? 'none' : 'unknown',
  }
}

/** @throws CommandError if the plan is for other files */
function explain(error: unknown, signal: AbortSignal): Answer {
  if (signal.aborted || error instanceof NetworkError || error instanceof ConfigError)
    return { reason: messageOf(error), plan: error instanceof ConfigError ? 'unknown' : 'later' }
  if (!(error instanceof ApiError)) throw error
  if (error.statusCode === 409) throw new CommandError(error.message)
  if (isUnknownOperation(error)) return { reason: 'the service is too old to plan shards', plan: 'none' }
  return { reason: error.message, plan: isWorthRetrying(error.statusCode) ? 'later' : 'unknown' }
}

/** Checks the message, because an unknown procedure also gets 404. */
function isUnknownOperation({ statusCode, reason = '' }: ApiError): boolean {
  return statusCode === 404 && /^The route POST (?:\/api)?\/v2\/shards was not found\.$/.test(reason)
}
