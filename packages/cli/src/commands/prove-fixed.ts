import { formatShare } from '@runledger/presentation'
import type { Rate, TestDetail } from '@runledger/protocol'
import { chanceOfPasses, executionsToProveFixed } from '@runledger/statistics'
import type { Command } from 'commander'
import { CommandError, ReportedError } from '../command-error'
import type { Surface, CommandContext } from '../command-context'
import { parseLimit } from '../filter-options'
import { DIR_OPTION, findFolder } from '../find-folder'
import { type Output, writeJson } from '../output'
import {
  createEnvironment,
  describeTail,
  type Execution,
  executeTest,
  findTest,
  MAX_EXECUTIONS,
  NO_RESULT,
  type RepeatedTest,
} from '../repeat/execute-test'
import { untilStopped } from '../repeat/until-stopped'
import { toPlainText } from '../plain-text'
import { count } from '../table'
import { type ServiceFlags, URL_OPTION } from '../with-service'

interface ProveFlags extends ServiceFlags {
  branch?: string
  limit?: number
}

const HELP = `
The failure rate on record says how many executions it takes: ln 0.05 ÷ ln(1 − p), where p is the lower end of the rate's 95 %
interval. A test that is not fixed passes all of them with a probability of at most 5 %. A failed first attempt counts as a failure,
even if a retry passes. The command gets no API key, and its executions are not put on record.`

export function registerProveFixed(program: Command, output: Output, context: CommandContext): void {
  program
    .command('prove-fixed')
    .description('Run a test until it is proven fixed, or until it fails.')
    .argument('<test>', 'its id, or a part of its name that no other test has')
    .argument('<command...>', 'the command that runs the test, after --')
    .option('--branch <branch>', 'use the failure rate on this branch (default: on all branches)')
    .option('--limit <number>', 'stop after this number of executions', parseLimit(MAX_EXECUTIONS))
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option(
      '--json',
      'print one line: {"verdict", "executions", "needed", "before", "chance_unfixed", "error"}',
    )
    .addHelpText('after', HELP)
    .action((test: string, command: string[], flags: ProveFlags) =>
      proveFixed(test, { command, flags }, { output, context }),
    )
}

interface Proof {
  verdict: 'proven' | 'not_fixed' | 'stopped'
  executions: number
  needed: number
  before: Rate
  /** Probability that a test with the earlier failure rate passes these executions. Null if one failed. */
  chance_unfixed: number | null
  /** The message of the failure. */
  error: string | null
}

async function proveFixed(
  given: string,
  { command, flags }: { command: string[]; flags: ProveFlags },
  { output, context }: Surface,
): Promise<void> {
  const test = await findTest(given, flags, context)
  const before = findRateBefore(test)
  const { rate, needed } = findNeed(before)
  output.err(toPlainText(describeNeed(test, before, needed)))
  const place = { cwd: findFolder(flags.dir, context.cwd), env: createEnvironment(test, context) }
  const { passed, failure } = await untilStopped((stop) =>
    repeat({ test, command, stop, seen: new Set() }, place, {
      most: Math.min(needed, flags.limit ?? Infinity),
      report: (done) => output.err(`${done} of ${needed} executions passed`),
    }),
  )
  const proof: Proof = {
    verdict: failure ? 'not_fixed' : passed >= needed ? 'proven' : 'stopped',
    executions: passed + (failure ? 1 : 0),
    needed,
    before,
    chance_unfixed: failure ? null : chanceOfPasses(rate, passed),
    error: failure?.error ?? null,
  }
  if (flags.json) writeJson(output, proof)
  else output.out(toPlainText(describeProof(proof, failure)))
  if (proof.verdict !== 'proven') throw new ReportedError(proof.verdict)
}

/** Reads the failure rate of the last segment with failures: a fix may have begun a later one. @throws CommandError without failures */
function findRateBefore({ name, segments }: TestDetail): Rate {
  const failing = segments.findLast(({ failures }) => failures.count > 0)
  if (failing) return failing.failures
  throw new CommandError(`no failure of "${name}" is on record, so there is no failure rate to compare with`)
}

/** Computes how many executions prove a fix, and from which rate. @throws CommandError for a rate that proves nothing */
export function findNeed({ low }: Pick<Rate, 'low'>): { rate: number; needed: number } {
  const needed = low === null ? undefined : executionsToProveFixed(low)
  if (low === null || needed === undefined)
    throw new CommandError('the service did not say how often the test failed, so nothing can be proven')
  return { rate: low, needed }
}

/** Executes the test until it fails, at most `most` times. @throws CommandError when it does not run */
async function repeat(
  repeated: RepeatedTest,
  place: { cwd: string; env: CommandContext['env'] },
  { most, report }: { most: number; report: (passed: number) => void },
): Promise<{ passed: number; failure?: Execution }> {
  for (let passed = 0; passed < most; passed++) {
    const execution = await executeTest(repeated, place)
    if (repeated.stop.aborted) return { passed }
    if (execution.outcome === 'none') throw new CommandError(`${NO_RESULT}. ${describeTail(execution.tail)}`)
    if (execution.outcome === 'failed') return { passed, failure: execution }
    report(passed + 1)
  }
  return { passed: most }
}

function describeNeed(
  { name }: TestDetail,
  { count: failures, of, rate, low, high }: Rate,
  needed: number,
): string {
  const [share, from, to] = [rate, low, high].map((each) => (each === null ? 'unknown' : formatShare(each)))
  return `"${name}" failed in ${failures} of ${count(of, 'result')}: ${share}, 95 % interval ${from} to ${to}.
${count(needed, 'execution')} without a failure prove that it no longer fails in ${from} of executions or more.`
}

function describeProof(
  { verdict, executions, needed, chance_unfixed: chance, error }: Proof,
  failure?: Execution,
) {
  if (verdict === 'not_fixed')
    return `Not fixed: execution ${executions} failed.\n${error ?? ''}\n${describeTail(failure?.tail ?? '')}`
  const unfixed = `A test that is not fixed passes them all with a probability of at most ${formatShare(chance ?? 1)}.`
  if (verdict === 'proven') return `Fixed: ${count(executions, 'execution')} without a failure. ${unfixed}`
  return `Stopped after ${executions} of ${count(needed, 'execution')} without a failure. This proves nothing. ${unfixed}`
}
