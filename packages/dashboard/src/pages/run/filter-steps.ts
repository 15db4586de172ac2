import {
  isMeasurement,
  listErrors,
  type StepClass,
  type StepNode,
  type StepTree,
} from '@runledger/protocol/reading'

/** Which steps a person wants to see; no class stands for all of them. */
export interface StepFilter {
  className: StepClass | undefined
  words: string
}

export const ALL_STEPS: StepFilter = { className: undefined, words: '' }

/** The same in the address bar: `?show=failed&q=words`. */
export interface StepFilterSearch {
  show?: StepClass | undefined
  q?: string | undefined
}

const CLASSES: readonly StepClass[] = ['failed', 'flaky', 'passed', 'skipped']

/**
 * Reads a filter from the parts of an address. A part that makes no sense is there as undefined: the router keeps what
 * was sent for a part that is not named.
 */
export function parseStepSearch({ show, q }: Record<string, unknown>): StepFilterSearch {
  return {
    show: CLASSES.find((name) => name === show),
    q: typeof q === 'string' && q.trim() !== '' ? q : undefined,
  }
}

/** Writes a filter as the parts of an address, nothing for what restricts nothing. */
export function toStepSearch({ className, words }: StepFilter): StepFilterSearch {
  return {
    ...(className === undefined ? {} : { show: className }),
    ...(words.trim() === '' ? {} : { q: words }),
  }
}

export interface StepCounts {
  all: number
  failed: number
  flaky: number
  passed: number
  skipped: number
}

/** Counts a run's tests: its steps that belong to no other, and those within a passed one that failed. */
export function countSteps({ nodes, roots, failures }: StepTree, skippedTests: number): StepCounts {
  const ofClass = (className: StepClass) =>
    roots.filter((index) => nodes[index]?.className === className).length
  const counts = {
    failed: failures.length,
    flaky: ofClass('flaky'),
    passed: ofClass('passed'),
    skipped: ofClass('skipped') + skippedTests,
  }
  return { ...counts, all: counts.failed + counts.flaky + counts.passed + counts.skipped }
}

/** Tells whether a step itself is what is looked for. Every word must be in its name, errors, tags, owner or file. */
function matchesStep(tree: StepTree, node: StepNode, filter: StepFilter): boolean {
  if (filter.className !== undefined && filter.className !== classOfTest(tree, node)) return false
  const { phase } = node
  return hasWords(filter.words, [
    phase.name,
    ...listErrors(phase).map(({ message }) => message),
    ...(phase.attempts ?? []).flatMap(({ errors }) => (errors ?? []).map(({ message }) => message)),
    ...(phase.tags ?? []),
    phase.owner ?? '',
    phase.location?.file ?? '',
  ])
}

/** Tells whether every word is in one of the texts, in upper or lower case. */
export function hasWords(words: string, texts: string[]): boolean {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return true
  const text = texts.join('\n').toLowerCase()
  return wanted.every((word) => text.includes(word))
}

/** The places of the steps that match, and of those that lead to them or were measured in them; undefined for all. */
export function filterSteps(tree: StepTree, filter: StepFilter): Set<number> | undefined {
  if (filter.className === undefined && filter.words.trim() === '') return undefined
  const shown = new Set<number>()
  for (const node of tree.nodes) {
    if (!matchesStep(tree, node, filter)) continue
    for (let at: number | undefined = node.index; at !== undefined; at = tree.nodes[at]?.parent) shown.add(at)
    for (const child of listWithin(tree, node.index)) shown.add(child)
  }
  return shown
}

/** The steps to show in their order, those within a closed one left out. */
export function listShown(
  { nodes, roots }: StepTree,
  shown: Set<number> | undefined,
  isOpen: (node: StepNode) => boolean,
): StepNode[] {
  const list: StepNode[] = []
  const waiting = roots.toReversed()
  for (;;) {
    const index = waiting.pop()
    if (index === undefined) return list
    const node = nodes[index]
    if (!node || (shown && !shown.has(index))) continue
    list.push(node)
    if (isOpen(node)) waiting.push(...node.children.toReversed())
  }
}

// A part of a test is looked for by what the test came to; a value outside its limits counts by itself.
function classOfTest(tree: StepTree, node: StepNode): StepClass {
  const outer = node.parent === undefined ? undefined : tree.nodes[node.parent]
  const { kind } = node.phase
  if (!outer || kind === 'test' || kind === 'hook' || kind === 'suite') return node.className
  if (node.className === 'failed' && isMeasurement(node.phase)) return 'failed'
  return classOfTest(tree, outer)
}

function listWithin(tree: StepTree, index: number): number[] {
  const children = tree.nodes[index]?.children ?? []
  return children.flatMap((child) => [child, ...listWithin(tree, child)])
}
