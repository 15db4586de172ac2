import { FAILED_RERUN, NetworkError, ApiError } from '@runledger/core/tools'
import { formatCount } from '@runledger/presentation'
import { type Build, type Client, describeBuild, type RunListItem } from '@runledger/protocol'
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
import { type FailedTests, readFailedTests } from '../rerun/failed-tests'
import { findFailedBuild, type NamedBuild } from '../rerun/find-build'
import { planRerun } from '../rerun/plan-rerun'
import type { FailedTest } from '../rerun/recorded-run'
import { runInTerminal } from '../rerun/run-in-terminal'
import { findOwnSelection, SELECTABLE, type SelectableFramework } from '../rerun/select-tests'
import { type ServiceFlags, withoutSwitch, withService } from '../with-service'

export interface FailedFlags extends ServiceFlags, NamedBuild {
  framework?: string
  allow?: 'incomplete'
  wait: number
}

interface Found extends FailedTests {
  build: Build
  framework: SelectableFramework
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
  const { build, failed, unknown } = found
  if (failed.length === 0 && unknown === undefined) {
    if (flags.json) writeJson(output, describe(found, undefined, 0))
    else output.out(toSafeLine(`Nothing failed in build ${nameBuild(found)}.`))
    return
  }
  const own = findOwnSelection(found.framework, command)
  if (own !== undefined)
    throw new UsageError(`the command selects tests with ${own}, but --failed does that: leave it out`)
  const { args, note } = planRerun(found.framework, found, folder)
  tell(`Running ${describeFailed(failed)} of build ${nameBuild(found)}: ${build.url}`)
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
  const isIncomplete = result.missing.length > 0 || result.runs === 0
  const code = exitCode === 0 && isIncomplete ? 1 : exitCode
  if (flags.json) writeJson(output, describe(found, result, code))
  for (const line of describeResult(found, result)) tell(line)
  if (code !== 0) throw new ExitError(code)
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
  return { build, framework, ...(await readFailedTests(client, ofFramework)) }
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
  if (framework !== undefined) return framework
  throw new UsageError(`the tests of ${only} cannot be selected, only those of ${SELECTABLE.join(', ')}`)
}

/** @throws CommandError when what ran is not known and the command did not fail */
async function readResult(
  id: string,
  { failed }: Found,
  { flags, context, exitCode }: { flags: FailedFlags; context: CommandContext; exitCode: number },
): Promise<RerunResult> {
  try {
    return await withService(flags, context, ({ client }) => checkRerun(client, id, failed))
  } catch (error) {
    if (!(error instanceof NetworkError || error instanceof ApiError)) throw error
    const message = `what ran is not known: ${error.message}`
    throw exitCode === 0 ? new CommandError(message) : new ExitError(exitCode, message)
  }
}

const MAX_NAMED = 20

function describeResult({ failed }: Found, { passed, failed: again, missing, runs }: RerunResult): string[] {
  if (runs === 0)
    return [
      'The command left nothing on record: does it use a reporter of this version, and the same service?',
    ]
  const counts = `${passed} passed, ${again} failed, ${missing.length} did not run`
  const left = missing.length - MAX_NAMED
  return [
    `${passed + again} of ${describeFailed(failed)} ran again: ${counts}.`,
    ...missing.slice(0, MAX_NAMED).map((test) => `Did not run: ${describeTest(test)}`),
    ...(left > 0 ? [`Did not run: ${left} more`] : []),
  ]
}

function describeTest({ project, file, name }: FailedTest): string {
  return [project === '' ? file : `[${project}] ${file}`, ...(name === undefined ? [] : [name])].join(' › ')
}

function describeFailed(failed: readonly FailedTest[]): string {
  const files = failed.filter(({ name }) => name === undefined).length
  const tests = failed.length - files
  const parts = [
    ...(tests > 0 || files === 0 ? [formatCount(tests, 'failed test')] : []),
    ...(files > 0 ? [formatCount(files, 'failed file')] : []),
  ]
  return parts.join(' and ')
}

function nameBuild({ build, framework }: Found): string {
  return `${build.group} (${framework}, ${describeBuild(build)})`
}

/** As JSON. */
function describe({ build, framework, failed }: Found, result: RerunResult | undefined, exitCode: number) {
  return {
    build: { group: build.group, state: build.state, url: build.url },
    framework,
    failed: failed.length,
    passed_again: result?.passed ?? 0,
    failed_again: result?.failed ?? 0,
    not_run: (result?.missing ?? []).map(({ project, file, name = null }) => ({ project, file, name })),
    exit_code: exitCode,
  }
}
