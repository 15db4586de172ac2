import { executeTrees, type Difference, type Soil } from './execute'
import { tidy } from './tidy'
import { countTests, type GroupNode, type TestNode, type Tree, type TreeNode } from './tree'

/** What shrinking may cost. */
export interface Budget {
  executions: number
  /** No execution begins later. */
  untilMs: number
  /** How many candidates go into one execution. */
  candidates: number
}

/**
 * Makes the tree of a difference smaller, many candidates in one execution, as long as one still differs and the budget
 * lasts; undefined when it does not differ without the other trees of its execution.
 */
export async function shrink(
  difference: Difference,
  soil: Soil,
  budget: Budget,
): Promise<Difference | undefined> {
  let smallest: Difference | undefined
  let candidates = [difference.tree]
  for (let spent = 0; candidates.length > 0 && spent < budget.executions; spent += 1) {
    if (Date.now() > budget.untilMs) break
    const batch = candidates.splice(0, budget.candidates)
    // Candidates that the framework refuses altogether teach nothing.
    const found = await executeTrees(batch, soil).catch(() => [])
    const still = found.filter(({ culprit }) => culprit === difference.culprit)
    const next = still.toSorted((a, b) => a.source.length - b.source.length)[0]
    if (!next) continue
    smallest = next
    candidates = listSmaller(next.tree)
      .map((tree) => tidy(tree, soil.target))
      .filter(({ root }) => countTests(root) > 0)
  }
  return smallest
}

/** Every tree that is this one without one thing. */
function listSmaller(tree: Tree): Tree[] {
  const smaller = listSmallerGroups(tree.root).map((root) => ({ ...tree, root }))
  if (tree.breaksAtLoad) smaller.unshift({ ...tree, breaksAtLoad: false })
  if (tree.retries > 0) smaller.unshift({ ...tree, retries: tree.retries - 1 })
  return smaller
}

function listSmallerGroups(group: GroupNode): GroupNode[] {
  const { children, hooks } = group
  return [
    ...children.map((_, index) => ({ ...group, children: children.toSpliced(index, 1) })),
    ...(group.cases > 1 ? [{ ...group, cases: 1 }] : []),
    ...(group.mode === 'skip' ? [{ ...group, mode: 'run' as const }] : []),
    ...(group.serial ? [{ ...group, serial: false }] : []),
    ...(group.concurrent ? [{ ...group, concurrent: false }] : []),
    ...hooks.map((_, index) => ({ ...group, hooks: hooks.toSpliced(index, 1) })),
    ...children.flatMap((child, index) =>
      listSmallerNodes(child).map((nodes) => ({
        ...group,
        children: children.toSpliced(index, 1, ...nodes),
      })),
    ),
  ]
}

/** What may stand in a node's place. */
function listSmallerNodes(node: TreeNode): TreeNode[][] {
  if (node.kind === 'test') return listSmallerTests(node).map((test) => [test])
  const isPlain = node.hooks.length === 0 && node.mode === 'run' && !node.serial && !node.concurrent
  return [...(isPlain ? [node.children] : []), ...listSmallerGroups(node).map((group) => [group])]
}

function listSmallerTests({ expectsFailure, ...test }: TestNode): TestNode[] {
  const all: TestNode = { ...test, ...(expectsFailure && { expectsFailure }) }
  return [
    ...(test.cases > 1 ? [{ ...all, cases: test.cases - 1 }] : []),
    ...(test.script.length > 1 ? [{ ...all, script: test.script.slice(0, -1) }] : []),
    ...(test.mode === 'run' ? [] : [{ ...all, mode: 'run' as const }]),
    ...(test.concurrent ? [{ ...all, concurrent: false }] : []),
    ...(expectsFailure ? [test] : []),
    ...(test.script[0] === 'pass' ? [] : [{ ...all, script: ['pass' as const, ...test.script.slice(1)] }]),
  ]
}
