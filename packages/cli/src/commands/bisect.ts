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
import { type BisectState, openState } from '../repeat/bisect-state'
import { environmentElsewhere, findTest, MAX_EXECUTIONS, nameGroup } from '../repeat/execute-test'
import { findSearch } from '../repeat/known-change'
import { openRepository, type Repository } from '../repeat/repository'
import { isSure, judge, nameSuspect, searchCommits, type Searched, shorten } from '../repeat/search-commits'
import { waitForStopSignal } from '../stop-signal'
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
It searches the commits between those that the record knows, or --good and --bad, by the failure rate on record: a failure is near
proof that the change came before, a pass tells little where failures are rare. It ends at a probability of 98 %.
The command runs in a working tree of its own, without what git ignores: --setup installs what it needs. Commits where the test does
not run are skipped. The same command continues what was stopped.`

export function registerBisect(program: Command, output: Output, context: CommandContext): void {
  program
    .command('bisect')
    .description(
      'Find the commit that made a test fail, or fail more often, by running it at several commits.',
    )
    .argument('<test>', 'its id, or a part of its name that no other test has')
    .argument('<command...>', 'what runs the test, after --')
    .option('--good <commit>', 'a commit before the change (default: from the record)')
    .option('--bad <commit>', 'a commit with the change (default: the last failure on record)')
    .option('--branch <branch>', 'only results of this branch')
    .option('--setup <command>', 'what a shell runs at each commit before the test, such as "npm ci"')
    .option('--limit <number>', 'stop after so many executions', parseLimit(MAX_EXECUTIONS))
    .option('--restart', 'forget what earlier executions of the search found')
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
  { output, context }: Surface,
): Promise<void> {
  const folder = await realpath(findFolder(flags.dir, context.cwd))
  const repository = await openRepository(folder, context.env)
  const test = await findTest(given, flags, context)
  const env = environmentElsewhere(test, flags, context)
  const file = openState(repository.gitDir, test.id)
  if (flags.restart) await file.remove()
  const begun =
    (await file.read({ command, setup: flags.setup })) ?? (await begin(test, { command, flags }, repository))
  output.err(describeBegin(test, begun))
  const stopping = new AbortController()
  void waitForStopSignal().then(() => stopping.abort())
  const repeated = { test, command, flags, context, stop: stopping.signal }
  const state = await searchCommits(repeated, begun, {
    repository,
    file,
    folder: path.relative(await realpath(repository.topDir), folder),
    env,
    limit: flags.limit ?? Infinity,
    report: (line) => output.err(toPlainText(line)),
  })
  const answer = conclude(state, judge(state))
  if (flags.json) writeJson(output, answer)
  else output.out(toPlainText(await describeAnswer(answer, state, repository)))
  if (answer.verdict !== 'found') throw new ReportedError(answer.verdict)
}

async function begin(
  test: TestDetail,
  { command, flags }: { command: string[]; flags: BisectFlags },
  repository: Repository,
): Promise<BisectState> {
  const { commits, start } = await findSearch(test, flags, repository)
  return {
    version: 1,
    command,
    ...(flags.setup !== undefined && { setup: flags.setup }),
    group: nameGroup('bisect'),
    commits,
    start: { ...start, prior: [...start.prior], rates: [...start.rates] },
    results: [],
    ms: 0,
  }
}

function describeBegin({ name }: TestDetail, { commits, results }: BisectState): string {
  const range = `${count(commits.length - 1, 'commit')}, ${shorten(commits[1])} to ${shorten(commits.at(-1))}`
  const earlier = results.length > 0 ? `, after ${count(results.length, 'execution')} of before` : ''
  return `Searching "${name}" in ${range}${earlier}.`
}

interface Answer {
  /** `nowhere`: it fails at none of the commits here; `before`: already at the first; `skipped`: only skipped commits could tell more. */
  verdict: 'found' | 'nowhere' | 'before' | 'skipped' | 'open'
  commit: string | null
  probability: number
  /** Estimated failure rate of executions since the change. */
  failure_rate: number
  suspects: { commits: string; probability: number }[]
  executions: number
  skipped: number
  minutes: number
}

const MAX_SUSPECTS = 5

function conclude(state: BisectState, searched: Searched): Answer {
  const { location, suspects, skipped } = searched
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
    skipped: skipped.size,
    minutes: state.ms / 60_000,
  }
}

function decide({ commits }: BisectState, searched: Searched): Answer['verdict'] {
  const [likeliest] = searched.suspects
  if (!likeliest || !isSure(searched)) return 'open'
  if (likeliest.from !== likeliest.to) return 'skipped'
  if (likeliest.from === 0) return 'before'
  return likeliest.from === commits.length ? 'nowhere' : 'found'
}

async function describeAnswer(answer: Answer, state: BisectState, repository: Repository): Promise<string> {
  const skipped = answer.skipped > 0 ? `, ${count(answer.skipped, 'commit')} skipped` : ''
  const cost = `${count(answer.executions, 'execution')}${skipped}, ${answer.minutes.toFixed(1)} minutes.`
  return `${await describeVerdict(answer, state, repository)}\n${cost}`
}

async function describeVerdict(
  answer: Answer,
  { commits }: BisectState,
  { git }: Repository,
): Promise<string> {
  const { verdict, commit, failure_rate: rate, suspects } = answer
  const sure = formatShare(answer.probability)
  const ends = [shorten(commits[0]), shorten(commits.at(-1))]
  switch (verdict) {
    case 'found': {
      const about = await git(['log', '-1', '--format=%an, %as: %s', commit ?? ''])
      return `${commit}, at ${sure}, made it fail in about ${formatShare(rate)} of executions.\n  ${about}`
    }
    case 'before':
      return `At ${sure}, it fails at ${ends[0]} already: name an earlier commit with --good, and --restart.`
    case 'nowhere':
      return `At ${sure}, it does not fail here, not even at ${ends[1]}: what fails on record needs something else than these commits.`
    case 'skipped':
      return `At ${sure}, it is one of ${suspects[0]?.commits}: the test does not run at the commits that could tell more.`
    case 'open':
      return [
        'Not found yet; the same command continues. Most likely:',
        ...suspects.map((suspect) => `  ${formatShare(suspect.probability)}  ${suspect.commits}`),
      ].join('\n')
  }
}
