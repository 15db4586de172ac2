import type { JudgedFile, JudgedTest } from './expectation'
import {
  THROWS_LATE,
  countTests,
  listCases,
  markAttempt,
  markHook,
  type GroupNode,
  type Hook,
  type HookKind,
  type TestNode,
  type Tree,
} from './tree'

const LOAD_PROBLEM = 'Suite failed to load'

/** A group as its tests see it: outermost first. */
interface Path {
  titles: string[]
  groups: GroupNode[]
  isSkipped: boolean
  /** Marks of the beforeAll errors of the groups around: they fail every test below that is not skipped. */
  brokenBefore: string[]
}

/** What Jest (jest-circus) must make of a tree (framework facts §2.2). */
export function judgeWithJest(tree: Tree): JudgedFile {
  if (tree.breaksAtLoad || countTests(tree.root) === 0)
    return { tests: [], problems: [{ name: LOAD_PROBLEM, mark: '' }], failsCommand: true }
  const judge = new JestJudge(tree.retries)
  judge.judgeGroup(tree.root, { titles: [], groups: [], isSkipped: false, brokenBefore: [] })
  const { tests, problems } = judge
  const hasFailed = tests.some(({ verdict }) => verdict === 'failed') || problems.length > 0
  return { tests, problems, failsCommand: hasFailed }
}

class JestJudge {
  readonly tests: JudgedTest[] = []
  readonly problems: JudgedFile['problems'] = []
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
      brokenBefore: [...around.brokenBefore, ...(runsHooks ? listBroken([group], 'beforeAll') : [])],
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
    this.problems.push(...findBroken([group], 'afterAll').map(nameProblem))
  }

  #judgeTest(test: TestNode, path: Path, began: number): void {
    const attempts = path.isSkipped || test.mode !== 'run' ? [] : playAttempts(test, path, this.#retries)
    const isTodo = test.mode === 'todo' && !path.isSkipped
    const passed = attempts.at(-1)?.length === 0
    const verdict = attempts.length === 0 ? 'none' : passed ? 'passed' : 'failed'
    const ran = `${verdict} ×${attempts.length} ${(attempts.at(-1) ?? []).join('')}`
    const own = verdict === 'none' ? (isTodo ? 'todo' : 'pending') : ran
    const retries = Math.max(0, attempts.length - 1)
    const titles = [...path.titles, test.title]
    this.tests.push({ titles, verdict, flaky: passed && retries > 0, retries, attempts, began, own })
  }
}

/** The errors of each attempt: none in one that passed. */
function playAttempts(test: TestNode, path: Path, retries: number): string[][] {
  const attempts: string[][] = []
  for (let number = 1; number <= retries + 1; number += 1) {
    const errors = playAttempt(test, path, number)
    attempts.push(errors)
    // A test that a beforeAll hook has failed is not tried again.
    if (errors.length === 0 || path.brokenBefore.length > 0) break
  }
  return attempts
}

/** The marks of an attempt's errors. After the first one nothing is begun but the afterEach hooks, all of them. */
function playAttempt(test: TestNode, { groups, brokenBefore }: Path, number: number): string[] {
  const errors = [...brokenBefore]
  // Concurrent tests run without these hooks.
  const hooks = (kind: HookKind, around: GroupNode[]) =>
    isConcurrent(test) ? [] : listBroken(around, kind, number)
  if (errors.length === 0) errors.push(...hooks('beforeEach', groups).slice(0, 1))
  if (errors.length === 0) {
    const passes = test.script[Math.min(number, test.script.length) - 1] === 'pass'
    if (passes === (test.expectsFailure !== undefined)) errors.push(passes ? '' : markAttempt(test, number))
  }
  return [...errors, ...hooks('afterEach', groups.toReversed())]
}

/** Jest tells reporters of afterAll errors and of unhandled ones alike: only the stack, if it is there, can tell. */
function nameProblem(hook: Hook): JudgedFile['problems'][number] {
  const name = hook.failure === THROWS_LATE ? 'afterAll hook or unhandled error' : 'afterAll hook'
  return { name, mark: markHook(hook) }
}

function listBroken(groups: GroupNode[], kind: HookKind, attempt?: number): string[] {
  return findBroken(groups, kind, attempt).map(markHook)
}

/** The hooks of a kind that fail, in order. */
function findBroken(groups: GroupNode[], kind: HookKind, attempt = 1): Hook[] {
  const hooks = groups.flatMap((group) => group.hooks.filter((hook) => hook.kind === kind))
  return hooks.filter(({ fails }) => fails === 'always' || (fails === 'first' && attempt === 1))
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
