import type { JudgedFile, JudgedTest } from './expectation'
import {
  countTests,
  listCases,
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
  /** The same, for another reason than that there is nothing to run. */
  isSkipped: boolean
}

/** What Vitest must make of a tree (framework facts §3.2). */
export function judgeWithVitest(tree: Tree): JudgedFile {
  if (tree.breaksAtLoad || tree.root.children.length === 0)
    return { tests: [], problems: [LOAD_PROBLEM], failsCommand: true }
  const judge = new VitestJudge(tree.retries)
  judge.judgeGroup(tree.root, { titles: [], groups: [], isStopped: false, isSkipped: false })
  const { tests, problems } = judge
  const hasFailed = tests.some(({ verdict }) => verdict === 'failed') || problems.length > 0
  return { tests, problems, failsCommand: hasFailed }
}

class VitestJudge {
  readonly tests: JudgedTest[] = []
  readonly problems: string[] = []
  readonly #retries: number

  constructor(retries: number) {
    this.#retries = retries
  }

  judgeGroup(group: GroupNode, around: Path): void {
    const runs = !around.isStopped && isRun(group)
    // The first hook that fails ends the hooks of its kind: one error for each kind and group.
    const isBroken = runs && hasBroken(group, 'beforeAll')
    if (isBroken) this.problems.push('beforeAll hook')
    const path: Path = {
      titles: around.titles,
      groups: [...around.groups, group],
      isStopped: !runs || isBroken,
      isSkipped: around.isSkipped || group.mode === 'skip' || isBroken,
    }
    for (const child of group.children.flatMap((node) => listCases(node))) {
      const titles = [...path.titles, child.title]
      if (child.kind === 'group') this.judgeGroup(child, { ...path, titles })
      else this.#judgeTest(child, { ...path, titles })
    }
    if (!runs) return
    if (hasBroken(group, 'afterAll')) this.problems.push('afterAll hook')
    // "No test found in suite"
    if (countTests(group) === 0) this.problems.push(LOAD_PROBLEM)
  }

  #judgeTest(test: TestNode, path: Path): void {
    // Concurrent tests begin in the order of their declaration, too.
    const began = this.tests.length
    const { titles } = path
    const attempts = path.isStopped || test.mode !== 'run' ? [] : playAttempts(test, path, this.#retries)
    if (attempts.length === 0 || attempts.includes('skipped')) {
      const own = test.mode === 'todo' && !path.isSkipped ? 'todo' : 'skipped'
      this.tests.push({ titles, verdict: 'none', flaky: false, retries: 0, began, own })
      return
    }
    // Tries of a test that is expected to fail are all what was expected, or the end: none is a retry.
    const isTurned = test.expectsFailure !== undefined
    const passed = (attempts.at(-1) === 'passed') !== isTurned
    const verdict = passed ? 'passed' : 'failed'
    const own = `${verdict} ×${attempts.length}`
    const retries = isTurned ? 0 : attempts.length - 1
    this.tests.push({ titles, verdict, flaky: passed && retries > 0, retries, began, own })
  }
}

type Ending = 'passed' | 'failed' | 'skipped'

/** Attempts before a test that is expected to fail is turned: until one passes or skips, or none is left. */
function playAttempts(test: TestNode, path: Path, retries: number): Ending[] {
  const attempts: Ending[] = []
  for (let number = 1; number <= retries + 1; number += 1) {
    attempts.push(playAttempt(test, path, number))
    if (attempts.at(-1) !== 'failed') break
  }
  return attempts
}

function playAttempt(test: TestNode, { groups }: Path, number: number): Ending {
  const breaks = (kind: HookKind) => groups.some((group) => hasBroken(group, kind, number))
  if (breaks('beforeEach')) return 'failed'
  const act = test.script[Math.min(number, test.script.length) - 1]
  // What has skipped itself stays skipped, whatever its afterEach hooks do.
  if (act === 'skip') return 'skipped'
  return act === 'pass' && !breaks('afterEach') ? 'passed' : 'failed'
}

function hasBroken({ hooks }: GroupNode, kind: HookKind, attempt = 1): boolean {
  return hooks.some(
    (hook) => hook.kind === kind && (hook.fails === 'always' || (hook.fails === 'first' && attempt === 1)),
  )
}

/** A group all of whose children are skipped or todo is skipped itself; an empty one is not. */
function isRun(node: TreeNode): boolean {
  if (node.mode !== 'run') return false
  return node.kind === 'test' || node.children.length === 0 || node.children.some(isRun)
}
