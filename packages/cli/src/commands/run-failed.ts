import { FAILED_RERUN, NetworkError, ApiError, readCiFacts } from '@runledger/core/tools'
import { type Client, describeBuild, type RunListItem } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { listRunsWith, readVariable } from '../ask/runs'
import { CommandError, ExitError, UsageError } from '../command-error'
import type { CommandContext, Surface } from '../command-context'
import { findFolder } from '../find-folder'
import { createPatience } from '../gate/wait-for-build'
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
import { findFailedBuild, type NamedBuild } from '../rerun/find-build'
import { planRerun } from '../rerun/plan-rerun'
import { runInTerminal } from '../rerun/run-in-terminal'
import { findOwnSelection, SELECTABLE, type SelectableFramework } from '../rerun/select-tests'
import { type ServiceFlags, withoutSwitch, withService } from '../with-service'

export interface FailedFlags extends ServiceFlags, NamedBuild {
  framework?: string
  allow?: 'incomplete'
  wait: number
}

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
  const own = findOwnSelection(found.framework, command)
  if (own !== undefined)
    throw new UsageError(`the command selects tests with ${own}, but --failed does that: leave it out`)
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

/** @throws CommandError when it is not known what failed */
async function findFailed(client: Client, flags: FailedFlags, { output, context }: Surface): Promise<Found> {
  const patience = createPatience(flags.wait, { output, context })
  const build = await findFailedBuild(client, flags, { context, patience })
  if (build.state !== 'passed' && build.state !== 'failed') {
    const message = `the build is ${describeBuild(build)}`
    if (flags.allow !== 'incomplete')
      throw new CommandError(
        `${message}, so what failed is not known: to run what is on record, --allow incomplete`,
      )
    output.err(toSafeLine(`Allowed (incomplete): ${message}`))
  }
  const runs = await listRunsWith(client, 'group', build.group)
  const framework = selectFramework(runs, flags.framework)
  const ofFramework = runs.filter((run) => readVariable(run, 'framework') === framework)
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

/** @throws UsageError when there are several, and none is named */
function selectFramework(runs: readonly RunListItem[], named: string | undefined): SelectableFramework {
  const all = [...new Set(runs.map((run) => readVariable(run, 'framework') ?? 'no framework'))]
  const [only = 'no framework', ...others] = named === undefined ? all : [named]
  if (others.length > 0)
    throw new UsageError(
      `the build has runs of ${all.join(', ')}: name with --framework what the command runs`,
    )
  const framework = SELECTABLE.find((each) => each === only)
  if (framework !== undefined && !all.includes(framework))
    throw new UsageError(`the build has no runs of ${framework}, only of ${all.join(', ')}`)
  if (framework !== undefined) return framework
  throw new UsageError(`the tests of ${only} cannot be selected, only those of ${SELECTABLE.join(', ')}`)
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
