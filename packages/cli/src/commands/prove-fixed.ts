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
  environmentHere,
  type Execution,
  executeTest,
  explainNone,
  findTest,
  MAX_EXECUTIONS,
  nameGroup,
  type RepeatedTest,
} from '../repeat/execute-test'
import { toPlainText } from '../plain-text'
import { waitForStopSignal } from '../stop-signal'
import { count } from '../table'
import { type ServiceFlags, URL_OPTION } from '../with-service'

interface ProveFlags extends ServiceFlags {
  branch?: string
  limit?: number
}

const HELP = `
With a failure rate of p before, a test is proven fixed after ln 0.05 ÷ ln(1 − p) executions without a failure: unfixed, it would
pass all of them with a probability of at most 5 %. p is the lower end of the 95 % interval of the rate on record. A failed first
attempt counts as a failure, also where a retry passes.`

export function registerProveFixed(program: Command, output: Output, context: CommandContext): void {
  program
    .command('prove-fixed')
    .description(
      'Run a test until its failure rate on record makes sure that it is fixed, or until it fails.',
    )
    .argument('<test>', 'its id, or a part of its name that no other test has')
    .argument('<command...>', 'what runs the test, after --')
    .option('--branch <branch>', 'the failure rate on this branch')
    .option('--limit <number>', 'stop after so many executions', parseLimit(MAX_EXECUTIONS))
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option(
      '--json',
      'print one line: {"verdict", "executions", "needed", "before", "chance_unfixed", "run_id"}',
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
  /** That a test with the rate before passes these executions. Null if one failed. */
  chance_unfixed: number | null
  /** The run that failed. */
  run_id: string | null
}

async function proveFixed(
  given: string,
  { command, flags }: { command: string[]; flags: ProveFlags },
  { output, context }: Surface,
): Promise<void> {
  const test = await findTest(given, flags, context)
  const before = findRateBefore(test)
  const rate = before.low ?? 0
  const needed = executionsToProveFixed(rate) ?? 0
  output.err(describeNeed(test, before, needed))
  const stopping = new AbortController()
  void waitForStopSignal().then(() => stopping.abort())
  const repeated = { test, command, flags, context, stop: stopping.signal }
  const most = Math.min(needed, flags.limit ?? Infinity)
  const { passed, failure } = await repeat(repeated, most, (done) =>
    output.err(`${done} of ${needed} passed`),
  )
  const proof: Proof = {
    verdict: failure ? 'not_fixed' : passed >= needed ? 'proven' : 'stopped',
    executions: passed + (failure ? 1 : 0),
    needed,
    before,
    chance_unfixed: failure ? null : chanceOfPasses(rate, passed),
    run_id: failure?.runId ?? null,
  }
  if (flags.json) writeJson(output, proof)
  else output.out(toPlainText(describeProof(proof, failure)))
  if (proof.verdict !== 'proven') throw new ReportedError(proof.verdict)
}

/** Returns the failure rate of the last segment with failures; a fix may have begun a later one. @throws CommandError without failures */
function findRateBefore({ name, segments }: TestDetail): Rate {
  const failing = segments.findLast(({ failures }) => failures.count > 0)
  if (failing) return failing.failures
  throw new CommandError(`no failure of "${name}" is on record: there is no rate to compare with`)
}

/** Executes the test up to `most` times, until it fails. @throws CommandError when it does not run */
async function repeat(
  repeated: RepeatedTest,
  most: number,
  report: (passed: number) => void,
): Promise<{ passed: number; failure?: Execution }> {
  const { flags, context, stop } = repeated
  const place = {
    cwd: findFolder(flags.dir, context.cwd),
    env: environmentHere(flags, context),
    group: nameGroup('prove-fixed'),
  }
  for (let passed = 0; passed < most; passed++) {
    const execution = await executeTest(repeated, place)
    if (stop.aborted) return { passed }
    if (execution.outcome === 'none') throw new CommandError(explainNone(execution))
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
  const [share, from, to] = [rate, low, high].map((each) => formatShare(each ?? 0))
  return `"${name}" failed in ${failures} of ${count(of, 'result')}: ${share}, 95 % interval ${from} to ${to}.
At ${from}, ${count(needed, 'execution')} without a failure prove that it is fixed.`
}

function describeProof(
  { verdict, executions, needed, chance_unfixed: chance, run_id: run }: Proof,
  failure?: Execution,
) {
  if (verdict === 'not_fixed')
    return `Not fixed: execution ${executions} failed, run ${run}.\n${failure?.tail.trimEnd() ?? ''}`
  const unfixed = `unfixed, it would pass them all with a probability of ${formatShare(chance ?? 1)} at most`
  if (verdict === 'proven') return `Fixed: ${count(executions, 'execution')} without a failure; ${unfixed}.`
  return `Stopped after ${executions} of ${count(needed, 'execution')} without a failure, which proves nothing: ${unfixed}.`
}
