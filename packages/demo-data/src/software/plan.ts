import type { Project } from '../catalogue/project'

export interface Commit {
  sha: string
  subject: string
  author: string
  /** How many commits of main come before it, or before the one where its branch left main. */
  position: number
}

/** A CI build or a local execution, before anybody decides what its tests do. */
export interface BuildPlan {
  project: Project
  /** Counted from 0 in its project. */
  index: number
  kind: 'main' | 'request' | 'local'
  day: number
  startedAtMs: number
  commit: Commit
  branch: string
  /** Where its branch left main. */
  base?: Commit
  request?: number
  /** Names of tests that its change breaks, with their files in front. */
  breaks: readonly string[]
}

/** All builds of a project, in the order of their starts. */
export interface ProjectPlan {
  project: Project
  builds: readonly BuildPlan[]
  /** The commits of main, by position. */
  main: readonly Commit[]
  /** The day of the outage, where this project has one. */
  outageDay: number | undefined
}

/** The days of which the plan consists: each ends at the time of day of `nowMs`. */
export interface Days {
  count: number
  nowMs: number
}

const DAY_MS = 24 * 3600 * 1000

export function endOfDay(day: number, { count, nowMs }: Days): number {
  return nowMs - (count - 1 - day) * DAY_MS
}

/** The last day counts as one, whatever day of the week it is: the record shall reach until now. */
export function isWorkingDay(day: number, days: Days): boolean {
  const weekday = new Date(endOfDay(day, days)).getUTCDay()
  return day === days.count - 1 || (weekday !== 0 && weekday !== 6)
}
