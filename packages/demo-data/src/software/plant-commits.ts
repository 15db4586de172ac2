import { BROKEN_TESTS, NEW_TEST, RENAMES, SLOWER_TEST } from '../catalogue/planted'
import type { ProjectKey } from '../catalogue/project'
import type { Commit } from '../build'
import type { ProjectPlan } from './plan'

/** Positions of the commits of main that plant a fact. */
export interface PlantedPositions {
  /** In the order of `BROKEN_TESTS`. */
  broken: readonly { from: number; until: number }[]
  /** In the order of `RENAMES`. */
  renames: readonly number[]
  slower: number
  added: number
}

/** The positions in a project with `commits` commits on main. Positions of another project's facts have no meaning. */
export function findPositions(commits: number): PlantedPositions {
  const find = (at: number) => Math.min(commits - 2, Math.floor(commits * at))
  return {
    broken: BROKEN_TESTS.map(({ commit, fix }) => {
      const from = find(commit.at)
      return { from, until: Math.max(from + 1, Math.min(from + fix.after, commits - 3)) }
    }),
    renames: RENAMES.map(({ commit }) => find(commit.at)),
    slower: find(SLOWER_TEST.commit.at),
    added: find(NEW_TEST.commit.at),
  }
}

/** Sets author and subject of the commits that plant a fact. */
export function plantCommits({ project, main }: Pick<ProjectPlan, 'project' | 'main'>): void {
  const positions = findPositions(main.length)
  const change = (owner: ProjectKey, position: number, facts: Pick<Commit, 'author' | 'subject'>) => {
    const commit = main[position]
    if (owner !== project.key || commit === undefined) return
    Object.assign(commit, { author: facts.author, subject: facts.subject })
  }
  for (const [index, broken] of BROKEN_TESTS.entries()) {
    const { from = -1, until = -1 } = positions.broken[index] ?? {}
    change(broken.project, from, broken.commit)
    change(broken.project, until, broken.fix)
  }
  for (const [index, rename] of RENAMES.entries())
    change(rename.project, positions.renames[index] ?? -1, rename.commit)
  change(SLOWER_TEST.project, positions.slower, SLOWER_TEST.commit)
  change(NEW_TEST.project, positions.added, NEW_TEST.commit)
}
