import type { Build } from './build'
import { PROJECTS } from './catalogue'
import type { ProjectKey } from './catalogue/project'
import { createDraw } from './draw'
import { type BoardTests, mapBoard } from './line/map-line'
import { planLine } from './line/plan-line'
import { describePlanted, type Planted } from './planted'
import { BuildMapper } from './software/map-build'
import type { Days } from './software/plan'
import { planProject } from './software/plan-project'

export interface YearOptions {
  /** The end of the year. */
  nowMs: number
  /** How many days it has. @default 365 */
  days?: number | undefined
  /** The same seed makes the same year, byte by byte. @default 1 */
  seed?: number | undefined
}

/** Fewer days have no room for all planted facts. */
export const MIN_DAYS = 20
export const MAX_DAYS = 3650
export const YEAR_DAYS = 365

/** A year of builds of four projects and a production line. Keeps nothing in memory: each iteration generates it again. */
export interface Year {
  projects: readonly ProjectKey[]
  /** The builds of a project, in order of start. */
  listBuilds(project: ProjectKey): Iterable<Build>
  /** Boards in order of their first final test. */
  listBoards(): Iterable<BoardTests>
  planted: Planted
  /** Number of builds and boards. */
  itemCount: number
}

/** Generates the year without I/O. @throws RangeError if the number of days is out of range */
export function generateYear({ nowMs, days: count = YEAR_DAYS, seed = 1 }: YearOptions): Year {
  if (!(count >= MIN_DAYS && count <= MAX_DAYS))
    throw new RangeError(`the record has ${MIN_DAYS} to ${MAX_DAYS} days, not ${count}`)
  const days: Days = { count, nowMs }
  const draw = createDraw(seed)
  const plans = new Map(PROJECTS.map((project) => [project.key, planProject(project, days, draw)]))
  const boards = planLine(days, draw)
  return {
    projects: [...plans.keys()],
    planted: describePlanted({ plans: [...plans.values()], boards, days, draw }),
    itemCount: [...plans.values()].reduce((sum, { builds }) => sum + builds.length, boards.length),
    *listBuilds(project) {
      const plan = plans.get(project)
      if (!plan) return
      const mapper = new BuildMapper(plan, days, draw)
      for (const build of plan.builds) yield mapper.map(build)
    },
    *listBoards() {
      for (const board of boards) yield mapBoard(board, { days, draw })
    },
  }
}
