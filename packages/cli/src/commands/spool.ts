import { dropWaitingRun, isInside, messageOf, readWaitingRun, type WaitingRun } from '@runledger/core/tools'
import type { Command } from 'commander'
import path from 'node:path'
import { type Output, writeJson } from '../output'
import type { Surface, CommandContext } from '../command-context'
import { count, formatBytes, formatTable } from '../table'
import { CommandError, ReportedError, UsageError } from '../command-error'
import { findFolder, SPOOL_DIR_OPTION } from '../find-folder'
import { findRuns, type FoundRun } from '../find-runs'

interface SpoolFlags {
  dir?: string
  json?: boolean
  all?: boolean
  yes?: boolean
}

const ID_LENGTH = 8

export function registerSpool(program: Command, output: Output, context: CommandContext): void {
  const surface = { output, context }
  const spool = program.command('spool').description('Look at the runs that wait to be sent.')
  spool
    .command('list')
    .description('List the runs that wait, and why.')
    .option(...SPOOL_DIR_OPTION)
    .option('--json', 'print one line of JSON for each run')
    .action((flags: SpoolFlags) => list(flags, surface))
  spool
    .command('show')
    .description('Print one run as it waits, with what has been acknowledged of it.')
    .argument('<id>', 'its id, or the beginning of it')
    .option(...SPOOL_DIR_OPTION)
    .option('--json', 'print it on one line, and an error as JSON too')
    .action((id: string, flags: SpoolFlags) => show(id, flags, surface))
  spool
    .command('drop')
    .description('Throw runs away without sending them.')
    .argument('[ids...]', 'their ids, or the beginnings of these')
    .option('--all', 'throw away every run of this project that waits')
    .option('--yes', 'with --all: do not ask')
    .option(...SPOOL_DIR_OPTION)
    .option('--json', 'print one line of JSON: {"dropped"}')
    .addHelpText('after', '\nExit code 0 only when all of them were dropped.')
    .action((ids: string[], flags: SpoolFlags) => drop(ids, flags, surface))
}

async function list(flags: SpoolFlags, { output, context }: Surface): Promise<void> {
  const runs = await findRuns(flags, context)
  if (flags.json) {
    for (const run of runs) writeJson(output, toRecord(run))
  } else {
    output.out(runs.length === 0 ? 'Nothing waits to be sent.' : describeRuns(runs))
  }
}

async function show(id: string, flags: SpoolFlags, { output, context }: Surface): Promise<void> {
  const run = pickRun(await findRuns(flags, context), id)
  const shown = { folder: run.dir, state: run.state, ...(await describe(run)) }
  writeJson(output, shown, { isIndented: !flags.json })
}

/** The log's account of a run, or why it cannot be read. */
async function describe(run: WaitingRun): Promise<object> {
  try {
    const found = await readWaitingRun(run)
    if (found === undefined) return { problem: run.reason ?? 'it was delivered meanwhile' }
    const { response, ids, linked } = found.progress
    const acknowledged = {
      run: response ?? null,
      attachments: Object.fromEntries(ids),
      linked: [...linked],
    }
    return { acknowledged, content: found.run }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

async function drop(ids: readonly string[], flags: SpoolFlags, { output, context }: Surface): Promise<void> {
  if ((ids.length === 0) === !flags.all) throw new UsageError('say which runs, or --all')
  const runs = await findRuns(flags, context)
  const chosen = flags.all
    ? await chooseAll(runs, flags, { output, context })
    : ids.map((id) => pickRun(runs, id))
  let dropped = 0
  for (const run of chosen) {
    const problem = await tryToDrop(run)
    if (problem === undefined) dropped += 1
    else output.err(`${run.id.slice(0, ID_LENGTH)} ${problem}`)
  }
  if (flags.json) writeJson(output, { dropped })
  else output.out(`${count(dropped, 'run')} dropped.`)
  if (dropped < chosen.length) throw new ReportedError()
}

/**
 * The runs of this project: not those of projects around or below it, which `list` shows too, unless the folder is a spool.
 * @throws CommandError when nobody has agreed to drop them
 */
async function chooseAll(
  runs: readonly FoundRun[],
  { dir, yes }: SpoolFlags,
  { output, context: { cwd, confirm } }: Surface,
): Promise<WaitingRun[]> {
  const folder = findFolder(dir, cwd)
  const enclosing = runs.map(({ projectRoot }) => projectRoot).filter((root) => isInside(folder, root))
  const nearest = enclosing.toSorted((a, b) => b.length - a.length)[0]
  const own = runs.filter(({ spoolDir, projectRoot }) => spoolDir === folder || projectRoot === nearest)
  const others = new Set(runs.filter((run) => !own.includes(run)).map(({ projectRoot }) => projectRoot))
  for (const root of others) output.err(`${root} is another project: its runs stay; name it with --dir`)
  if (own.length === 0 || yes) return own
  if (confirm === undefined) throw new CommandError(`${count(own.length, 'run')} would be lost: add --yes`)
  if (await confirm(`Drop ${count(own.length, 'run')} of ${nearest ?? folder} for good?`)) return own
  throw new CommandError('nothing was dropped')
}

/** Returns why a run was not dropped; the others can be dropped all the same. */
async function tryToDrop(run: WaitingRun): Promise<string | undefined> {
  try {
    if (await dropWaitingRun(run)) return undefined
    return run.state === 'busy'
      ? 'stays: another process has it'
      : 'not dropped: another process has it, or it is gone'
  } catch (error) {
    return `stays: ${messageOf(error)}`
  }
}

function pickRun(runs: readonly WaitingRun[], id: string): WaitingRun {
  const matches = runs.filter((run) => run.id.startsWith(id.toLowerCase()))
  if (matches[0] && matches.length === 1) return matches[0]
  const problem = matches.length === 0 ? 'no run waits' : `${matches.length} runs wait`
  throw new CommandError(`${problem} with an id that begins with "${id}"; see runledger spool list`)
}

function describeRuns(runs: readonly WaitingRun[]): string {
  const rows = runs.map(({ id, finishedAt, file, passed, sizeBytes, state, reason }) => [
    id.slice(0, ID_LENGTH),
    finishedAt.slice(0, 19).replace('T', ' '),
    file ?? '?',
    passed === undefined ? '' : passed ? 'passed' : 'failed',
    formatBytes(sizeBytes),
    state,
    reason ?? '',
  ])
  return formatTable(['id', 'finished (UTC)', 'run', '', 'size', 'state', 'why'], rows)
}

function toRecord(run: WaitingRun) {
  return {
    submission_id: run.isExecution ? null : run.id,
    execution_id: path.basename(run.dir),
    state: run.state,
    finished_at: run.finishedAt,
    file: run.file ?? null,
    passed: run.passed ?? null,
    service: run.service ?? null,
    project_root: run.projectRoot ?? null,
    attachments: run.attachments ?? null,
    size_bytes: run.sizeBytes,
    url: run.url ?? null,
    reason: run.reason ?? null,
    folder: run.dir,
  }
}
