import type { Framework } from '../../support/project'
import type { Service } from '../../support/service'
import { nameTarget, type Target } from '../target'
import { executeTrees, type Difference } from './execute'
import { growTree } from './grow'
import { judgeTree } from './oracle'
import { shrink } from './shrink'
import { countTests, type Tree } from './tree'

// Playwright starts a process anew for each failed test.
const TREES_IN_ONE_EXECUTION: Record<Framework, number> = { jest: 50, vitest: 50, playwright: 25 }
const CANDIDATES_IN_ONE_EXECUTION: Record<Framework, number> = { jest: 40, vitest: 40, playwright: 8 }
const MOST_SHRINKING_EXECUTIONS = 40
const MOST_SHRINKING_MS = 3 * 60_000

export interface Soak {
  target: Target
  service: Service
  /** Any text; tree `i` of a seed is the same whatever the number of trees. */
  seed: string
  trees: number
  /** Only this tree of the seed. */
  only?: number | undefined
}

interface FoundDifference extends Difference {
  /** Which tree of the seed it is. */
  index: number
}

/**
 * Grows trees, runs them many at a time, tells how far it is and prints figures; throws with the smallest difference, made
 * smaller.
 */
export async function soak(options: Soak): Promise<void> {
  const { target, service, seed, trees, only } = options
  const startMs = Date.now()
  const grown = Array.from({ length: trees }, (_, index) => growTree(`${seed}/${index}`, target))
  const chosen = only === undefined ? grown : grown.slice(only, only + 1)
  const tell = (text: string) => {
    const seconds = Math.round((Date.now() - startMs) / 1000)
    console.error(`${nameTarget(target)}, seed ${seed}, ${seconds} s: ${text}`)
  }
  const batches = listBatches(chosen, target)
  const differences: FoundDifference[] = []
  for (const [number, batch] of batches.entries()) {
    tell(`execution ${number + 1} of ${batches.length}, ${describeTrees(batch)}`)
    const found = await executeTrees(batch, { target, service }).catch((error: unknown) => {
      throw new Error(`execution ${number + 1} of ${formatCommand(options)}`, { cause: error })
    })
    const named = found.map((each) => ({ ...each, index: grown.indexOf(each.tree) }))
    for (const each of named) tell(`tree ${each.index} differs (${each.culprit}):\n${listDiffering(each)}`)
    differences.push(...named)
  }
  tell(`done, ${describeTrees(chosen)} in ${batches.length} executions, ${differences.length} differences`)
  if (differences.length > 0) throw new Error(await explain(differences, options))
}

function describeTrees(trees: Tree[]): string {
  const tests = trees.reduce((sum, { root }) => sum + countTests(root), 0)
  return `${trees.length} trees with ${tests} tests`
}

function listBatches(trees: Tree[], target: Target): Tree[][] {
  const size = TREES_IN_ONE_EXECUTION[target.framework]
  const starts = trees.flatMap((_, index) => (index % size === 0 ? [index] : []))
  return starts.flatMap((start) => splitByVerdict(trees.slice(start, start + size), target))
}

/** Trees that pass are an execution of their own, so that the exit code of a passed one is seen, too. */
function splitByVerdict(trees: Tree[], target: Target): Tree[][] {
  const failing = trees.filter((tree) => judgeTree(tree, target).failsCommand)
  const passing = trees.filter((tree) => !failing.includes(tree))
  return [passing, failing].filter((batch) => batch.length > 0)
}

/** The smallest difference, made smaller as long as the budget lasts, and the command that shows it again. */
async function explain(differences: FoundDifference[], options: Soak): Promise<string> {
  const { target, seed } = options
  const bySize = differences.toSorted((a, b) => a.source.length - b.source.length)
  const first = bySize[0] as FoundDifference
  const shrunk = await shrink(first, options, {
    executions: MOST_SHRINKING_EXECUTIONS,
    untilMs: Date.now() + MOST_SHRINKING_MS,
    candidates: CANDIDATES_IN_ONE_EXECUTION[target.framework],
  })
  return [
    `${nameTarget(target)}: trees of seed ${seed} that differ: ${bySize.map(({ index }) => index).join(', ')}`,
    `run again: ${formatCommand(options)}`,
    shrunk
      ? `only this tree: ${formatCommand({ ...options, only: first.index })}`
      : 'the tree by itself does not differ',
    describeDifference(shrunk ?? first, `tree ${first.index}${shrunk ? ', made small' : ''}`),
  ].join('\n')
}

/** Lines that only one side has. */
function listDiffering({ expected, found }: Difference): string {
  const lines = (value: unknown) => (JSON.stringify(value, null, 2) ?? 'nothing').split('\n')
  const without = (some: string[], others: string[], mark: string) =>
    some.filter((line) => !others.includes(line)).map((line) => mark + line)
  const [wanted, had] = [lines(expected), lines(found)]
  const differing = [...without(wanted, had, 'expected '), ...without(had, wanted, 'found    ')]
  return differing.length > 0 ? differing.join('\n') : `another order: ${wanted.join(' ')} | ${had.join(' ')}`
}

function formatCommand({ target, seed, trees, only }: Soak): string {
  const chosen = only === undefined ? '' : ` --only ${only}`
  const { framework, version } = target
  return `npm run soak -- random-trees --framework ${framework} --version ${version} --seed ${seed} --trees ${trees}${chosen}`
}

function describeDifference({ culprit, tree, source, expected, found }: Difference, name: string): string {
  const blame = {
    oracle: 'the oracle is wrong: the framework itself says otherwise',
    reporter: 'the record differs from what the oracle and the framework say',
  }
  const show = (value: unknown) => JSON.stringify(value, null, 2)
  return [
    `${name}: ${blame[culprit]}`,
    JSON.stringify(tree),
    `file:\n${source}`,
    `expected: ${show(expected)}`,
    `found: ${show(found)}`,
  ].join('\n')
}
