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
  told.forEach((each, index) => {
    if (isStart(each)) {
      const mayBeAnew = recalled.underWay.length > 0 && first !== undefined && haveSameTitles(each, first)
      if (mayBeAnew && !isRetry(told, index)) recalled = { cases: [], underWay: [] }
      recalled.underWay.push(each)
    } else recalled.cases.push(mapCase(each, takeStart(recalled.underWay, each)))
  })
  return recalled
}

/**
 * What was told in the last of so many tries of a file. A worker that exits between tests, in an afterAll hook say,
 * leaves none under way: its tries are known by the same tests that start as many times over.
 */
export function listLastTry(told: readonly ToldCase[], tries: number): readonly ToldCase[] {
  const starts = told.filter((each, index) => isStart(each) && !isRetry(told, index))
  const length = starts.length / tries
  const last = starts[starts.length - length]
  const isRepeated = starts.every(
    (start, at) => at < length || haveSameTitles(start, starts[at - length] ?? start),
  )
  if (last === undefined || !isRepeated) return told
  // A test that is still to be written is told without a start, and may come first.
  return told.slice(told.indexOf(last) - told.findIndex(isStart))
}

/** The attempt that starts at this place, as far as is told how it ended, was not the first of its test. */
function isRetry(told: readonly ToldCase[], place: number): boolean {
  const start = told[place] as JestCaseStart
  for (let index = place + 1; index < told.length; index += 1) {
    const each = told[index] as ToldCase
    if ('status' in each && haveSameTitles(each, start)) return (each.invocations ?? 1) > 1
  }
  return false
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

export type Titled = Pick<LiveCase, 'ancestorTitles' | 'title'>

function haveSameTitles(one: Titled, other: Titled): boolean {
  return one.title === other.title && formatTestKey(one) === formatTestKey(other)
}

/** Equal for tests of equal titles, which are legal in one file. */
export function formatTestKey({ ancestorTitles, title }: Titled): string {
  return JSON.stringify([ancestorTitles, title])
}
