import type { JestCaseResult, JestCaseStart, JestTest } from './jest-types'

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

/** What was seen of a file between its start and its result. */
export interface FileAccount {
  test: JestTest
  startedAtMs: number
  /** The same path ran in another project at the same time: Jest does not tell their cases apart. */
  isShared: boolean
  cases: LiveCase[]
  /** Cases that have started and not finished, oldest first. */
  underWay: JestCaseStart[]
  /** The case that started first. */
  first?: JestCaseStart | undefined
}

/**
 * The files under way. Case hooks name only the path (their context is an arbitrary project's), so cases are kept
 * for a path only while one project runs it; else its accounts are marked as shared and keep none.
 */
export class RunningFiles {
  readonly #byPath = new Map<string, FileAccount[]>()

  start(test: JestTest, startedAtMs: number): void {
    const others = this.#byPath.get(test.path) ?? []
    const account: FileAccount = { test, startedAtMs, isShared: others.length > 0, cases: [], underWay: [] }
    for (const other of others) Object.assign(other, { isShared: true, cases: [], underWay: [] })
    this.#byPath.set(test.path, [...others, account])
  }

  startCase(path: string, start: JestCaseStart): void {
    const account = this.#findSole(path)
    if (!account) return
    const { first, underWay } = account
    if (underWay.length > 0 && first && haveSameTitles(start, first)) beginAnew(account)
    account.first ??= start
    account.underWay.push(start)
  }

  finishCase(path: string, result: JestCaseResult): void {
    const account = this.#findSole(path)
    if (!account) return
    const start = takeStart(account.underWay, result)
    account.cases.push({
      ancestorTitles: result.ancestorTitles,
      title: result.title,
      status: result.status,
      invocation: result.invocations ?? 1,
      startedAtMs: result.startedAt ?? start?.startedAt ?? undefined,
      durationMs: result.duration ?? undefined,
      failureMessages: result.failureMessages ?? [],
    })
  }

  /** Takes a file off the list; undefined when its start was never told. */
  finish(test: JestTest): FileAccount | undefined {
    const accounts = this.#byPath.get(test.path) ?? []
    const account = accounts.find((candidate) => candidate.test.context.config.id === test.context.config.id)
    this.#byPath.set(
      test.path,
      accounts.filter((candidate) => candidate !== account),
    )
    return account
  }

  list(): FileAccount[] {
    return [...this.#byPath.values()].flat()
  }

  #findSole(path: string): FileAccount | undefined {
    const account = this.#byPath.get(path)?.[0]
    return account?.isShared ? undefined : account
  }
}

/** True once a test of the file has started, or where Jest does not tell: the path runs in other projects too. */
export function hasBegun({ cases, underWay, isShared }: FileAccount): boolean {
  return isShared || cases.length + underWay.length > 0
}

/**
 * Where a worker's process exits by itself, jest-worker runs its file again, three times at most, and Jest tells only
 * the cases: the first one starts again while another is under way. Only the last try counts.
 */
function beginAnew(account: FileAccount): void {
  Object.assign(account, { cases: [], underWay: [] })
}

/** Finds by titles: under `test.concurrent` several cases are under way at once. */
function takeStart(underWay: JestCaseStart[], result: JestCaseResult): JestCaseStart | undefined {
  const first = underWay[0]
  // Nearly always the oldest, though Jest may tell of several starts before it tells of a result.
  if (first && haveSameTitles(first, result)) return underWay.shift()
  return takeLaterStart(underWay, result)
}

function takeLaterStart(underWay: JestCaseStart[], result: JestCaseResult): JestCaseStart | undefined {
  const index = underWay.findIndex((start) => haveSameTitles(start, result))
  return index < 0 ? undefined : underWay.splice(index, 1)[0]
}

type Titled = Pick<LiveCase, 'ancestorTitles' | 'title'>

export function haveSameTitles(one: Titled, other: Titled): boolean {
  const { title, ancestorTitles } = one
  if (title !== other.title || ancestorTitles.length !== other.ancestorTitles.length) return false
  for (let index = 0; index < ancestorTitles.length; index += 1)
    if (ancestorTitles[index] !== other.ancestorTitles[index]) return false
  return true
}

/** Equal for tests of equal titles, which are legal in one file. */
export function formatTestKey({ ancestorTitles, title }: Titled): string {
  return JSON.stringify([ancestorTitles, title])
}
