import { randomUUID } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { formatCount } from '@runledger/presentation'
import {
  type Answer,
  askForShard,
  askPatientlyForShard,
  type AskedShard,
  createShardRequest,
  describeAbsent,
  divideByCount,
  type Shard,
  type ShardAsker,
  type Unplanned,
} from '@runledger/core/tools'
import { SYSTEM_CLOCK } from '../clock'
import { CommandError, ExitError } from '../command-error'
import type { CommandContext, Surface } from '../command-context'
import { DIR_OPTION, findFolder } from '../find-folder'
import type { Output } from '../output'
import { toSafeLine } from '../plain-text'
import { runInTerminal } from '../rerun/run-in-terminal'
import { listFiles } from '../shard/list-files'
import { checkLength, nameFiles, readCommand, type ShardedCommand } from '../shard/sharded-command'
import { type ServiceFlags, URL_OPTION, withoutSwitch, withService } from '../with-service'

interface ShardFlags extends ServiceFlags {
  name?: string
  procedure?: string
}

const HELP = `
The command is Jest's, Vitest's, Playwright's or "node --test", without files. The service plans all shards of a build on the durations
of its files in earlier builds, the longest first; the first shard that asks decides for all. A shard without any files ends with 0 if the plan gives it none.

Without a service, files are divided by their count. If the service does not respond within 3 s, too, but the shard then asks again for a
minute: if the others follow a plan, it also runs what that plan gives it. It fails if it cannot know whether they do.`

export function registerShard(program: Command, output: Output, context: CommandContext): void {
  program
    .command('shard')
    .description('Run one shard of the test files, so that all shards take about the same time.')
    .argument('<shard>', 'the number of the shard and of all shards, such as 2/5', parseShard)
    .argument('<command...>', 'what runs the tests, after --')
    .option(
      '--name <name>',
      "distinguishes suites of one build (default: RUNLEDGER_SHARD_NAME, else the package's name)",
    )
    .option('--procedure <id>', 'the procedure that has the durations (default: RUNLEDGER_PROCEDURE_ID)')
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .addHelpText('after', HELP)
    .action((shard: Shard, command: string[], flags: ShardFlags) =>
      runShard(shard, { command, flags }, { output, context }),
    )
}

const MAX_SHARDS = 1_000

function parseShard(text: string): Shard {
  const [, index, total] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []
  const shard = { index: Number(index), total: Number(total) }
  if (shard.index >= 1 && shard.index <= shard.total && shard.total <= MAX_SHARDS) return shard
  throw new InvalidArgumentError(`Give the number of the shard and how many there are, such as 2/5.`)
}

/** A shard while it runs. */
interface Work extends Surface {
  command: ShardedCommand
  flags: ShardFlags
  shard: Shard
  folder: string
  env: CommandContext['env']
  group: string | undefined
  all: readonly string[]
  asked: AskedShard
  asker: ShardAsker
  tell: (text: string) => void
}

/** @throws CommandError, ApiError 409, ExitError with the exit code of the command */
async function runShard(
  shard: Shard,
  { command, flags }: { command: readonly string[]; flags: ShardFlags },
  surface: Surface,
): Promise<void> {
  const work = await prepare(shard, { command: readCommand(command), flags }, surface)
  if (work.all.length === 0) await runWithoutFiles(work)
  const answer = await askForShard(work.asked, work.asker)
  const exitCode = 'taken' in answer ? await runPlanned(work, answer) : await runByCount(work, answer)
  if (exitCode !== 0) throw new ExitError(exitCode)
}

async function prepare(
  shard: Shard,
  { command, flags }: { command: ShardedCommand; flags: ShardFlags },
  { output, context }: Surface,
): Promise<Work> {
  const folder = await realpath(findFolder(flags.dir, context.cwd))
  const files = await listFiles(command, { folder, env: context.env })
  const asker = {
    options: {
      ...(flags.url !== undefined && { url: flags.url }),
      ...(flags.procedure !== undefined && { procedureId: flags.procedure }),
    },
    env: withoutSwitch(context.env),
    projectRoot: folder,
    clock: context.clock ?? SYSTEM_CLOCK,
  }
  const suite = { framework: command.framework, shard, files, name: flags.name }
  const { asked, group } = await createShardRequest(suite, asker)
  return {
    output,
    context,
    command,
    flags,
    shard,
    folder,
    group,
    env: {
      ...context.env,
      ...(flags.url !== undefined && { RUNLEDGER_URL: flags.url }),
      RUNLEDGER_SHARD: `${shard.index}/${shard.total}`,
    },
    all: files,
    asked,
    asker,
    tell: (text) => output.err(toSafeLine(text)),
  }
}

/**
 * Runs the command as it is: options such as `--changed`, and a setting, decide whether it may find no files. The plan then says
 * whether other shards found files that this shard should run.
 * @throws CommandError, ExitError with the exit code of the command
 */
async function runWithoutFiles({ command, folder, env }: Work): Promise<void> {
  const missing = new CommandError(`${command.framework} finds no test files in ${folder}`)
  if (command.framework === 'node:test') throw missing
  const exitCode = await runInTerminal([...command.start, ...command.options], {
    cwd: folder,
    env: { ...env, RUNLEDGER_DISABLED: 'true' },
    stdout: 'inherit',
  })
  if (exitCode !== 0) throw exitCode === 1 ? missing : new ExitError(exitCode)
}

async function runPlanned(work: Work, { taken }: Extract<Answer, { taken: unknown }>): Promise<number> {
  const plan = taken.by_count ? 'by count: no durations are known' : "by the service's plan"
  work.tell(`${describe(work, taken.files)}, ${plan}`)
  const exitCode = await runFiles(work, taken.files)
  return failIfAbsent(work, taken.absent, exitCode)
}

/** Fails the shard if it lacks files of its plan, because no other shard runs them. */
function failIfAbsent({ tell, shard }: Work, absent: readonly string[], exitCode: number): number {
  if (absent.length === 0) return exitCode
  tell(`runledger: ${describeAbsent(shard, absent)}`)
  return exitCode || 1
}

/**
 * Runs the shard's part by count. If other shards may follow a plan, the shard then asks the service for its part of that plan, and
 * runs the files that it has not run yet. It fails if it gets no answer, because files may have been left out.
 */
async function runByCount(work: Work, unplanned: Unplanned): Promise<number> {
  const { all, shard, tell, asked, asker } = work
  const files = divideByCount(all, shard)
  tell(`${describe(work, files)}, by count: ${unplanned.reason}`)
  const exitCode = await runFiles(work, files)
  if (unplanned.plan === 'none' || exitCode > 128) return exitCode
  const answer =
    unplanned.plan === 'later' ? await askPatientlyForShard({ ...asked, by_count: true }, asker) : unplanned
  if (!('taken' in answer)) {
    tell(
      `runledger: it is not known whether the other shards follow a plan (${answer.reason}). If they do, files of shard ${shard.index} may not have run.`,
    )
    return exitCode || 1
  }
  const own = new Set(files)
  const rest = answer.taken.files.filter((file) => !own.has(file))
  if (rest.length === 0) return failIfAbsent(work, answer.taken.absent, exitCode)
  tell(`The other shards follow a plan: ${describe(work, rest)} more`)
  const later = await runFiles(work, rest)
  return failIfAbsent(work, answer.taken.absent, exitCode || later)
}

async function runFiles(work: Work, files: readonly string[]): Promise<number> {
  const { command, all, folder, env } = work
  if (files.length === 0) {
    await reportEmpty(work)
    return 0
  }
  const words = nameFiles(command, { files, all }, folder)
  checkLength(words)
  return runInTerminal(words, { cwd: folder, env, stdout: 'inherit' })
}

/** Reports a shard without files, so that its build does not count it as missing. */
async function reportEmpty({ asked, group, shard, flags, context, tell }: Work): Promise<void> {
  const { procedure_id, framework } = asked
  if (procedure_id === undefined || group === undefined) return
  const now = new Date().toISOString()
  const body = {
    procedure_id,
    group,
    framework,
    started_at: now,
    ended_at: now,
    shard_index: shard.index,
    shard_total: shard.total,
  }
  await withService(flags, context, ({ client }) =>
    client.putExecution({ params: { id: randomUUID() }, body }, { signal: AbortSignal.timeout(3_000) }),
  ).catch(() => tell('runledger: the service does not know that this shard has no files.'))
}

function describe({ shard, all }: Work, files: readonly string[]): string {
  return `Shard ${shard.index} of ${shard.total}: ${files.length} of ${formatCount(all.length, 'file')}`
}
