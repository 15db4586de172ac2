import type { CountedAs } from '@runledger/protocol'
import { isMeasurement, listErrors, type StepNode, type StepTree } from '@runledger/presentation'

/** Steps to show; without a class all of them. Flaky tests have passed, and are shown with those too. */
export interface StepFilter {
  className: CountedAs | undefined
  words: string
}

export const ALL_STEPS: StepFilter = { className: undefined, words: '' }

/** The same in the address bar: `?show=failed&q=words`. */
export interface StepFilterSearch {
  show?: CountedAs | undefined
  q?: string | undefined
}

const CLASSES: readonly CountedAs[] = ['failed', 'error', 'flaky', 'passed', 'skipped']

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

/** Tells whether a step itself is what is looked for. Every word must be in its name, errors, tags, owner or file. */
function matchesStep(tree: StepTree, node: StepNode, filter: StepFilter): boolean {
  if (filter.className !== undefined && !isOfClass(classOfTest(tree, node), filter.className)) return false
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

/** Indexes of matching steps, of their outer steps, and of values measured in them; undefined for all. */
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

function isOfClass(own: CountedAs, wanted: CountedAs): boolean {
  return own === wanted || (wanted === 'passed' && own === 'flaky')
}

// A part of a test has the class of its test; a value outside its limits has its own.
function classOfTest(tree: StepTree, node: StepNode): CountedAs {
  const outer = node.parent === undefined ? undefined : tree.nodes[node.parent]
  const { kind } = node.phase
  const isFailed = node.className === 'failed'
  if (isFailed && (kind === 'hook' || kind === 'suite')) return 'error'
  if (!outer || kind === 'test' || kind === 'hook' || kind === 'suite') return node.className
  if (isFailed && isMeasurement(node.phase)) return 'failed'
  return classOfTest(tree, outer)
}

function listWithin(tree: StepTree, index: number): number[] {
  const children = tree.nodes[index]?.children ?? []
  return children.flatMap((child) => [child, ...listWithin(tree, child)])
}
