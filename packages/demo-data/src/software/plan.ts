import type { Commit } from '../build'
import type { Project } from '../catalogue/project'

export interface BuildPlan {
  project: Project
  index: number
  kind: 'main' | 'request' | 'local'
  day: number
  startedAtMs: number
  commit: Commit
  branch: string
  /** The commit where its branch left main. */
  base?: Commit
  request?: number
  /** Tests that its change breaks, each as its file and name. */
  breaks: readonly string[]
}

export interface ProjectPlan {
  project: Project
  builds: readonly BuildPlan[]
  main: readonly Commit[]
  /** The day of the outage, if this project has one. */
  outageDay: number | undefined
}

/** The days of the plan. Each ends at the time of day of `nowMs`. */
export interface Days {
  count: number
  nowMs: number
}

const DAY_MS = 24 * 3600 * 1000

export function endOfDay(day: number, { count, nowMs }: Days): number {
  return nowMs - (count - 1 - day) * DAY_MS
}

/** The last day always counts as a working day, so that the record reaches until now. */
export function isWorkingDay(day: number, days: Days): boolean {
  const weekday = new Date(endOfDay(day, days)).getUTCDay()
  return day === days.count - 1 || (weekday !== 0 && weekday !== 6)
}
