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
import type { BisectState, StateFile } from './bisect-state'
import { executeTest, explainNone, type RepeatedTest } from './execute-test'
import { addWorktree, removeWorktree, type Repository, type Worktree } from './repository'
import { runCommand } from './run-command'

export interface Searched {
  location: ChangeLocation
  suspects: Suspect[]
  skipped: ReadonlySet<number>
}

/** What the executions so far say. */
export function judge({ commits, start, results }: BisectState): Searched {
  const places = new Map(commits.map((commit, at) => [commit, at]))
  const placed = results.map(({ commit, outcome }) => ({ at: places.get(commit) ?? 0, outcome }))
  const skipped = new Set(placed.filter(({ outcome }) => outcome === 'skipped').map(({ at }) => at))
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

export interface SearchPlace {
  repository: Repository
  file: StateFile
  /** The folder of the command, from the top of the repository. */
  folder: string
  env: CommandContext['env']
  /** Most executions. */
  limit: number
  report(line: string): void
}

/** So many commits in a row without any result mean that the command is at fault, not the commits. */
const MAX_FRUITLESS = 3

/**
 * Executes the test at one commit after another, in a working tree of its own, until the answer is sure, the limit is reached or
 * it is stopped.
 * @throws CommandError when no execution leaves a result
 */
export async function searchCommits(
  repeated: RepeatedTest,
  begun: BisectState,
  place: SearchPlace,
): Promise<BisectState> {
  if (begun.worktree !== undefined) await removeWorktree(place.repository, begun.worktree)
  if (isSure(judge(begun))) return begun
  const worktree = await addWorktree(place.repository)
  let state: BisectState = { ...begun, worktree: worktree.dir }
  let current: number | undefined
  try {
    await place.file.write(state)
    for (let tries = 1; tries <= place.limit; tries++) {
      const { location, skipped, suspects } = judge(state)
      const at = isSure({ suspects }) ? undefined : chooseCommit(location, { skipped, current })
      const commit = state.commits[at ?? -1]
      if (commit === undefined) break
      const visit = await visitCommit(
        repeated,
        { commit, isNew: at !== current },
        { ...place, ...state, worktree },
      )
      if (repeated.stop.aborted) break
      current = at
      const { outcome, ms, why } = visit
      state = { ...state, ms: state.ms + ms, results: [...state.results, { commit, outcome }] }
      await place.file.write(state)
      place.report(describeVisit(state, commit, visit))
      if (tries >= MAX_FRUITLESS && state.results.every((result) => result.outcome === 'skipped'))
        throw new CommandError(`no commit of ${tries} had a result; the last: ${why}`)
    }
  } finally {
    await worktree.remove()
    const { worktree: _, ...rest } = state
    state = rest
    await place.file.write(state)
  }
  return state
}

interface Visit {
  outcome: BisectState['results'][number]['outcome']
  ms: number
  /** Why the commit was skipped. */
  why?: string
}

type VisitPlace = Pick<SearchPlace, 'folder' | 'env'> &
  Pick<BisectState, 'setup' | 'group'> & { worktree: Worktree }

/** Brings the commit into the working tree, unless it is there, and executes the test once. */
async function visitCommit(
  repeated: RepeatedTest,
  { commit, isNew }: { commit: string; isNew: boolean },
  { worktree, folder, env, setup, group }: VisitPlace,
): Promise<Visit> {
  const startMs = performance.now()
  const cwd = path.join(worktree.dir, folder)
  const end = (outcome: Visit['outcome'], why?: string): Visit => ({
    outcome,
    ms: performance.now() - startMs,
    ...(why !== undefined && { why }),
  })
  if (isNew) {
    await worktree.checkOut(commit)
    if (!existsSync(cwd)) return end('skipped', `there is no folder ${folder}`)
    if (setup !== undefined) {
      const { exitCode, tail } = await runCommand(setup, { cwd, env, stop: repeated.stop })
      if (exitCode !== 0)
        return end('skipped', `the setup ended with ${exitCode ?? 'a signal'}:\n${tail.trimEnd()}`)
    }
  }
  const execution = await executeTest(repeated, { cwd, env, group: `${group}-${shorten(commit)}` })
  return execution.outcome === 'none' ? end('skipped', explainNone(execution)) : end(execution.outcome)
}

/** `14  3f2a91c0d4e5 failed; likeliest: 3f2a91c0d4e5, 34 %`. */
function describeVisit(state: BisectState, commit: string, { outcome, why }: Visit): string {
  const [likeliest] = judge(state).suspects
  const number = String(state.results.length).padStart(4)
  const told = likeliest
    ? `; likeliest: ${nameSuspect(state, likeliest)}, ${formatShare(likeliest.probability)}`
    : ''
  return `${number}  ${shorten(commit)} ${outcome}${why === undefined ? '' : ` (${why})`}${told}`
}

/** Commits, or what the first and the last place stand for. */
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

export function shorten(commit = ''): string {
  return commit.slice(0, 12)
}
