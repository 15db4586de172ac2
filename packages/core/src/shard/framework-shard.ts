import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment, Options } from '../config/options'
import { readFailurePolicy, readProcessEnvironment, resolveOptions } from '../config/resolve-options'
import { ApiError } from '../model/errors'
import { messageOf, prepareExitPrinter, printWarning } from '../util/print-warning'
import {
  type Answer,
  askForShard,
  askPatientlyForShard,
  type AskedShard,
  type ShardAsker,
} from './ask-for-shard'
import {
  countFiles,
  createShardRequest,
  describeAbsent,
  divideByCount,
  listSome,
  type Shard,
  type ShardedSuite,
} from './shard-request'

export interface FrameworkShardSettings {
  options?: Options
  projectRoot: string
  env?: Environment
  clock?: ShardAsker['clock']
  /** Prints a line at once. */
  print?: (line: string) => void
  /** Returns a function that prints a line at exit, below the framework's output. */
  prepareExitPrinter?: () => (line: string) => void
  program?: Pick<NodeJS.Process, 'once' | 'off' | 'exitCode'>
}

type Surface = Required<FrameworkShardSettings>

/** A wait between requests does not keep the framework's process alive. */
const BACKGROUND_CLOCK: ShardAsker['clock'] = {
  nowMs: () => performance.now(),
  sleep: (ms) => sleep(ms, undefined, { ref: false }),
}

/**
 * Returns the files that a shard of a framework's own `--shard` runs, or undefined if the framework should divide them itself. The
 * framework cannot run more files later, as `runledger shard` does, so the process exits with 1 if files of the plan were not run.
 * @throws ApiError 409 if the plan is for other files
 */
export async function takeFrameworkShard(
  suite: ShardedSuite,
  settings: FrameworkShardSettings,
): Promise<ReadonlySet<string> | undefined> {
  const surface = completeSurface(settings)
  const { shard } = suite
  const all = [...new Set(suite.files)].toSorted()
  const { answer, asked } = await ask({ ...suite, files: all }, surface)
  const describe = (files: readonly string[]) =>
    `shard ${shard.index} of ${shard.total}: ${files.length} of ${countFiles(all)}`
  if ('taken' in answer) {
    const { files, absent, by_count: isByCount } = answer.taken
    const plan = isByCount ? 'by count: no durations are known' : "by the service's plan"
    surface.print(`${describe(files)}, ${plan}`)
    if (absent.length > 0) failAtExit(describeAbsent(shard, absent), surface)
    return new Set(files)
  }
  if (answer.plan === 'none') {
    surface.print(`shard ${shard.index} of ${shard.total}: files are divided by count: ${answer.reason}`)
    return undefined
  }
  const files = divideByCount(all, shard)
  surface.print(`${describe(files)}, by count: ${answer.reason}`)
  followUp({ asked: answer.plan === 'later' ? asked : undefined, files, shard }, surface)
  return new Set(files)
}

function completeSurface(settings: FrameworkShardSettings): Surface {
  return {
    options: {},
    env: readProcessEnvironment(),
    clock: BACKGROUND_CLOCK,
    print: printWarning,
    prepareExitPrinter,
    program: process,
    ...settings,
  }
}

const DISABLED: Answer = { reason: 'Runledger is disabled (RUNLEDGER_DISABLED)', plan: 'none' }

/** @throws ApiError 409 if the plan is for other files */
async function ask(
  suite: ShardedSuite,
  surface: Surface,
): Promise<{ answer: Answer; asked: AskedShard | undefined }> {
  const { options, env, projectRoot } = surface
  let asked: AskedShard | undefined
  try {
    if (resolveOptions(options, env, projectRoot).disabled) return { answer: DISABLED, asked }
    asked = (await createShardRequest(suite, surface)).asked
    return { answer: await askForShard(asked, surface), asked }
  } catch (error) {
    if (isRefusal(error)) throw error
    return { answer: { reason: messageOf(error), plan: 'unknown' }, asked }
  }
}

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.statusCode === 409
}

interface Divided {
  /** Undefined if asking again cannot help. */
  asked: AskedShard | undefined
  files: readonly string[]
  shard: Shard
}

/** Asks again while the tests run: if there is no plan yet, the shards after this one divide by count, too. */
function followUp({ asked, ...divided }: Divided, surface: Surface): void {
  const { options, env, program } = surface
  const mustFail = readFailurePolicy(options, env)
  const print = surface.prepareExitPrinter()
  const warn = () => {
    print(describeUnknown(divided.shard))
    if (mustFail) fail(program)
  }
  program.once('exit', warn)
  const compare = async (request: AskedShard) => {
    if (await compareWithPlan(request, divided, surface)) program.off('exit', warn)
  }
  if (asked) void compare(asked)
}

/** False if it stays unknown whether the other shards follow a plan. Never rejects. */
async function compareWithPlan(
  asked: AskedShard,
  { files, shard }: Omit<Divided, 'asked'>,
  surface: Surface,
): Promise<boolean> {
  try {
    const answer = await askPatientlyForShard({ ...asked, by_count: true }, surface)
    if (!('taken' in answer)) return false
    const own = new Set(files)
    const { files: planned, absent } = answer.taken
    const left = planned.filter((file) => !own.has(file))
    if (left.length > 0) failAtExit(describeLeft(shard, left), surface)
    if (absent.length > 0) failAtExit(describeAbsent(shard, absent), surface)
    return true
  } catch (error) {
    if (isRefusal(error)) failAtExit(messageOf(error), surface)
    return isRefusal(error)
  }
}

function describeLeft({ index }: Shard, left: readonly string[]): string {
  return `the other shards follow a plan, and shard ${index} did not run ${countFiles(left)} of it: ${listSome(left)}. Run this shard again: it then follows the plan.`
}

function describeUnknown({ index }: Shard): string {
  return `it is not known whether the other shards follow a plan. If they do, files of shard ${index} may not have run.`
}

function failAtExit(message: string, { program, ...surface }: Surface): void {
  const print = surface.prepareExitPrinter()
  program.once('exit', () => {
    print(message)
    fail(program)
  })
}

function fail(program: Surface['program']): void {
  if (Number(program.exitCode ?? 0) === 0) program.exitCode = 1
}
