import {
  hasFailedBefore,
  parseTimestampUs,
  type Phase,
  STEP_NAME_SEPARATOR,
  type TestError,
} from '@runledger/protocol'
import { isFailing } from './outcome'

export type StepClass = 'failed' | 'flaky' | 'passed' | 'skipped'

export interface StepNode {
  /** Its place in the run, by which addresses name it. */
  index: number
  phase: Phase
  className: StepClass
  parent: number | undefined
  children: number[]
  depth: number
  /** The number of the earlier attempt that this step belongs to. */
  attempt: number | undefined
  /** Without the name of its outer step. */
  name: string
}

export interface StepTree {
  nodes: StepNode[]
  /** Indexes of the outermost steps. */
  roots: number[]
  /** Indexes of the steps that explain failures: of nested ones, the outermost with a reason. */
  failures: number[]
}

export function buildStepTree(phases: Phase[]): StepTree {
  const parents = findParents(phases)
  const nodes = phases.map((phase, index): StepNode => {
    const parent = parents[index]
    const name = parent === undefined ? phase.name : stripName(phase.name, phases[parent]?.name ?? '')
    return {
      index,
      phase,
      className: classify(phase),
      parent,
      children: [],
      depth: 0,
      attempt: undefined,
      name,
    }
  })
  const roots: number[] = []
  for (const { index, parent } of nodes) (parent === undefined ? roots : nodes[parent]?.children)?.push(index)
  const tree: StepTree = { nodes, roots, failures: [] }
  const attempts = findAttempts(phases, parents)
  walk(tree, roots, (node, outer) => {
    node.depth = outer === undefined ? 0 : outer.depth + 1
    node.attempt = outer?.attempt ?? attempts.get(node.index)
  })
  tree.failures = roots.flatMap((index) => listFailures(tree, index))
  return tree
}

// The step that holds an earlier attempt's steps, as reporters name it (playwright's `earlier-steps.ts`).
const ATTEMPT = / › Attempt (\d+) of (\d+)(?: \(\d+\))?$/

/**
 * Steps that hold an earlier attempt, by index. Of equal names in a test, the last is the reporter's; others are the
 * test's own.
 */
function findAttempts(phases: Phase[], parents: (number | undefined)[]): Map<number, number> {
  const last = new Map<string, [index: number, attempt: number]>()
  phases.forEach((phase, index) => {
    const parent = parents[index]
    const test = parent === undefined ? undefined : phases[parent]
    const attempt = test && readAttemptName(phase, test)
    if (attempt !== undefined) last.set(`${parent}/${attempt}`, [index, attempt])
  })
  return new Map(last.values())
}

function readAttemptName(phase: Phase, test: Phase): number | undefined {
  const [, number, count] = ATTEMPT.exec(phase.name) ?? []
  const isOfTest = phase.kind === 'step' && test.kind === 'test' && Number(count) === test.retry_count + 1
  return isOfTest && Number(number) >= 1 && Number(number) < Number(count) ? Number(number) : undefined
}

/** The outermost steps of an attempt; by default the last one. */
export function listAttemptSteps({ nodes }: StepTree, test: StepNode, attempt?: number): StepNode[] {
  const steps = test.children.flatMap((index) => nodes[index] ?? [])
  if (attempt === undefined)
    return steps.filter((step) => step.attempt === undefined && step.phase.kind === 'step')
  const holder = steps.find((step) => step.attempt === attempt)
  return holder?.children.flatMap((index) => nodes[index] ?? []) ?? []
}

export function classify(phase: Phase): StepClass {
  if (isFailing(phase.outcome)) return 'failed'
  if (phase.outcome === 'SKIP') return 'skipped'
  return hasFailedBefore(phase) ? 'flaky' : 'passed'
}

export function listErrors({ errors, error }: Phase): TestError[] {
  return errors ?? (error === undefined ? [] : [error])
}

/** The failed steps from a step to where its last attempt failed. */
export function findFailedPath(tree: StepTree, index: number): StepNode[] {
  const path: StepNode[] = []
  let at = tree.nodes[index]
  while (at) {
    const { children, attempt }: StepNode = at
    at = children
      .flatMap((child) => tree.nodes[child] ?? [])
      .find(
        (child) => child.className === 'failed' && child.attempt === attempt && !isMeasurement(child.phase),
      )
    if (at) path.push(at)
  }
  return path
}

/** Each measured value with its phase. */
export function listMeasured(tree: StepTree, { phase, children }: StepNode) {
  const inner = children.flatMap((index) => tree.nodes[index]?.phase ?? [])
  const owners = [phase, ...inner.filter((child) => isMeasurement(child))]
  return owners.flatMap((owner) => owner.measurements.map((measurement) => [owner, measurement] as const))
}

export function isMeasurement({ kind, measurements }: Phase): boolean {
  return kind === undefined ? measurements.length > 0 : kind === 'measurement'
}

/** The outer titles and the step's own title. */
export function splitStepName(name: string): { path: string[]; title: string } {
  const parts = name.split(STEP_NAME_SEPARATOR)
  return { path: parts.slice(0, -1), title: parts.at(-1) ?? name }
}

/** A step's time as a share of the time from the first start to the last end. */
export interface TimeSpan {
  start: number
  length: number
}

export interface TimeLine {
  spans: TimeSpan[]
  lengthUs: number
}

/** Undefined if all times are the same moment. */
export function layOutTimes(phases: Phase[]): TimeLine | undefined {
  const times = phases.map(({ started_at: start, ended_at: end }) => {
    const startUs = parseTimestampUs(start) ?? 0
    return { startUs, endUs: Math.max(parseTimestampUs(end) ?? startUs, startUs) }
  })
  const first = times.reduce((least, { startUs }) => Math.min(least, startUs), Infinity)
  const last = times.reduce((most, { endUs }) => Math.max(most, endUs), -Infinity)
  if (!(last > first)) return undefined
  const lengthUs = last - first
  const spans = times.map(({ startUs, endUs }) => ({
    start: (startUs - first) / lengthUs,
    length: (endUs - startUs) / lengthUs,
  }))
  return { spans, lengthUs }
}

// A passed test may contain forgiven failures, such as a retried assertion; a value outside its limits is always shown. A
// failed test with a reason explains its inner failures.
function listFailures(tree: StepTree, index: number): number[] {
  const node = tree.nodes[index]
  if (!node) return []
  const hasFailed = node.className === 'failed'
  if (hasFailed && listErrors(node.phase).length > 0) return [index]
  const within = node.children.filter((child) => {
    const { phase, attempt } = tree.nodes[child] ?? {}
    if (phase === undefined || attempt !== node.attempt) return false
    return hasFailed ? !isMeasurement(phase) : phase.kind !== 'step'
  })
  const failures = within.flatMap((child) => listFailures(tree, child))
  return hasFailed && failures.length === 0 ? [index] : failures
}

function walk(
  tree: StepTree,
  indexes: number[],
  visit: (node: StepNode, outer: StepNode | undefined) => void,
): void {
  const open: [number, StepNode | undefined][] = indexes.map((index) => [index, undefined])
  for (;;) {
    const next = open.pop()
    if (!next) return
    const node = tree.nodes[next[0]]
    if (!node) continue
    visit(node, next[1])
    for (const child of node.children) open.push([child, node])
  }
}

const MAX_DEPTH = 100

/**
 * The outer step as sent; for a measured value without one, the preceding test whose name begins its own. Circles and
 * more than 100 levels are cut.
 */
function findParents(phases: Phase[]): (number | undefined)[] {
  let test: number | undefined
  const parents = phases.map(({ name, parent, measurements }, index) => {
    if (parent !== undefined) return phases[parent] && parent
    const isWithinTest = test !== undefined && isWithin(name, phases[test]?.name ?? '')
    if (isWithinTest && measurements.length > 0) return test
    test = index
    return undefined
  })
  return parents.map((parent) => (hasOutermost(parents, parent) ? parent : undefined))
}

function hasOutermost(parents: (number | undefined)[], from: number | undefined): boolean {
  let at = from
  for (let depth = 0; at !== undefined; depth += 1) {
    if (depth >= MAX_DEPTH) return false
    at = parents[at]
  }
  return true
}

function stripName(name: string, outer: string): string {
  return isWithin(name, outer) ? name.slice(outer.length + STEP_NAME_SEPARATOR.length) : name
}

function isWithin(name: string, outer: string): boolean {
  return name.startsWith(`${outer}${STEP_NAME_SEPARATOR}`)
}
