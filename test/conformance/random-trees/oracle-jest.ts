import type { JudgedFile, JudgedTest } from './expectation'
import { countTests, listCases, type GroupNode, type HookKind, type TestNode, type Tree } from './tree'

const LOAD_PROBLEM = 'Suite failed to load'

/** A group as its tests see it: outermost first. */
interface Path {
  titles: string[]
  groups: GroupNode[]
  isSkipped: boolean
  /** beforeAll errors of the groups around: they fail every test below that is not skipped. */
  brokenBefore: boolean
}

/** What Jest (jest-circus) must make of a tree (framework facts §2.2). */
export function judgeWithJest(tree: Tree): JudgedFile {
  if (tree.breaksAtLoad || countTests(tree.root) === 0)
    return { tests: [], problems: [LOAD_PROBLEM], failsCommand: true }
  const judge = new JestJudge(tree.retries)
  judge.judgeGroup(tree.root, { titles: [], groups: [], isSkipped: false, brokenBefore: false })
  const { tests, problems } = judge
  const hasFailed = tests.some(({ verdict }) => verdict === 'failed') || problems.length > 0
  return { tests, problems, failsCommand: hasFailed }
}

class JestJudge {
  readonly tests: JudgedTest[] = []
  readonly problems: string[] = []
  readonly #retries: number
  #clock = 0

  constructor(retries: number) {
    this.#retries = retries
  }

  judgeGroup(group: GroupNode, around: Path): void {
    const isSkipped = around.isSkipped || group.mode === 'skip'
    const runsHooks = !isSkipped && hasEnabledTest(group, isSkipped)
    const path: Path = {
      titles: around.titles,
      groups: [...around.groups, group],
      isSkipped,
      brokenBefore: around.brokenBefore || (runsHooks && countBroken([group], 'beforeAll') > 0),
    }
    const children = group.children.flatMap((child) => listCases(child))
    // The concurrent tests of a group run together, in the place of the first of them.
    const begins = new Map<TestNode, number>()
    const concurrent = children.filter((child) => child.kind === 'test').filter(isConcurrent)
    for (const child of children) {
      if (child.kind === 'group') {
        this.judgeGroup(child, { ...path, titles: [...path.titles, child.title] })
        continue
      }
      if (isConcurrent(child) && begins.size === 0)
        for (const test of concurrent) begins.set(test, (this.#clock += 1))
      this.#judgeTest(child, path, begins.get(child) ?? (this.#clock += 1))
    }
    if (!runsHooks) return
    // Nobody is blamed for an afterAll error, and each of them is told.
    for (let count = countBroken([group], 'afterAll'); count > 0; count -= 1)
      this.problems.push('afterAll hook')
  }

  #judgeTest(test: TestNode, path: Path, began: number): void {
    const attempts = path.isSkipped || test.mode !== 'run' ? [] : playAttempts(test, path, this.#retries)
    const isTodo = test.mode === 'todo' && !path.isSkipped
    const passed = attempts.at(-1) === 'passed'
    const verdict = attempts.length === 0 ? 'none' : passed ? 'passed' : 'failed'
    const own = verdict === 'none' ? (isTodo ? 'todo' : 'pending') : `${verdict} ×${attempts.length}`
    const retries = Math.max(0, attempts.length - 1)
    const titles = [...path.titles, test.title]
    this.tests.push({ titles, verdict, flaky: passed && retries > 0, retries, began, own })
  }
}

function playAttempts(test: TestNode, path: Path, retries: number): ('passed' | 'failed')[] {
  const attempts: ('passed' | 'failed')[] = []
  for (let number = 1; number <= retries + 1; number += 1) {
    const isBroken = number === 1 && path.brokenBefore
    const passed = !isBroken && playAttempt(test, path, number)
    attempts.push(passed ? 'passed' : 'failed')
    // A test that a beforeAll hook has failed is not tried again.
    if (passed || isBroken) break
  }
  return attempts
}

function playAttempt(test: TestNode, { groups }: Path, number: number): boolean {
  // Concurrent tests run without these hooks.
  const breaks = (kind: HookKind) => !isConcurrent(test) && countBroken(groups, kind, number) > 0
  if (breaks('beforeEach') || breaks('afterEach')) return false
  const act = test.script[Math.min(number, test.script.length) - 1]
  return (act === 'pass') !== (test.expectsFailure !== undefined)
}

function countBroken(groups: GroupNode[], kind: HookKind, attempt = 1): number {
  const hooks = groups.flatMap((group) => group.hooks.filter((hook) => hook.kind === kind))
  return hooks.filter(({ fails }) => fails === 'always' || (fails === 'first' && attempt === 1)).length
}

/** Whether beforeAll and afterAll hooks of a group run: a todo test is reason enough. */
function hasEnabledTest(group: GroupNode, isSkipped: boolean): boolean {
  return group.children.some((child) => {
    if (child.kind === 'group') return hasEnabledTest(child, isSkipped || child.mode === 'skip')
    return child.mode === 'todo' || (child.mode === 'run' && !isSkipped)
  })
}

function isConcurrent(test: TestNode): boolean {
  return test.concurrent === true && test.mode === 'run'
}
