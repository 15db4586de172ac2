import type { JudgedFile, JudgedTest } from './expectation'
import {
  countTests,
  listCases,
  markAttempt,
  markHook,
  type GroupNode,
  type HookKind,
  type TestNode,
  type Tree,
  type TreeNode,
} from './tree'

const LOAD_PROBLEM = 'Suite failed to load'

interface Path {
  titles: string[]
  groups: GroupNode[]
  /** Nothing below runs: a group around is skipped, or its beforeAll hook failed. */
  isStopped: boolean
  /** A beforeAll hook around has failed: that skips even what was todo. */
  isBroken: boolean
  /** A skipped group in a skipped group is overlooked: tests inside stay as if they were still to run. */
  isOverlooked: boolean
}

/** What Vitest must make of a tree (framework facts §3.2). */
export function judgeWithVitest(tree: Tree, release: number): JudgedFile {
  if (tree.breaksAtLoad || tree.root.children.length === 0)
    return { tests: [], problems: [{ name: LOAD_PROBLEM, mark: '' }], failsCommand: true }
  const judge = new VitestJudge(tree.retries, release)
  judge.judgeGroup(tree.root, {
    titles: [],
    groups: [],
    isStopped: false,
    isBroken: false,
    isOverlooked: false,
  })
  const { tests, problems } = judge
  const hasFailed = tests.some(({ verdict }) => verdict === 'failed') || problems.length > 0
  return { tests, problems, failsCommand: hasFailed }
}

class VitestJudge {
  readonly tests: JudgedTest[] = []
  readonly problems: JudgedFile['problems'] = []
  readonly #retries: number
  /**
   * Version 5 tells of each try, and turns each of a test that is expected to fail. Before, it was turned once, after all
   * tries, and what a test had tried before it skipped itself was lost.
   */
  readonly #tellsTries: boolean

  constructor(retries: number, release: number) {
    this.#retries = retries
    this.#tellsTries = release >= 5
  }

  judgeGroup(group: GroupNode, around: Path): void {
    const runs = !around.isStopped && isRun(group)
    // The first hook that fails ends the hooks of its kind: one error for each kind and group.
    const before = runs ? findBroken([group], 'beforeAll') : undefined
    const isBroken = before !== undefined
    if (isBroken) this.problems.push({ name: 'beforeAll hook', mark: before })
    const path: Path = {
      titles: around.titles,
      groups: [...around.groups, group],
      isStopped: !runs || isBroken,
      isBroken: around.isBroken || isBroken,
      isOverlooked:
        around.isOverlooked || (group.mode === 'skip' && around.groups.some(({ mode }) => mode === 'skip')),
    }
    for (const child of group.children.flatMap((node) => listCases(node))) {
      const titles = [...path.titles, child.title]
      if (child.kind === 'group') this.judgeGroup(child, { ...path, titles })
      else this.#judgeTest(child, { ...path, titles })
    }
    if (!runs) return
    const after = findBroken([group], 'afterAll')
    if (after !== undefined) this.problems.push({ name: 'afterAll hook', mark: after })
    // "No test found in suite"
    if (countTests(group) === 0) this.problems.push({ name: LOAD_PROBLEM, mark: '' })
  }

  #judgeTest(test: TestNode, path: Path): void {
    // Concurrent tests begin in the order of their declaration, too.
    const began = this.tests.length
    const { titles } = path
    const tries = path.isStopped || test.mode !== 'run' ? [] : this.#playAttempts(test, path)
    const errors = tries.map((each) => (each === 'skipped' ? [] : each))
    if (tries.length === 0 || tries.at(-1) === 'skipped') {
      const skipped = test.mode === 'run' && path.isOverlooked ? 'pending' : 'skipped'
      const own = test.mode === 'todo' && !path.isBroken ? 'todo' : skipped
      const attempts = this.#tellsTries && tries.length > 1 ? errors : []
      const retries = Math.max(0, attempts.length - 1)
      this.tests.push({ titles, verdict: 'none', flaky: false, retries, attempts, began, own })
      return
    }
    // Where they are turned together, all are what was expected, or the end: none is a retry.
    const isTurned = test.expectsFailure !== undefined && !this.#tellsTries
    const attempts = isTurned ? [turn(errors.at(-1) ?? [])] : errors
    const passed = attempts.at(-1)?.length === 0
    const verdict = passed ? 'passed' : 'failed'
    const own = `${verdict} ×${errors.length} ${attempts.flat().join('')}`
    const retries = attempts.length - 1
    this.tests.push({ titles, verdict, flaky: passed && retries > 0, retries, attempts, began, own })
  }

  /** Errors of each attempt, until one passes or skips, or none is left. */
  #playAttempts(test: TestNode, path: Path): (string[] | 'skipped')[] {
    const attempts: (string[] | 'skipped')[] = []
    for (let number = 1; number <= this.#retries + 1; number += 1) {
      const errors = playAttempt(test, path, number)
      const isTurned = test.expectsFailure !== undefined && this.#tellsTries && errors !== 'skipped'
      attempts.push(isTurned ? turn(errors) : errors)
      if (attempts.at(-1)?.length === 0 || errors === 'skipped') break
    }
    return attempts
  }
}

/** What is expected to fail, and passes, has an error of the framework's. */
function turn(errors: string[]): string[] {
  return errors.length === 0 ? [''] : []
}

/** The marks of an attempt's errors; none when it passes. Of the hooks of a kind the first that fails ends the others. */
function playAttempt(test: TestNode, { groups }: Path, number: number): string[] | 'skipped' {
  const before = findBroken(groups, 'beforeEach', number)
  const after = findBroken(groups.toReversed(), 'afterEach', number)
  const act = test.script[Math.min(number, test.script.length) - 1]
  // What has skipped itself stays skipped, whatever its afterEach hooks do.
  if (before === undefined && act === 'skip') return 'skipped'
  const body = act === 'pass' ? undefined : markAttempt(test, number)
  return [before ?? body, after].filter((mark) => mark !== undefined)
}

/** The mark of the first hook of a kind that fails; hooks that come after are run in the opposite order. */
function findBroken(groups: GroupNode[], kind: HookKind, attempt = 1): string | undefined {
  const isAfter = kind === 'afterEach' || kind === 'afterAll'
  const hooks = groups.flatMap((group) => (isAfter ? group.hooks.toReversed() : group.hooks))
  const broken = hooks.find(
    (hook) => hook.kind === kind && (hook.fails === 'always' || (hook.fails === 'first' && attempt === 1)),
  )
  return broken && markHook(broken)
}

/** A group all of whose children are skipped or todo is skipped itself; an empty one is not. */
function isRun(node: TreeNode): boolean {
  if (node.mode !== 'run') return false
  return node.kind === 'test' || node.children.length === 0 || node.children.some(isRun)
}
