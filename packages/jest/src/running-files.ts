import type { JestCaseResult, JestCaseStart, JestTest } from './jest-types'

/** One attempt of one test as Jest told it while the file ran. */
export interface LiveCase {
  titles: string[]
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
    this.#findSole(path)?.underWay.push(start)
  }

  finishCase(path: string, result: JestCaseResult): void {
    const account = this.#findSole(path)
    if (!account) return
    const start = takeStart(account.underWay, result)
    account.cases.push({
      titles: [...result.ancestorTitles, result.title],
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
    const rest = accounts.filter((candidate) => candidate !== account)
    if (rest.length > 0) this.#byPath.set(test.path, rest)
    else this.#byPath.delete(test.path)
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

/** Finds by titles: under `test.concurrent` several cases are under way at once. */
function takeStart(underWay: JestCaseStart[], result: JestCaseResult): JestCaseStart | undefined {
  const key = formatTestKey(result)
  const index = underWay.findIndex((start) => formatTestKey(start) === key)
  return index < 0 ? undefined : underWay.splice(index, 1)[0]
}

/** Equal for tests of equal titles, which are legal in one file. */
export function formatTestKey({
  ancestorTitles,
  title,
}: Pick<JestCaseStart, 'ancestorTitles' | 'title'>): string {
  return JSON.stringify([...ancestorTitles, title])
}
