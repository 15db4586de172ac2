import type { Target } from '../target'
import { countTests, type GroupNode, type Tree, type TreeNode } from './tree'

/** Takes out of a tree what the framework refuses: hooks of empty groups (Jest), equal titles (Playwright). */
export function tidy(tree: Tree, { framework }: Target): Tree {
  const root = dropIdleHooks(tree.root)
  return { ...tree, root: framework === 'playwright' ? nameApart(root) : root }
}

function dropIdleHooks(group: GroupNode): GroupNode {
  return {
    ...group,
    hooks: countTests(group) === 0 ? [] : group.hooks,
    children: group.children.map((child) => (child.kind === 'group' ? dropIdleHooks(child) : child)),
  }
}

/** Equal titles stay in different groups: Playwright refuses two tests of one whole title path. */
function nameApart(group: GroupNode): GroupNode {
  const taken = new Set<string>()
  return { ...group, children: group.children.map((child) => nameNodeApart(child, taken)) }
}

function nameNodeApart(node: TreeNode, taken: Set<string>): TreeNode {
  let title = node.title
  while (taken.has(title)) title += "'"
  taken.add(title)
  const named = { ...node, title, numbered: true }
  return named.kind === 'group' ? nameApart(named) : named
}
