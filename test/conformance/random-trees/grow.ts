import type { Target } from '../target'
import { Random } from '../../support/random'
import {
  STALLS,
  THROWS_NOTHING,
  THROWS_TEXT,
  type Act,
  type GroupNode,
  type Hook,
  type HookKind,
  type TestNode,
  type Tree,
  type TreeNode,
} from './tree'
import { tidy } from './tidy'

/** How often things go wrong in one tree, so that some trees are green and some are a mess. */
interface Mood {
  failure: number
  hook: number
  oddity: number
}

interface Soil {
  random: Random
  target: Target
  retries: number
  mood: Mood
  /** The id that the next test or hook gets. */
  nextId: number
}

const MOODS: [Mood, ...Mood[]] = [
  { failure: 0, hook: 0, oddity: 0.2 },
  { failure: 0.05, hook: 0.05, oddity: 0.3 },
  { failure: 0.25, hook: 0.1, oddity: 0.2 },
  { failure: 0.15, hook: 0.4, oddity: 0.2 },
  { failure: 0.6, hook: 0.6, oddity: 0.4 },
]
// Few, so that equal names are frequent, and some that look like what we make of equal and of joined names.
const TITLES: [string, ...string[]] = [
  'reads',
  'holds',
  'reads (2)',
  'bench › reads',
  'bench',
  `it's "5 Ω" 🔋`,
]
const KINDS: HookKind[] = ['beforeAll', 'afterAll', 'beforeEach', 'afterEach']
const DEEPEST = 3

/** Grows the tree of a seed: a file that the target's framework can run as it is. */
export function growTree(seed: string, target: Target): Tree {
  const random = new Random(seed)
  const soil: Soil = {
    random,
    target,
    mood: random.pick(MOODS),
    retries: random.pick([0, 0, 1, 2]),
    nextId: 1,
  }
  const mayBreak = target.framework !== 'playwright'
  return tidy(
    {
      retries: soil.retries,
      // Playwright runs nothing at all when one file cannot be loaded: such a file is no part of a batch.
      breaksAtLoad: mayBreak && random.chance(soil.mood.failure / 10),
      root: { ...growGroup(soil, 0), title: '', mode: 'run', cases: 1 },
    },
    target,
  )
}

function growGroup(soil: Soil, depth: number): GroupNode {
  const { random, mood } = soil
  const isEmpty = depth > 0 && random.chance(mood.oddity / 8)
  const count = isEmpty ? 0 : random.between(1, depth === 0 ? 5 : 3)
  return {
    kind: 'group',
    title: random.pick(TITLES),
    mode: random.chance(mood.oddity / 4) ? 'skip' : 'run',
    ...growMode(soil, depth),
    hooks: growHooks(soil),
    children: Array.from({ length: count }, () => growNode(soil, depth + 1)),
    cases: random.chance(0.08) ? 2 : 1,
    numbered: random.chance(0.5),
  }
}

function growMode({ random, target }: Soil, depth: number): Pick<GroupNode, 'serial' | 'concurrent'> {
  const chance = random.next()
  if (target.framework === 'playwright') {
    if (chance < 0.15) return { serial: true }
    return chance < 0.25 ? { concurrent: true } : {}
  }
  return target.framework === 'vitest' && depth > 0 && chance < 0.1 ? { concurrent: true } : {}
}

function growNode(soil: Soil, depth: number): TreeNode {
  const isGroup = depth < DEEPEST && soil.random.chance(0.35)
  return isGroup ? growGroup(soil, depth) : growTest(soil)
}

function growHooks(soil: Soil): Hook[] {
  const { random, mood, target } = soil
  const kinds = KINDS.flatMap((kind) => {
    if (!random.chance(0.2 + mood.hook / 4)) return []
    return random.chance(0.2) ? [kind, kind] : [kind]
  })
  return kinds.map((kind) => {
    // What follows a hook of Playwright that throws nothing is an oddity of its own: it counts as failed, and goes on.
    const failures = target.framework === 'playwright' ? THROWS_NOTHING - 1 : THROWS_NOTHING
    // In Playwright 1.40 what follows a hook that never ends depends on whose time it took.
    const mayStall = target.framework !== 'playwright' || target.release >= 150
    const failure = mayStall && random.chance(0.05) ? STALLS : random.between(0, failures)
    const hook = { id: soil.nextId++, kind, failure }
    if (!random.chance(mood.hook)) return { ...hook, fails: 'never' }
    // Only Playwright runs these hooks again for a retry.
    const isOnce = kind.endsWith('All') && target.framework !== 'playwright'
    return { ...hook, fails: !isOnce && random.chance(0.4) ? 'first' : 'always' }
  })
}

function growTest(soil: Soil): TestNode {
  const { random, mood, target } = soil
  const { framework, release } = target
  const isOdd = random.chance(mood.oddity)
  // Before version 30 Jest starts concurrent tests before everything else, and keeps no times of theirs.
  const mayBeConcurrent = framework === 'vitest' || (framework === 'jest' && release >= 30)
  const script = growScript(soil, isOdd)
  const failure = random.between(0, THROWS_NOTHING)
  return {
    kind: 'test',
    id: soil.nextId++,
    title: random.pick(TITLES),
    mode: isOdd ? random.pick(['run', 'skip', 'todo']) : 'run',
    ...(isOdd && random.chance(0.6) && { expectsFailure: growExpectation(soil) }),
    ...(mayBeConcurrent && random.chance(0.15) && { concurrent: true }),
    script,
    // Jest repeats text that was thrown when a later attempt never ends, too.
    failure: failure === THROWS_TEXT && script.includes('stall') ? 0 : failure,
    cases: random.chance(0.1) ? random.between(2, 3) : 1,
    numbered: random.chance(0.5),
  }
}

function growExpectation({ random, target }: Soil): 'declared' | 'inside' {
  if (target.framework !== 'playwright') return 'declared'
  // `test.fail(title, body)` came with Playwright 1.42.
  return target.release >= 142 && random.chance(0.5) ? 'declared' : 'inside'
}

function growScript({ random, mood, target, retries }: Soil, isOdd: boolean): Act[] {
  const length = random.between(1, retries + 1)
  return Array.from({ length }, () => {
    // Jest cannot skip a test from inside it.
    if (isOdd && target.framework !== 'jest' && random.chance(0.25)) return 'skip'
    if (!random.chance(isOdd ? 0.5 : mood.failure)) return 'pass'
    return random.chance(0.06) ? 'stall' : 'fail'
  })
}
