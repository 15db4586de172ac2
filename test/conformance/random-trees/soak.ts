import type { Framework } from '../../support/project'
import type { Service } from '../../support/service'
import { nameTarget, type Target } from '../target'
import { executeTrees, type Difference } from './execute'
import { growTree } from './grow'
import { JUDGES } from './oracle'
import { shrink } from './shrink'
import { countTests, type Tree } from './tree'

// Playwright starts a process anew for each failed test.
const TREES_IN_ONE_EXECUTION: Record<Framework, number> = { jest: 50, vitest: 50, playwright: 25 }

export interface Soak {
  target: Target
  service: Service
  /** Any text; tree `i` of a seed is the same whatever the number of trees. */
  seed: string
  trees: number
}

/** Grows trees, runs them many at a time, prints figures; throws with the first difference, made small. */
export async function soak({ target, service, seed, trees }: Soak): Promise<void> {
  const startMs = Date.now()
  const grown = Array.from({ length: trees }, (_, index) => growTree(`${seed}/${index}`, target))
  let executions = 0
  const size = TREES_IN_ONE_EXECUTION[target.framework]
  for (let start = 0; start < trees; start += size) {
    for (const batch of splitByVerdict(grown.slice(start, start + size), target)) {
      const [first, ...others] = await executeTrees(batch, { target, service })
      executions += 1
      if (!first) continue
      const index = grown.indexOf(first.tree)
      const shrunk = await shrink(first, { target, service })
      throw new Error(describeDifference(shrunk, { name: `${seed}/${index}`, others: others.length, target }))
    }
  }
  const tests = grown.reduce((sum, { root }) => sum + countTests(root), 0)
  const seconds = Math.round((Date.now() - startMs) / 1000)
  console.log(
    `${nameTarget(target)}: seed ${seed}, ${trees} trees with ${tests} tests in ${executions} executions, ${seconds} s`,
  )
}

/** Trees that pass are an execution of their own, so that the exit code of a passed one is seen, too. */
function splitByVerdict(trees: Tree[], { framework }: Target): Tree[][] {
  const judge = JUDGES[framework]
  const failing = trees.filter((tree) => judge(tree).failsCommand)
  const passing = trees.filter((tree) => !failing.includes(tree))
  return [passing, failing].filter((batch) => batch.length > 0)
}

function describeDifference(
  { culprit, tree, source, expected, found }: Difference,
  { name, others, target }: { name: string; others: number; target: Target },
): string {
  const blame = {
    oracle: 'the oracle is wrong: the framework itself says otherwise',
    reporter: 'the record differs from what the oracle and the framework say',
  }
  const show = (value: unknown) => JSON.stringify(value, null, 2)
  return [
    `${nameTarget(target)}, tree ${name}: ${blame[culprit]} (${others} more trees differ in this execution)`,
    `tree, made small: ${JSON.stringify(tree)}`,
    `file:\n${source}`,
    `expected: ${show(expected)}`,
    `found: ${show(found)}`,
  ].join('\n')
}
