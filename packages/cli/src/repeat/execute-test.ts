import { ApiError, CI_MARKS, resolveOptions } from '@runledger/core/tools'
import { type BuildTest, type Client, MAX_PAGE_LIMIT, type TestDetail } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import { findTestId } from '../ask/history-pages'
import { CommandError } from '../command-error'
import type { CommandContext } from '../command-context'
import { findFolder } from '../find-folder'
import { type ServiceFlags, withoutSwitch, withService } from '../with-service'
import { runCommand } from './run-command'
import { withoutRepository } from './repository'

/** A test that a command executes, with the service that has it on record. */
export interface RepeatedTest {
  test: TestDetail
  command: readonly string[]
  flags: ServiceFlags
  context: CommandContext
  stop: AbortSignal
}

/** Most executions that an option can ask for. */
export const MAX_EXECUTIONS = 100_000

export interface Execution {
  /** Outcome of the first attempt on record; `none` if the test did not run. */
  outcome: 'passed' | 'failed' | 'none'
  /** The run on record that decided. */
  runId: string | undefined
  ms: number
  /** The end of what the command printed. */
  tail: string
}

/** @throws CommandError when there is no such test, or the name means several */
export async function findTest(
  given: string,
  { branch, ...flags }: ServiceFlags & { branch?: string },
  context: CommandContext,
): Promise<TestDetail> {
  return withService(flags, context, async ({ client }) => {
    const id = await findTestId(client, given)
    return client.getTest({ params: { id }, query: { branch } })
  })
}

export function nameGroup(purpose: string): string {
  return `${purpose}-${randomUUID()}`
}

export interface ExecutionPlace {
  cwd: string
  env: CommandContext['env']
  /** The build that the execution belongs to: all of one commit. */
  group: string
}

/**
 * Runs the command once and reads from the record what became of the test. Aborted, it returns no outcome.
 * @throws ApiError, NetworkError when the service cannot be asked
 */
export async function executeTest(
  { test, command, flags, context, stop }: RepeatedTest,
  { cwd, env, group }: ExecutionPlace,
): Promise<Execution> {
  const list = () => withService(flags, context, ({ client }) => listResults(client, test, group))
  const earlier = new Set((await list()).map(({ run_id: id }) => id))
  const startMs = performance.now()
  const { tail } = await runCommand(command, { cwd, env: { ...env, RUNLEDGER_GROUP: group }, stop })
  const ms = performance.now() - startMs
  if (stop.aborted) return { outcome: 'none', runId: undefined, ms, tail }
  const results = (await list()).filter(
    ({ run_id: id, outcome }) => !earlier.has(id) && outcome !== 'skipped',
  )
  const failed = results.find(({ outcome }) => outcome !== 'passed')
  const outcome = failed ? 'failed' : results.length > 0 ? 'passed' : 'none'
  return { outcome, runId: (failed ?? results[0])?.run_id, ms, tail }
}

type BuildTests = Awaited<ReturnType<Client['listBuildTests']>>

/** The results of a test in a build, under its earlier names too. */
async function listResults(client: Client, { id, aliases }: TestDetail, group: string): Promise<BuildTest[]> {
  const ids = [id, ...aliases.map((alias) => alias.id)]
  const results: BuildTest[] = []
  for (let cursor: number | null = 0; cursor !== null;) {
    const page: BuildTests | undefined = await client
      .listBuildTests({ params: { group }, query: { limit: MAX_PAGE_LIMIT, cursor } })
      .catch(ignoreUnknown)
    results.push(...(page?.data.filter(({ test }) => ids.includes(test.id)) ?? []))
    cursor = page?.meta.next_cursor ?? null
  }
  return results
}

/** Before the first execution, there is no build. */
function ignoreUnknown(error: unknown): undefined {
  if (error instanceof ApiError && error.statusCode === 404) return undefined
  throw error
}

/** The variables of a command that runs here: what the service is, is found as usual. */
export function environmentHere({ url }: ServiceFlags, { env }: CommandContext): CommandContext['env'] {
  return { ...withoutSwitch(withoutRepository(env)), ...(url !== undefined && { RUNLEDGER_URL: url }) }
}

/**
 * The variables of a command in a copy of the project elsewhere: it finds no local credentials, and the variables of a CI would name
 * the wrong commit. @throws CommandError without a key
 */
export function environmentElsewhere(
  test: TestDetail,
  { url, dir }: ServiceFlags,
  { env, cwd }: CommandContext,
): CommandContext['env'] {
  const options = resolveOptions(url === undefined ? {} : { url }, withoutSwitch(env), findFolder(dir, cwd))
  if (options.url === undefined || options.apiKey === undefined)
    throw new CommandError('no service is known: set RUNLEDGER_URL and RUNLEDGER_API_KEY')
  return {
    ...withoutSwitch(withoutRepository(env)),
    ...Object.fromEntries(CI_MARKS.map((name) => [name, undefined])),
    RUNLEDGER_URL: options.url,
    RUNLEDGER_API_KEY: options.apiKey,
    RUNLEDGER_PROCEDURE_ID: test.procedure.identifier,
  }
}

/** Why a command that ran left no result of the test. */
export function explainNone({ tail }: Execution): string {
  const end = tail.trim() === '' ? 'It printed nothing.' : `It printed at the end:\n${tail.trimEnd()}`
  return `the command left no result of the test on record. ${end}`
}
