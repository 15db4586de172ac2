import type { JestCaseResult, JestCaseStart } from './jest-types'
import type { ToldCase } from './running-files'

/** One attempt of one test as Jest told it while the file ran. */
export interface LiveCase {
  ancestorTitles: readonly string[]
  title: string
  status: string
  /** Which attempt this is, counted from 1. */
  invocation: number
  startedAtMs?: number | undefined
  durationMs?: number | undefined
  failureMessages: readonly string[]
}

export interface RecalledCases {
  cases: LiveCase[]
  /** Cases that have started and not finished, oldest first. */
  underWay: JestCaseStart[]
}

/**
 * Puts together what was told of a file's cases. Where a worker's process exits by itself, jest-worker runs its file
 * again, three times at most, and Jest tells only the cases: the first one starts again while another is under way. Only
 * the last try counts.
 */
export function recallCases(told: readonly ToldCase[]): RecalledCases {
  let recalled: RecalledCases = { cases: [], underWay: [] }
  const first = told.find(isStart)
  for (const each of told) {
    if (isStart(each)) {
      const isAnew = recalled.underWay.length > 0 && first !== undefined && haveSameTitles(each, first)
      if (isAnew) recalled = { cases: [], underWay: [] }
      recalled.underWay.push(each)
    } else recalled.cases.push(mapCase(each, takeStart(recalled.underWay, each)))
  }
  return recalled
}

function isStart(told: ToldCase): told is JestCaseStart {
  return !('status' in told)
}

function mapCase(result: JestCaseResult, start: JestCaseStart | undefined): LiveCase {
  return {
    ancestorTitles: result.ancestorTitles,
    title: result.title,
    status: result.status,
    invocation: result.invocations ?? 1,
    startedAtMs: result.startedAt ?? start?.startedAt ?? undefined,
    durationMs: result.duration ?? undefined,
    failureMessages: result.failureMessages ?? [],
  }
}

/** Finds by titles: under `test.concurrent` several cases are under way at once. */
function takeStart(underWay: JestCaseStart[], result: JestCaseResult): JestCaseStart | undefined {
  const index = underWay.findIndex((start) => haveSameTitles(start, result))
  return index < 0 ? undefined : underWay.splice(index, 1)[0]
}

type Titled = Pick<LiveCase, 'ancestorTitles' | 'title'>

function haveSameTitles(one: Titled, other: Titled): boolean {
  return one.title === other.title && formatTestKey(one) === formatTestKey(other)
}

/** Equal for tests of equal titles, which are legal in one file. */
export function formatTestKey({ ancestorTitles, title }: Titled): string {
  return JSON.stringify([ancestorTitles, title])
}
