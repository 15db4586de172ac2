import { ApiError, findGroup, readCiFacts } from '@runledger/core/tools'
import type { Client, OperationInput } from '@runledger/protocol'
import type { CommandContext } from '../command-context'
import { findTestId, isId } from './history-pages'
import { findRunId } from './run'

type ExplainQuery = NonNullable<OperationInput<'explainFailures'>['query']>

type Surroundings = Pick<CommandContext, 'env' | 'cwd'>

const BEGINNING_OF_ID = /^[\da-f]{8,}(?:-[\da-f-]*)?$/i

/** Resolves a run's id or address, or a test's id or name. @throws CommandError when there is no such failure */
export async function findFailure(client: Client, given: string): Promise<ExplainQuery> {
  const [, page, name = ''] = /\/(runs|tests|builds)\/([^/?#]+)/.exec(given) ?? []
  const isAddress = given.startsWith('http') && page !== undefined
  if (isAddress && page === 'builds') return { group: decodeURIComponent(name) }
  if (isAddress) return page === 'runs' ? { run_id: name } : { test_id: name }
  const group = /[?&]group=([^&#]+)/.exec(given)?.[1]
  if (given.startsWith('http') && group !== undefined) return { group: decodeURIComponent(group) }
  if (isId(given)) return (await isRun(client, given)) ? { run_id: given } : { test_id: given }
  if (BEGINNING_OF_ID.test(given)) return { run_id: await findRunId(client, given) }
  return { test_id: await findTestId(client, given) }
}

async function isRun(client: Client, id: string): Promise<boolean> {
  const { data } = await client.listRuns({ query: { ids: [id], limit: 1 } })
  return data.length > 0
}

/** The build of this CI job, else the last one of the checked-out branch; undefined where neither is known. */
export async function findCurrentBuild(client: Client, surroundings: Surroundings): Promise<ExplainQuery> {
  const group = await findCurrentGroup(surroundings)
  if (group !== undefined && (await hasBuild(client, group))) return { group }
  const { branch } = await readCiFacts(surroundings.env, surroundings.cwd)
  return branch === undefined ? {} : { branch }
}

/** Finds the group that reporters use here: that of `RUNLEDGER_GROUP` or of this CI job. Undefined if neither is known. */
export async function findCurrentGroup({ env, cwd }: Surroundings): Promise<string | undefined> {
  return deriveCurrentGroup(env, await readCiFacts(env, cwd))
}

export function deriveCurrentGroup(
  env: Surroundings['env'],
  facts: Awaited<ReturnType<typeof readCiFacts>>,
): string | undefined {
  return findGroup(env['RUNLEDGER_GROUP']?.trim() || undefined, facts)
}

async function hasBuild(client: Client, group: string): Promise<boolean> {
  return client
    .getBuild({ params: { group } })
    .then(() => true)
    .catch((error: unknown) => {
      if (error instanceof ApiError && error.statusCode === 404) return false
      throw error
    })
}
