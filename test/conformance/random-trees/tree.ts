/** What one attempt of a test does; `skip` skips from inside the body, `stall` never ends. */
export type Act = 'pass' | 'fail' | 'skip' | 'stall'

export type HookKind = 'beforeAll' | 'afterAll' | 'beforeEach' | 'afterEach'

export interface Hook {
  kind: HookKind
  /** `first`: only in the first attempt of the test that it runs for. */
  fails: 'never' | 'always' | 'first'
}

export interface TestNode {
  kind: 'test'
  title: string
  mode: 'run' | 'skip' | 'todo'
  /** Expected to fail: said where the test is declared, or from inside its body. */
  expectsFailure?: 'declared' | 'inside'
  concurrent?: boolean
  /** What the attempts do, in order; the last one goes for all later ones. */
  script: Act[]
  /** How a failing attempt fails: an index into the failures that `render.ts` writes. */
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

/** Every case of a parametrised node as a node of its own, in order. */
export function listCases<Node extends TreeNode>(node: Node): Node[] {
  if (node.cases <= 1) return [node]
  return Array.from({ length: node.cases }, (_, index) => ({
    ...node,
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
