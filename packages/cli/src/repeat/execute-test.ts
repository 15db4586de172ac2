import { REPEAT_FILE } from '@runledger/core/tools'
import type { TestDetail, TestReference } from '@runledger/protocol'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findTestId } from '../ask/history-pages'
import type { CommandContext } from '../command-context'
import { type ServiceFlags, withService } from '../with-service'
import { readTestOutcomes, type TestOutcome } from './repeated-runs'
import { withoutRepository } from './repository'
import { runCommand } from './run-command'

/** A test on record, and the command that runs it. */
export interface RepeatedTest {
  test: TestDetail
  command: readonly string[]
  stop: AbortSignal
  /** Ids of runs of earlier executions. */
  seen: Set<string>
}

/** The highest `--limit`. */
export const MAX_EXECUTIONS = 100_000

export interface Execution extends TestOutcome {
  ms: number
  /** The end of what the command printed. */
  tail: string
}

/** @throws CommandError if no test or several tests match */
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

/** Tests, each under all its names, and the command that runs them. */
interface RepeatedTests extends Omit<RepeatedTest, 'test'> {
  tests: readonly (readonly TestReference[])[]
}

interface Executed {
  /** One for each test, in their order. Empty if the command was stopped. */
  outcomes: TestOutcome[]
  /** Null if a signal ended the command, or it could not start. */
  exitCode: number | null
  ms: number
  /** The end of what the command printed. */
  tail: string
}

/**
 * Runs the command once, and reads the results of the tests from the runs that its reporter writes to a file. These runs are not put on
 * record, because many executions in a row would distort the failure rate.
 */
export async function executeTests(
  { tests, command, stop, seen }: RepeatedTests,
  { cwd, env }: { cwd: string; env: CommandContext['env'] },
): Promise<Executed> {
  const folder = await mkdtemp(path.join(tmpdir(), 'runledger-repeat-'))
  try {
    const file = path.join(folder, 'runs.jsonl')
    // Reporters ignore a file that other users may write to.
    await writeFile(file, '', { mode: 0o600 })
    const startMs = performance.now()
    const ended = await runCommand(command, { cwd, env: { ...env, [REPEAT_FILE]: file }, stop })
    const ms = performance.now() - startMs
    return { ...ended, ms, outcomes: stop.aborted ? [] : await readTestOutcomes(file, tests, seen) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs the command once for its test. Returns no outcome when aborted. */
export async function executeTest(
  { test, ...repeated }: RepeatedTest,
  place: { cwd: string; env: CommandContext['env'] },
): Promise<Execution> {
  const { outcomes, ms, tail } = await executeTests({ ...repeated, tests: [[test, ...test.aliases]] }, place)
  return { outcome: 'none', ...outcomes[0], ms, tail }
}

/** The environment of a repeated command. It has no key, because the command sends nothing and may run the code of old commits. */
export function createEnvironment({ procedure }: TestDetail, context: CommandContext): CommandContext['env'] {
  return {
    ...withoutKey(context),
    // In another working tree, the reporter finds no local credentials, so it does not know the procedure.
    RUNLEDGER_PROCEDURE_ID: procedure.identifier,
  }
}

/**
 * Without a key, and without the variables that name the repository of a git hook. A reporter that ignores the file for its runs sends
 * nothing, because it is switched off then.
 */
export function withoutKey({ env }: CommandContext): CommandContext['env'] {
  return { ...withoutRepository(env), RUNLEDGER_API_KEY: undefined, RUNLEDGER_DISABLED: '1' }
}

export const NO_RESULT = 'the command left no result of the test'

export function describeTail(tail: string): string {
  return tail.trim() === '' ? 'It printed nothing.' : `It printed at the end:\n${tail.trimEnd()}`
}
