import type { Target } from '../target'
import { countTests, isUnordered, type GroupNode, type Tree, type TreeNode } from './tree'

/**
 * Takes out of a tree what the framework refuses: hooks of empty groups (Jest), equal titles and parallel groups inside
 * serial ones (Playwright). Where the order is left to chance no name may depend on it.
 */
export function tidy(tree: Tree, { framework }: Target): Tree {
  const root = dropParallelInSerial(dropIdleHooks(tree.root), false)
  const titled = isUnordered(root) ? numberTests(root, { count: 0 }) : root
  return { ...tree, root: framework === 'playwright' ? nameApart(titled) : titled }
}

function dropParallelInSerial({ concurrent, ...group }: GroupNode, isInside: boolean): GroupNode {
  const isSerial = isInside || group.serial === true
  return {
    ...group,
    ...(concurrent && !isSerial && { concurrent }),
    children: group.children.map((child) =>
      child.kind === 'group' ? dropParallelInSerial(child, isSerial) : child,
    ),
  }
}

/** Gives every test a title of its own; one that has its number already keeps it. */
function numberTests(group: GroupNode, counter: { count: number }): GroupNode {
  const children = group.children.map((child): TreeNode => {
    if (child.kind === 'group') return { ...numberTests(child, counter), numbered: true }
    counter.count += 1
    const title = `${child.title.split(' no. ')[0]} no. ${counter.count}`
    return { ...child, title, numbered: true }
  })
  return { ...group, children }
}

function dropIdleHooks(group: GroupNode): GroupNode {
  return {
    ...group,
    hooks: countTests(group) === 0 ? [] : group.hooks,
    children: group.children.map((child) => (child.kind === 'group' ? dropIdleHooks(child) : child)),
  }
}

/** Equal titles stay in different groups; Playwright refuses two tests whose joined title paths are equal. */
function nameApart(group: GroupNode, around = '', taken = new Set<string>()): GroupNode {
  return {
    ...group,
    children: group.children.map((child) => {
      let path = around + child.title
      while (taken.has(path)) path += "'"
      taken.add(path)
      const named = { ...child, title: path.slice(around.length), numbered: true }
      return named.kind === 'group' ? nameApart(named, `${path} › `, taken) : named
    }),
  }
}
