import {
  type ChangeLocation,
  chooseCommit,
  listSuspects,
  locateChange,
  type Suspect,
  SURE,
} from '@runledger/statistics'
import { formatShare } from '@runledger/presentation'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { CommandError } from '../command-error'
import type { CommandContext } from '../command-context'
import type { BisectState, CommitOutcome, StateFile } from './bisect-state'
import { describeTail, executeTest, NO_RESULT, type RepeatedTest } from './execute-test'
import { addWorktree, type Repository, shorten, type Worktree } from './repository'
import { runCommand } from './run-command'

export interface Searched {
  location: ChangeLocation
  suspects: Suspect[]
  /** Indexes of commits without a result. */
  skipped: ReadonlySet<number>
}

/** The search skips a commit after this number of tries in a row without a result. */
const MAX_TRIES = 2

/** Evaluates the executions so far. A commit without a result is tried again only if the search cannot end without it. */
export function judge(state: BisectState): Searched {
  const first = judgeWithout(state, 1)
  const [likeliest] = first.suspects
  const isFound = isSure(first) && likeliest?.from === likeliest?.to
  const canContinue = !isSure(first) && chooseNext(first, undefined) !== undefined
  return isFound || canContinue ? first : judgeWithout(state, MAX_TRIES)
}

function judgeWithout({ commits, start, results }: BisectState, tries: number): Searched {
  const places = new Map(commits.map((commit, at) => [commit, at]))
  const placed = results.map(({ commit, outcome }) => ({ at: places.get(commit) ?? 0, outcome }))
  const fruitless = new Map<number, number>()
  for (const { at, outcome } of placed)
    fruitless.set(at, outcome === 'skipped' ? (fruitless.get(at) ?? 0) + 1 : 0)
  const skipped = new Set([...fruitless].filter(([, times]) => times >= tries).map(([at]) => at))
  const location = locateChange({
    ...start,
    results: placed
      .filter(({ outcome }) => outcome !== 'skipped')
      .map(({ at, outcome }) => ({ at, failed: outcome === 'failed' })),
  })
  return { location, suspects: listSuspects(location, skipped), skipped }
}

export function isSure({ suspects: [likeliest] }: Pick<Searched, 'suspects'>): boolean {
  return likeliest !== undefined && likeliest.probability >= SURE
}

/** Returns the index of the next commit; undefined if the search has ended. */
function chooseNext(searched: Searched, current: number | undefined): number | undefined {
  return isSure(searched)
    ? undefined
    : chooseCommit(searched.location, { skipped: searched.skipped, current })
}

export function isAtEnd(state: BisectState): boolean {
  return chooseNext(judge(state), undefined) === undefined
}

export interface SearchPlace {
  repository: Repository
  file: StateFile
  env: CommandContext['env']
  /** The highest number of executions. */
  limit: number
  report(line: string): void
}

/** If the first tries up to this number have no result, the command is at fault, not the commits. */
const MAX_FRUITLESS = 3

/**
 * Executes the test at one commit after another in a separate working tree. Ends when the answer is sure, the limit is reached, or the
 * search is stopped.
 * @throws CommandError if no execution has a result
 */
export async function searchCommits(
  repeated: RepeatedTest,
  begun: BisectState,
  place: SearchPlace,
): Promise<BisectState> {
  let state = begun
  if (isAtEnd(state)) return state
  const worktree = await addWorktree(place.repository)
  let current: number | undefined
  try {
    for (let tries = 1; tries <= place.limit; tries++) {
      const isUntried = !hasResult(state)
      // The last of the first tries is at the last commit: it has results on record, so the command must have a result there.
      const at =
        isUntried && tries === MAX_FRUITLESS ? state.commits.length - 1 : chooseNext(judge(state), current)
      const commit = state.commits[at ?? -1]
      if (commit === undefined) break
      const visit = await visitCommit(
        repeated,
        { commit, isNew: at !== current },
        { ...state.options, env: place.env, worktree },
      )
      if (repeated.stop.aborted) break
      const { outcome, ms, reason, tail } = visit
      // A second try repeats the checkout.
      current = outcome === 'skipped' ? undefined : at
      state = { ...state, ms: state.ms + ms, results: [...state.results, { commit, outcome, reason }] }
      // Without a result there is nothing to continue, so the next call may use other options.
      if (hasResult(state)) await place.file.write(state)
      place.report(describeVisit(state, visit))
      if (isUntried && tries >= MAX_FRUITLESS && outcome === 'skipped')
        throw new CommandError(
          `none of the first ${tries} tries left a result; the last one: ${reason}${describeOutput(tail)}`,
        )
    }
  } finally {
    await worktree.remove().catch((error: Error) => place.report(error.message))
  }
  return state
}

function hasResult({ results }: BisectState): boolean {
  return results.some(({ outcome }) => outcome !== 'skipped')
}

interface Visit extends CommitOutcome {
  ms: number
  /** The end of the command's output. */
  tail?: string
}

type VisitPlace = BisectState['options'] & Pick<SearchPlace, 'env'> & { worktree: Worktree }

/** Checks out the commit, unless it is checked out, and executes the test once. */
async function visitCommit(
  repeated: RepeatedTest,
  { commit, isNew }: { commit: string; isNew: boolean },
  { worktree, folder, env, setup }: VisitPlace,
): Promise<Visit> {
  const startMs = performance.now()
  const cwd = path.join(worktree.dir, folder)
  const end = (outcome: Visit['outcome'], reason?: string, tail?: string): Visit => ({
    commit,
    outcome,
    ms: performance.now() - startMs,
    ...(reason !== undefined && { reason }),
    ...(tail !== undefined && { tail }),
  })
  if (isNew) {
    const problem = await checkOut(worktree, commit)
    if (problem !== undefined) return end('skipped', problem)
    if (!existsSync(cwd)) return end('skipped', `there is no folder ${folder}`)
    if (setup !== undefined && !repeated.stop.aborted) {
      const { exitCode, tail } = await runCommand(setup, { cwd, env, stop: repeated.stop })
      if (exitCode !== 0) return end('skipped', `the setup ended with ${exitCode ?? 'a signal'}`, tail)
    }
  }
  const { outcome, tail } = await executeTest(repeated, { cwd, env })
  return outcome === 'none' ? end('skipped', NO_RESULT, tail) : end(outcome)
}

async function checkOut(worktree: Worktree, commit: string): Promise<string | undefined> {
  try {
    await worktree.checkOut(commit)
    return undefined
  } catch (error) {
    if (error instanceof CommandError) return error.message
    throw error
  }
}

/** `14  3f2a91c0d4e5 failed; likeliest: 3f2a91c0d4e5, 34 %`. */
function describeVisit(state: BisectState, { commit, outcome, reason, tail }: Visit): string {
  const [likeliest] = judge(state).suspects
  const number = String(state.results.length).padStart(4)
  const why = reason === undefined ? '' : ` (${reason})`
  const told = likeliest
    ? `; likeliest: ${nameSuspect(state, likeliest)}, ${formatShare(likeliest.probability)}`
    : ''
  return `${number}  ${shorten(commit)} ${outcome}${why}${told}${describeOutput(tail)}`
}

function describeOutput(tail: string | undefined): string {
  return tail === undefined ? '' : `\n${describeTail(tail)}`
}

/** Lists the commits without a result, with the last reason. */
export function listSkipped(state: BisectState): { commit: string; reason: string }[] {
  const reasons = new Map(state.results.map(({ commit, reason = '' }) => [commit, reason]))
  return [...judge(state).skipped]
    .toSorted((one, other) => one - other)
    .map((at) => {
      const commit = state.commits[at] ?? ''
      return { commit, reason: reasons.get(commit) ?? '' }
    })
}

/** Names the commits of a suspect. The first place also stands for earlier commits, the last one for no commit. */
export function nameSuspect({ commits }: BisectState, { from, to }: Suspect): string {
  const names = Array.from({ length: to - from + 1 }, (_, index) => namePlace(commits, from + index))
  return names.length > MAX_NAMED
    ? `${names[0]} to ${names.at(-1)} (${names.length} commits)`
    : names.join(' or ')
}

const MAX_NAMED = 3

function namePlace(commits: readonly string[], place: number): string {
  if (place === commits.length) return 'none of them'
  return place === 0 ? `${shorten(commits[0])} or before it` : shorten(commits[place])
}
