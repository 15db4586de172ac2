import { executeTrees, type Difference, type Soil } from './execute'
import { tidy } from './tidy'
import { countTests, type GroupNode, type TestNode, type Tree, type TreeNode } from './tree'

const MOST_ROUNDS = 15
const MOST_CANDIDATES = 40

/** Makes the tree of a difference smaller, many candidates in one execution, as long as one still differs. */
export async function shrink(difference: Difference, soil: Soil): Promise<Difference> {
  let smallest = difference
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const candidates = listSmaller(smallest.tree)
      .map((tree) => tidy(tree, soil.target))
      .filter(({ root }) => countTests(root) > 0)
      .slice(0, MOST_CANDIDATES)
    if (candidates.length === 0) break
    const still = (await executeTrees(candidates, soil)).filter(({ culprit }) => culprit === smallest.culprit)
    const next = still.toSorted((a, b) => a.source.length - b.source.length)[0]
    if (!next) break
    smallest = next
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
