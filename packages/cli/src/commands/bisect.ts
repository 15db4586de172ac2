import { formatShare } from '@runledger/presentation'
import type { TestDetail } from '@runledger/protocol'
import type { Command } from 'commander'
import path from 'node:path'
import { realpath } from 'node:fs/promises'
import { ReportedError } from '../command-error'
import type { Surface, CommandContext } from '../command-context'
import { parseLimit } from '../filter-options'
import { DIR_OPTION, findFolder } from '../find-folder'
import { type Output, writeJson } from '../output'
import { toPlainText } from '../plain-text'
import {
  type BisectState,
  inSearchFolder,
  openState,
  type SearchOptions,
  type StateFile,
} from '../repeat/bisect-state'
import { createEnvironment, findTest, MAX_EXECUTIONS } from '../repeat/execute-test'
import { findSearch } from '../repeat/known-change'
import { openRepository, removeLeftWorktrees, type Repository, shorten } from '../repeat/repository'
import {
  isAtEnd,
  isSure,
  judge,
  listSkipped,
  nameSuspect,
  searchCommits,
  type Searched,
} from '../repeat/search-commits'
import { untilStopped } from '../repeat/until-stopped'
import { count } from '../table'
import { type ServiceFlags, URL_OPTION } from '../with-service'

interface BisectFlags extends ServiceFlags {
  good?: string
  bad?: string
  branch?: string
  setup?: string
  limit?: number
  restart?: boolean
}

const HELP = `
It runs the command at commits between a good and a bad one, and computes after each execution how probable each commit is. It ends when
one commit has a probability of 98 %. A test that fails rarely takes more executions, because a pass then proves little.
The command runs in a separate working tree, which lacks what git ignores: use --setup to install it. A commit where the test does not
run is skipped, and tried once more only if the search cannot end without it. Neither command gets the API key, and the executions are not put on record.
After Ctrl+C or --limit, the same command continues the search.`

export function registerBisect(program: Command, output: Output, context: CommandContext): void {
  program
    .command('bisect')
    .description(
      'Find the commit that made a test fail, or fail more often, by running it at several commits.',
    )
    .argument('<test>', 'its id, or a part of its name that no other test has')
    .argument('<command...>', 'the command that runs the test, after --')
    .option('--good <commit>', 'a commit before the change (default: from the record)')
    .option('--bad <commit>', 'a commit with the change (default: the last failure on record)')
    .option('--branch <branch>', 'use only the results of this branch')
    .option('--setup <command>', 'a shell command to run at each commit before the test, such as "npm ci"')
    .option('--limit <number>', 'stop after this number of executions', parseLimit(MAX_EXECUTIONS))
    .option('--restart', 'begin a new search instead of continuing an unfinished one')
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print one line: {"verdict", "commit", "probability", "suspects", "executions", …}')
    .addHelpText('after', HELP)
    .action((test: string, command: string[], flags: BisectFlags) =>
      bisect(test, { command, flags }, { output, context }),
    )
}

async function bisect(
  given: string,
  { command, flags }: { command: string[]; flags: BisectFlags },
  surface: Surface,
): Promise<void> {
  const { context } = surface
  const folder = await realpath(findFolder(flags.dir, context.cwd))
  const repository = await openRepository(folder, context.env)
  const test = await findTest(given, flags, context)
  const options: SearchOptions = {
    command,
    setup: flags.setup,
    good: flags.good,
    bad: flags.bad,
    branch: flags.branch,
    folder: path.relative(await realpath(repository.topDir), folder),
  }
  await inSearchFolder(repository.gitDir, (searchFolder) =>
    search({ test, options, repository, file: openState(searchFolder, test.id) }, flags, surface),
  )
}

interface RepeatedSearch {
  test: TestDetail
  options: SearchOptions
  repository: Repository
  file: StateFile
}

async function search(
  { test, options, repository, file }: RepeatedSearch,
  flags: BisectFlags,
  { output, context }: Surface,
): Promise<void> {
  if (flags.restart) await file.remove()
  const report = (line: string) => output.err(toPlainText(line))
  await removeLeftWorktrees(repository, report)
  const begun = (await resume(file, options)) ?? (await begin(test, options, repository))
  report(describeBegin(test, begun))
  const place = {
    repository,
    file,
    env: createEnvironment(test, context),
    limit: flags.limit ?? Infinity,
    report,
  }
  const { command } = options
  const state = await untilStopped((stop) =>
    searchCommits({ test, command, stop, seen: new Set() }, begun, place),
  )
  const answer = conclude(state)
  if (answer.verdict !== 'open') await file.remove()
  if (flags.json) writeJson(output, answer)
  else output.out(toPlainText(await describeAnswer(answer, state, repository)))
  if (answer.verdict !== 'found') throw new ReportedError(answer.verdict)
}

/** Tries skipped commits again, because the reason may no longer hold. */
async function resume(file: StateFile, options: SearchOptions): Promise<BisectState | undefined> {
  const state = await file.read(options)
  return state && { ...state, results: state.results.filter(({ outcome }) => outcome !== 'skipped') }
}

async function begin(test: TestDetail, options: SearchOptions, repository: Repository): Promise<BisectState> {
  const { commits, start } = await findSearch(test, options, repository)
  return {
    version: 2,
    options,
    commits,
    start: { ...start, prior: [...start.prior], rates: [...start.rates] },
    results: [],
    ms: 0,
  }
}

function describeBegin({ name }: TestDetail, { commits, results }: BisectState): string {
  const range = `${count(commits.length - 1, 'commit')}, ${shorten(commits[1])} to ${shorten(commits.at(-1))}`
  const earlier = results.length > 0 ? `\nContinuing after ${count(results.length, 'execution')}.` : ''
  return `Searching ${range}, for the change that made "${name}" fail.${earlier}`
}

interface Answer {
  /**
   * `before`: the test already fails at the first commit. `nowhere`: it fails at no commit. `skipped`: only commits without a result
   * could decide. `open`: the search stopped before its answer was sure.
   */
  verdict: 'found' | 'nowhere' | 'before' | 'skipped' | 'open'
  commit: string | null
  probability: number
  /** Estimated failure rate of executions since the change. */
  failure_rate: number
  suspects: { commits: string; probability: number }[]
  executions: number
  /** Commits without a result. */
  skipped: { commit: string; reason: string }[]
  minutes: number
}

const MAX_SUSPECTS = 5

function conclude(state: BisectState): Answer {
  const searched = judge(state)
  const { location, suspects } = searched
  const [likeliest = { from: 0, to: 0, probability: 0 }] = suspects
  const verdict = decide(state, searched)
  return {
    verdict,
    commit: verdict === 'found' ? (state.commits[likeliest.from] ?? null) : null,
    probability: likeliest.probability,
    failure_rate: location.rates[likeliest.from] ?? 0,
    suspects: suspects
      .slice(0, MAX_SUSPECTS)
      .map((suspect) => ({ commits: nameSuspect(state, suspect), probability: suspect.probability })),
    executions: state.results.filter(({ outcome }) => outcome !== 'skipped').length,
    skipped: listSkipped(state),
    minutes: state.ms / 60_000,
  }
}

function decide(state: BisectState, searched: Searched): Answer['verdict'] {
  const [likeliest] = searched.suspects
  if (!likeliest || !isSure(searched)) return isAtEnd(state) ? 'skipped' : 'open'
  if (likeliest.from !== likeliest.to) return isAtEnd(state) ? 'skipped' : 'open'
  if (likeliest.from === 0) return 'before'
  return likeliest.from === state.commits.length ? 'nowhere' : 'found'
}

async function describeAnswer(answer: Answer, state: BisectState, repository: Repository): Promise<string> {
  const { executions, minutes, skipped } = answer
  const cost = `${count(executions, 'execution')} in ${minutes.toFixed(1)} minutes.`
  return [await describeVerdict(answer, state, repository), ...describeSkipped(skipped), cost].join('\n')
}

const MAX_SKIPPED = 10

function describeSkipped(skipped: Answer['skipped']): string[] {
  if (skipped.length === 0) return []
  const more = skipped.length - MAX_SKIPPED
  return [
    `${count(skipped.length, 'commit')} without a result:`,
    ...skipped.slice(0, MAX_SKIPPED).map(({ commit, reason }) => `  ${shorten(commit)}  ${reason}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

async function describeVerdict(
  answer: Answer,
  { commits }: BisectState,
  { git }: Repository,
): Promise<string> {
  const { verdict, commit, failure_rate: rate, suspects } = answer
  const sure = `probability ${formatShare(answer.probability)}`
  const list = suspects.map((suspect) => `  ${formatShare(suspect.probability)}  ${suspect.commits}`)
  switch (verdict) {
    case 'found': {
      const about = await git(['log', '-1', '--format=%an, %as: %s', commit ?? ''])
      return `${commit} made the test fail in about ${formatShare(rate)} of executions (${sure}).\n  ${about}`
    }
    case 'before':
      return `The test fails at ${shorten(commits[0])} already (${sure}). Use --good to name an earlier commit.`
    case 'nowhere':
      return `The test fails at none of these commits (${sure}). Its failures on record may need something that this machine lacks.`
    case 'skipped':
      return ['The test has no result at the commits that could tell more. The most likely:', ...list].join(
        '\n',
      )
    case 'open':
      return [
        'The search is not finished. The same command continues it. The most likely commits:',
        ...list,
      ].join('\n')
  }
}
