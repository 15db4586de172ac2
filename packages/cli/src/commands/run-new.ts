import { formatCount, formatShare } from '@runledger/presentation'
import { upperBoundWithoutFailure } from '@runledger/statistics'
import { realpath } from 'node:fs/promises'
import { SYSTEM_CLOCK } from '../clock'
import { ReportedError } from '../command-error'
import type { Surface } from '../command-context'
import { findFolder } from '../find-folder'
import { writeJson } from '../output'
import { toSafeLine, toSafeText } from '../plain-text'
import { describeTail, executeTests, withoutKey } from '../repeat/execute-test'
import { untilStopped } from '../repeat/until-stopped'
import { nameBuild, nameSome, nameTest, toRow } from '../rerun/describe-rerun'
import { listNodes } from '../rerun/failed-tests'
import { type EndedBuild, findEndedBuild, type RerunBuild } from '../rerun/find-build'
import { findNewTests, type NewTest } from '../rerun/new-tests'
import { planRerun } from '../rerun/plan-rerun'
import { refuseOwnSelection, type SelectedArguments } from '../rerun/select-tests'
import { type ServiceFlags, withService } from '../with-service'

export interface NewFlags extends ServiceFlags, RerunBuild {
  /** Milliseconds. */
  repeatNew: number
}

/** After so many passes, the 95 % interval of the failure rate ends at 5 %. More would say little. */
const MAX_EXECUTIONS = 73

interface Repeated extends NewTest {
  passed: number
  /** Why the test is not run again. `error` is the message of the failure; null if the test did not run. */
  problem?: { execution: number; error: string | null }
}

interface Result {
  executions: number
  tests: Repeated[]
  /** Why the command stopped before its budget ended. */
  stopped?: string
}

/** Runs the new tests of a build again and again, within a budget of time. */
export async function runNew(
  command: readonly string[],
  flags: NewFlags,
  { output, context }: Surface,
): Promise<void> {
  const folder = await realpath(findFolder(flags.dir, context.cwd))
  const { ended, tests } = await withService(flags, context, async ({ client }) => {
    const build = await findEndedBuild(client, flags, { output, context })
    return { ended: build, tests: await findNewTests(client, build) }
  })
  refuseOwnSelection(ended.framework, command, '--repeat-new')
  const found = `${formatCount(tests.length, 'new test')} in build ${nameBuild(ended)}`
  output.err(toSafeLine(`${found}${tests.length === 0 ? '.' : `: ${ended.build.url}`}`))
  const result = await untilStopped((stop) =>
    repeat(tests, { ended, command, folder, stop, flags }, { output, context }),
  )
  if (flags.json) writeJson(output, describe(ended, result))
  else if (tests.length > 0) output.out(toSafeText(describeResult(result)))
  if (!isWell(result)) throw new ReportedError()
}

function isWell({ tests, stopped }: Result): boolean {
  return stopped === undefined && tests.every(({ problem }) => problem === undefined)
}

interface Repetition {
  flags: NewFlags
  ended: EndedBuild
  command: readonly string[]
  folder: string
  stop: AbortSignal
}

/** A test that did not pass is not run again: the budget is for the others. */
async function repeat(
  tests: readonly NewTest[],
  { ended, command, folder, stop, flags }: Repetition,
  { output, context }: Surface,
): Promise<Result> {
  const clock = context.clock ?? SYSTEM_CLOCK
  const place = { cwd: folder, env: createEnvironment(tests, flags.url, context) }
  const result: Result = { executions: 0, tests: tests.map((test) => ({ ...test, passed: 0 })) }
  const seen = new Set<string>()
  const endMs = clock.nowMs() + flags.repeatNew
  let longestMs = 0
  let left = result.tests
  while (left.length > 0 && result.executions < MAX_EXECUTIONS) {
    if (result.executions > 0 && clock.nowMs() + longestMs > endMs) break
    const { args, note: planned } = select(left, ended, folder)
    if (planned !== undefined) output.err(planned)
    const executed = await executeTests(
      { command: [...command, ...args], tests: left.map(({ test }) => [test]), stop, seen },
      place,
    )
    if (stop.aborted) return { ...result, stopped: 'Stopped by a signal.' }
    result.executions += 1
    longestMs = Math.max(longestMs, executed.ms)
    for (const [index, test] of left.entries())
      note(test, executed.outcomes[index] ?? { outcome: 'none' }, result.executions)
    if (executed.outcomes.every(({ outcome }) => outcome === 'none'))
      return { ...result, stopped: describeEnd(executed, 'and left no result of the new tests') }
    const passed = left.filter(({ problem }) => problem === undefined)
    output.err(`Execution ${result.executions}: ${passed.length} of ${left.length} passed`)
    if (passed.length === left.length && executed.exitCode !== 0)
      return { ...result, stopped: describeEnd(executed, 'though the new tests passed') }
    left = passed
  }
  return result
}

/** A reporter names tests by the procedure, which it may know only from its service. */
function createEnvironment(
  tests: readonly NewTest[],
  url: string | undefined,
  context: Surface['context'],
): Record<string, string | undefined> {
  const procedures = new Set(tests.map(({ test }) => test.procedure.identifier))
  const [only] = procedures.size === 1 ? procedures : []
  return {
    ...withoutKey(context),
    ...(url !== undefined && { RUNLEDGER_URL: url }),
    ...(only !== undefined && { RUNLEDGER_PROCEDURE_ID: only }),
  }
}

function select(
  tests: readonly Repeated[],
  { framework, runs }: EndedBuild,
  folder: string,
): SelectedArguments {
  const failed = tests.map(({ selected }) => selected)
  return planRerun(framework, { failed, unrun: [], unknown: undefined, nodes: listNodes(runs) }, folder)
}

function note(
  test: Repeated,
  { outcome, error }: { outcome: 'passed' | 'failed' | 'none'; error?: string | undefined },
  execution: number,
): void {
  if (outcome === 'passed') test.passed += 1
  else test.problem = { execution, error: outcome === 'failed' ? (error ?? '') : null }
}

function describeEnd({ exitCode, tail }: { exitCode: number | null; tail: string }, what: string): string {
  const how = exitCode === null ? 'could not start or was ended by a signal' : `ended with ${exitCode}`
  return `The command ${how}, ${what}. ${describeTail(tail)}`
}

function describeResult({ executions, tests, stopped }: Result): string {
  const problems = tests.filter(({ problem }) => problem !== undefined)
  const passed = executions === 0 ? 0 : tests.length - problems.length
  return [
    `${formatCount(executions, 'execution')}: ${passed} of ${formatCount(tests.length, 'new test')} passed each time.`,
    ...(passed > 0 && stopped === undefined ? [describeBound(executions)] : []),
    ...nameSome(problems.map((test) => describeProblem(test))),
    ...(stopped === undefined ? [] : [stopped]),
  ].join('\n')
}

function describeBound(executions: number): string {
  return `A test that passed ${formatCount(executions, 'time')} may still fail in up to ${formatShare(upperBoundWithoutFailure(executions))} of executions (95 % interval).`
}

function describeProblem({ selected, problem }: Repeated): string {
  const { execution, error } = problem ?? {}
  return error === null
    ? `Did not run in execution ${execution}: ${nameTest(selected)}`
    : `Failed in execution ${execution}: ${nameTest(selected)}\n  ${error}`
}

/** As JSON. */
function describe({ build, framework }: EndedBuild, { executions, tests, stopped }: Result) {
  return {
    build: { group: build.group, state: build.state, url: build.url },
    framework,
    executions,
    new: tests.map(({ test, selected, passed, problem }) => ({
      id: test.id,
      ...toRow(selected),
      passed,
      failed_in: problem?.execution ?? null,
      error: problem?.error ?? null,
    })),
    stopped: stopped ?? null,
  }
}
