import type { TestDetail, TestResult, TestSegment } from '@runledger/protocol'
import { type CommitResult, startSearch } from '@runledger/statistics'
import { CommandError } from '../command-error'
import { listCommits, type Repository, resolveCommit, shorten } from './repository'

/** The commits between which a test began to fail, according to the record. */
interface KnownChange {
  /** Commits before the change, the best candidate first. */
  goods: string[]
  bad: string | undefined
  rateBefore: number
}

interface ResultOfCommit extends TestResult {
  build: TestResult['build'] & { commit: string }
}

export interface Search {
  /** The first commit is assumed good, the last one bad. */
  commits: string[]
  start: ReturnType<typeof startSearch>
}

/**
 * Returns the commits to search, with their results on record. `good` and `bad` are the user's options.
 * @throws CommandError if a commit is not known
 */
export async function findSearch(
  test: TestDetail,
  given: { good?: string | undefined; bad?: string | undefined },
  repository: Repository,
): Promise<Search> {
  const results = test.results_list.filter(isCounted)
  const known = findKnownChange(test.segments, results)
  const lastBad = given.bad ?? known.bad
  if (lastBad === undefined)
    throw new CommandError('no failure of the test is on record: name --good and --bad')
  const bad = await resolveCommit(repository, lastBad)
  const good = given.good ?? (await findAncestor(repository, known.goods, bad))
  if (good === undefined)
    throw new CommandError(
      `the record has no commit before ${shorten(bad)} where the test passed: name one with --good`,
    )
  const commits = await listCommits(repository, await resolveCommit(repository, good), bad)
  const places = new Map(commits.map((commit, at) => [commit, at]))
  const onRecord = results.flatMap(({ build, outcome }): CommitResult[] => {
    const at = places.get(build.commit)
    return at === undefined ? [] : [{ at, failed: outcome !== 'passed' }]
  })
  return { commits, start: startSearch(commits.length, onRecord, known.rateBefore) }
}

function isCounted(result: TestResult): result is ResultOfCommit {
  return result.build.commit !== null && result.outcome !== 'skipped' && !result.is_infrastructure
}

/** Finds the last segment that fails more often than the one before it. */
function findKnownChange(segments: readonly TestSegment[], results: readonly ResultOfCommit[]): KnownChange {
  const rateOf = (index: number) => segments[index]?.failures.rate ?? 0
  const at = segments.findLastIndex((_, index) => rateOf(index) > rateOf(index - 1))
  const [segment, next] = segments.slice(Math.max(at, 0), Math.max(at, 0) + 2)
  const end = next ? results.findIndex(({ build }) => build.group === next.first_build.group) : -1
  const upTo = end === -1 ? results : results.slice(0, end)
  const border = segment?.earliest_first_build
  const first = border ? upTo.findIndex(({ build }) => build.group === border.group) : -1
  const before = upTo.slice(0, Math.max(first, 0)).toReversed()
  return {
    goods: [...before, ...upTo.filter(({ outcome }) => outcome === 'passed')].map(
      ({ build }) => build.commit,
    ),
    bad: upTo.findLast(({ outcome }) => outcome !== 'passed')?.build.commit,
    rateBefore: at > 0 ? rateOf(at - 1) : 0,
  }
}

/** Returns the first of the commits that is an ancestor of `bad` on its main line. */
async function findAncestor(
  { git }: Repository,
  commits: readonly string[],
  bad: string,
): Promise<string | undefined> {
  const line = new Set((await git(['rev-list', '--first-parent', bad])).split('\n').slice(1))
  return commits.find((commit) => line.has(commit))
}
