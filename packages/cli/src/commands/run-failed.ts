import { FAILED_RERUN, NetworkError, ApiError, readCiFacts } from '@runledger/core/tools'
import type { Client } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { CommandError, ExitError } from '../command-error'
import type { CommandContext, Surface } from '../command-context'
import { findFolder } from '../find-folder'
import { writeJson } from '../output'
import { toSafeLine } from '../plain-text'
import { checkRerun, type RerunResult } from '../rerun/check-rerun'
import {
  describeResult,
  describeTests,
  type Found,
  listOthers,
  nameBuild,
  toRow,
} from '../rerun/describe-rerun'
import { listTests, readFailures } from '../rerun/failed-tests'
import { isOfFramework } from '../rerun/failures'
import { findEndedBuild, type RerunBuild } from '../rerun/find-build'
import { planRerun } from '../rerun/plan-rerun'
import { runInTerminal } from '../rerun/run-in-terminal'
import { refuseOwnSelection } from '../rerun/select-tests'
import { type ServiceFlags, withoutSwitch, withService } from '../with-service'

export interface FailedFlags extends ServiceFlags, RerunBuild {}

/** Runs the command once, for the tests of a build that did not pass. */
export async function runFailed(
  command: readonly string[],
  flags: FailedFlags,
  { output, context }: Surface,
): Promise<void> {
  const tell = (text: string) => output.err(toSafeLine(text))
  const folder = await realpath(findFolder(flags.dir, context.cwd))
  const found = await withService(flags, context, ({ client }) =>
    findFailed(client, flags, { output, context }),
  )
  const { build, tests } = found
  if (tests.failed.length + tests.unrun.length === 0) {
    const others = listOthers(found)
    if (flags.json) writeJson(output, describe(found, undefined, others.length > 0 ? 1 : 0))
    else if (others.length === 0) output.out(toSafeLine(`Nothing to run again in build ${nameBuild(found)}.`))
    for (const line of others) tell(line)
    if (others.length > 0) throw new ExitError(1)
    return
  }
  refuseOwnSelection(found.framework, command, '--failed')
  const { args, note } = planRerun(found.framework, tests, folder)
  tell(`Running ${describeTests(tests)} of build ${nameBuild(found)}: ${build.url}`)
  if (note !== undefined) tell(note)
  const id = randomUUID()
  const exitCode = await runInTerminal([...command, ...args], {
    cwd: folder,
    env: {
      ...withoutSwitch(context.env),
      ...(flags.url !== undefined && { RUNLEDGER_URL: flags.url }),
      [FAILED_RERUN]: id,
    },
    stdout: flags.json ? 2 : 'inherit',
  })
  const result = await readResult(id, found, { flags, context, exitCode })
  const isCi = (await readCiFacts(context.env, folder)).ci !== undefined
  const code = exitCode === 0 && !isCleared(found, result, isCi) ? 1 : exitCode
  if (flags.json) writeJson(output, describe(found, result, code))
  for (const line of [...describeResult(found, result, isCi), ...listOthers(found)]) tell(line)
  if (code !== 0) throw new ExitError(code)
}

/** Outside of a CI, failures that need another system or Node version, or more passes, do not fail the command. */
function isCleared(
  found: Found,
  { failed, missing, uncleared, ...result }: RerunResult,
  isCi: boolean,
): boolean {
  const hasPassed = failed + missing.length + result.failedRuns === 0 && result.runs > 0
  return hasPassed && listOthers(found).length === 0 && !(isCi && uncleared.length > 0)
}

async function findFailed(client: Client, flags: FailedFlags, surface: Surface): Promise<Found> {
  const { build, framework, runs } = await findEndedBuild(client, flags, surface)
  const ofFramework = runs.filter((run) => isOfFramework(run, framework))
  const failures = await readFailures(client, ofFramework)
  const listed = runs.filter(({ outcome }) => outcome !== 'PASS').length
  return {
    build,
    framework,
    failures,
    tests: listTests(failures.list(), ofFramework),
    unlisted: Math.max(0, build.runs.failed - listed),
  }
}

/** @throws CommandError when what ran is not known and the command did not fail */
async function readResult(
  id: string,
  found: Found,
  { flags, context, exitCode }: { flags: FailedFlags; context: CommandContext; exitCode: number },
): Promise<RerunResult> {
  try {
    return await withService(flags, context, ({ client }) => checkRerun(client, id, found))
  } catch (error) {
    if (!(error instanceof NetworkError || error instanceof ApiError)) throw error
    const message = `what ran is not known: ${error.message}`
    throw exitCode === 0 ? new CommandError(message) : new ExitError(exitCode, message)
  }
}

/** As JSON. */
function describe(found: Found, result: RerunResult | undefined, exitCode: number) {
  const { build, framework, tests } = found
  return {
    build: { group: build.group, state: build.state, url: build.url },
    framework,
    failed: tests.failed.length,
    passed_again: result?.passed ?? 0,
    failed_again: result?.failed ?? 0,
    not_run: (result?.missing ?? []).map(toRow),
    not_cleared: (result?.uncleared ?? []).map(({ failure: { test, environment } }) => ({
      ...toRow(test),
      environment,
    })),
    other_failures: listOthers(found),
    exit_code: exitCode,
  }
}
