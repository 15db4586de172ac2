/** What one attempt of a test does; `skip` skips from inside the body, `stall` never ends. */
export type Act = 'pass' | 'fail' | 'skip' | 'stall'

export type HookKind = 'beforeAll' | 'afterAll' | 'beforeEach' | 'afterEach'

export interface Hook {
  /** Unlike that of every other hook of the tree; its errors are marked with it. */
  id: number
  kind: HookKind
  /** `first`: only in the first attempt of the test that it runs for. */
  fails: 'never' | 'always' | 'first'
  /** How it fails: an index into the failures that `heads.ts` writes. */
  failure: number
}

export interface TestNode {
  kind: 'test'
  /** Unlike that of every other test of the tree, but shared by its cases; its errors are marked with it. */
  id: number
  title: string
  mode: 'run' | 'skip' | 'todo'
  /** Expected to fail: said where the test is declared, or from inside its body. */
  expectsFailure?: 'declared' | 'inside'
  concurrent?: boolean
  /** What the attempts do, in order; the last one goes for all later ones. */
  script: Act[]
  /** How a failing attempt fails: an index into the failures that `heads.ts` writes. */
  failure: number
  /** More than one: parametrised, with this many cases. */
  cases: number
  /** Cases have their number in the title; without it they share one. */
  numbered: boolean
}

export interface GroupNode {
  kind: 'group'
  title: string
  mode: 'run' | 'skip'
  /** Playwright's serial mode. */
  serial?: boolean
  /** Vitest: everything inside begins together; Playwright: its parallel mode. */
  concurrent?: boolean
  hooks: Hook[]
  children: TreeNode[]
  cases: number
  numbered: boolean
}

export type TreeNode = TestNode | GroupNode

/** One test file. */
export interface Tree {
  /** How often a failed test is tried again. */
  retries: number
  /** It throws while it is loaded, after all its tests were declared. */
  breaksAtLoad: boolean
  /** The file itself; its title is not used. */
  root: GroupNode
}

/** Index of the failure that throws text; Jest repeats that of the first attempt in later ones, so they are marked alike. */
export const THROWS_TEXT = 1
/** Index of the failure that throws after an `await`: its stack does not say who called. */
export const THROWS_LATE = 3
/** Index of the failure that throws `undefined`, which cannot be marked. */
export const THROWS_NOTHING = 4
/** Index of the failure that never ends. */
export const STALLS = 5

/** The mark in the message of an error that a test's attempt throws; empty where it can hold none. */
export function markAttempt({ id, script, failure }: TestNode, attempt: number): string {
  const act = script[Math.min(attempt, script.length) - 1]
  if (act !== 'fail' || failure === THROWS_NOTHING) return ''
  return failure === THROWS_TEXT ? `«t${id}»` : `«t${id}/${attempt}»`
}

/** The mark in the message of the error that a hook throws. */
export function markHook({ id, failure }: Hook): string {
  return failure === THROWS_NOTHING || failure === STALLS ? '' : `«h${id}»`
}

/** Every case of a parametrised node as a node of its own, with groups of its own inside, in order. */
export function listCases<Node extends TreeNode>(node: Node): Node[] {
  if (node.cases <= 1) return [node]
  return Array.from({ length: node.cases }, (_, index) => ({
    ...structuredClone(node),
    cases: 1,
    title: node.numbered ? `${node.title} ${index + 1}` : node.title,
  }))
}

/** Whether the order in which the tests begin is left to chance. */
export function isUnordered(group: GroupNode): boolean {
  return (
    group.concurrent === true || group.children.some((child) => child.kind === 'group' && isUnordered(child))
  )
}

export function countTests(node: TreeNode): number {
  const each = node.kind === 'test' ? 1 : node.children.reduce((sum, child) => sum + countTests(child), 0)
  return each * Math.max(1, node.cases)
}
