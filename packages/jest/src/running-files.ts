import type { JestCaseResult, JestCaseStart, JestTest } from './jest-types'

/** What Jest tells of a case while its file runs: that it has started, or how an attempt of it ended. */
export type ToldCase = JestCaseStart | JestCaseResult

/** What was seen of a file between its start and its result. */
export interface FileAccount {
  test: JestTest
  startedAtMs: number
  /** The same path ran in another project at the same time: Jest does not tell their cases apart. */
  isShared: boolean
  /** In the order that it was told. */
  told: ToldCase[]
}

/**
 * The files under way. Case hooks name only the path (their context is an arbitrary project's), so cases are kept
 * for a path only while one project runs it; else its accounts are marked as shared and keep none.
 */
export class RunningFiles {
  /**
   * What is told of the cases of each path goes straight into its list: Jest tells twice for every test. It is looked
   * into where the file's results do not do. No list for a path that is not told apart.
   */
  readonly told = new Map<string, ToldCase[]>()
  readonly #byPath = new Map<string, FileAccount[]>()

  start(test: JestTest, startedAtMs: number): void {
    const others = this.#byPath.get(test.path) ?? []
    const account: FileAccount = { test, startedAtMs, isShared: others.length > 0, told: [] }
    if (account.isShared) this.told.delete(test.path)
    else this.told.set(test.path, account.told)
    for (const other of others) Object.assign(other, { isShared: true, told: [] })
    this.#byPath.set(test.path, [...others, account])
  }

  /** Takes a file off the list; undefined when its start was never told. */
  finish(test: JestTest): FileAccount | undefined {
    const accounts = this.#byPath.get(test.path) ?? []
    const account = accounts.find((candidate) => candidate.test.context.config.id === test.context.config.id)
    if (account?.isShared === false) this.told.delete(test.path)
    this.#byPath.set(
      test.path,
      accounts.filter((candidate) => candidate !== account),
    )
    return account
  }

  list(): FileAccount[] {
    return [...this.#byPath.values()].flat()
  }
}

/** True once a test of the file has started, or where Jest does not tell: the path runs in other projects too. */
export function hasBegun({ told, isShared }: FileAccount): boolean {
  return isShared || told.length > 0
}
