import { ApiError, ConfigError, deriveGroup, NetworkError, readCiFacts } from '@runledger/core/tools'
import type { OperationInput, TakenShard } from '@runledger/protocol'
import { CommandError } from '../command-error'
import type { CommandContext } from '../command-context'
import { findSettings } from '../service-settings'
import { type ServiceFlags, withService } from '../with-service'

/** What the service is asked for; without a build or a procedure, shards cannot find a plan of theirs. */
export type AskedShard = Omit<OperationInput<'takeShard'>['body'], 'procedure_id' | 'build'> & {
  procedure_id: string | undefined
  build: string | undefined
}

export type Answer = { taken: TakenShard } | { reason: string; mayAskLater: boolean }

const PATIENCE_MS = 3_000

/** The build that the shard belongs to: by its group, else by its commit. */
export async function findBuild({ env, cwd }: Pick<CommandContext, 'env' | 'cwd'>): Promise<{
  group: string | undefined
  build: string | undefined
}> {
  const facts = await readCiFacts(env, cwd)
  const option = env['RUNLEDGER_GROUP']?.trim() || undefined
  const group = option === undefined && facts.buildId === undefined ? undefined : deriveGroup(option, facts)
  return { group, build: group ?? facts.commit }
}

/** Asks once, for at most three seconds. @throws CommandError if the plan is for other files */
export async function askForShard(
  asked: AskedShard,
  flags: ServiceFlags,
  context: CommandContext,
): Promise<Answer> {
  const { procedure_id, build } = asked
  const unknown = findUnknown(asked, flags, context)
  if (unknown !== undefined || procedure_id === undefined || build === undefined)
    return { reason: unknown ?? '', mayAskLater: false }
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const late = new Promise<Answer>((resolve) => {
    const reason = `the service did not respond within ${PATIENCE_MS / 1_000} s`
    signal.addEventListener('abort', () => resolve({ reason, mayAskLater: true }), { once: true })
  })
  const answer = withService(flags, context, async ({ client }): Promise<Answer> => {
    return { taken: await client.takeShard({ body: { ...asked, procedure_id, build } }, { signal }) }
  }).catch((error: unknown): Answer => explain(error, signal))
  return Promise.race([answer, late])
}

function findUnknown(
  { procedure_id: procedure, build }: AskedShard,
  flags: ServiceFlags,
  context: CommandContext,
): string | undefined {
  const { url, apiKey } = findSettings(flags, context)
  if (url.value === undefined || apiKey.value === undefined)
    return 'no service is set (RUNLEDGER_URL, RUNLEDGER_API_KEY)'
  if (procedure === undefined) return 'no procedure is set (RUNLEDGER_PROCEDURE_ID, --procedure)'
  return build === undefined ? 'neither a group (RUNLEDGER_GROUP) nor a commit is known' : undefined
}

/** @throws CommandError */
function explain(error: unknown, signal: AbortSignal): Answer {
  if (signal.aborted || error instanceof NetworkError || error instanceof ConfigError)
    return { reason: messageOfError(error), mayAskLater: !(error instanceof ConfigError) }
  if (!(error instanceof ApiError)) throw error
  if (error.statusCode === 409)
    throw new CommandError(`${error.message} Give it one with --name, the same for all of its shards.`)
  return { reason: error.message, mayAskLater: true }
}

function messageOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
