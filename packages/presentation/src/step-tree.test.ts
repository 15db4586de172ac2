import type { Phase } from '@runledger/protocol'
import { describe, expect, it } from 'vitest'
import { madePhase } from '../../../test/support/made-phase'
import {
  buildStepTree,
  classify,
  findFailedPath,
  layOutTimes,
  listAttemptSteps,
  splitStepName,
} from './step-tree'

const error = { fingerprint: 'f', message: 'it broke' }
const measurements = [{}] as Phase['measurements']

function outline(phases: Phase[]): [string, number][] {
  return buildStepTree(phases).nodes.map(({ name, depth }) => [name, depth])
}

it('puts steps into the one that they say they belong to', () => {
  const phases = [
    madePhase('shop › pays', 'PASS'),
    madePhase('opens', 'PASS', { parent: 0, kind: 'step' }),
    madePhase('types', 'PASS', { parent: 1, kind: 'step' }),
    madePhase('shop › ships', 'PASS'),
  ]
  expect(outline(phases)).toEqual([
    ['shop › pays', 0],
    ['opens', 1],
    ['types', 2],
    ['shop › ships', 0],
  ])
})

it('puts what was measured into the test before it when nothing says where it belongs', () => {
  const phases = [
    madePhase('door › closes', 'PASS'),
    madePhase('door › closes › angle', 'PASS', { measurements }),
    madePhase('door › closes slowly › angle', 'PASS', { measurements }),
    madePhase('door › closes › twice', 'PASS'),
  ]
  expect(outline(phases)).toEqual([
    ['door › closes', 0],
    ['angle', 1],
    ['door › closes slowly › angle', 0],
    ['door › closes › twice', 0],
  ])
})

it.each([
  ['itself', [0]],
  ['a step that does not exist', [7]],
  ['one another', [1, 0]],
  ['a circle of three', [1, 2, 0]],
])('loses no step that belongs to %s', (_, parents) => {
  const tree = buildStepTree(parents.map((parent, index) => madePhase(`step ${index}`, 'PASS', { parent })))
  const reached = new Set<number>()
  const visit = (index: number) => {
    expect(reached.has(index)).toBe(false)
    reached.add(index)
    tree.nodes[index]?.children.forEach(visit)
  }
  tree.roots.forEach(visit)
  expect(reached.size).toBe(parents.length)
})

it('explains the outermost step that says why', () => {
  const { failures } = buildStepTree([
    madePhase('pays', 'FAIL', { error }),
    madePhase('clicks', 'FAIL', { parent: 0, kind: 'step', error }),
    madePhase('whole file', 'FAIL'),
    madePhase('ships', 'FAIL', { parent: 2, kind: 'test', error }),
    madePhase('weighs', 'FAIL'),
    madePhase('weight', 'FAIL', { parent: 4, kind: 'measurement', measurements }),
    madePhase('is lost', 'FAIL'),
  ])
  expect(failures).toEqual([0, 3, 4, 6])
})

it('forgives steps that failed within a passed test, but no value outside its limits', () => {
  const { failures } = buildStepTree([
    madePhase('retries an assertion', 'PASS'),
    madePhase('first look', 'FAIL', { parent: 0, kind: 'step', error }),
    madePhase('reads › output', 'PASS'),
    madePhase('reads › output › volts', 'FAIL', { measurements }),
  ])
  expect(failures).toEqual([3])
})

it('finds the way to where a test failed', () => {
  const tree = buildStepTree([
    madePhase('pays', 'FAIL', { error }),
    madePhase('opens', 'PASS', { parent: 0, kind: 'step' }),
    madePhase('types', 'FAIL', { parent: 0, kind: 'step' }),
    madePhase('clicks', 'ERROR', { parent: 2, kind: 'step' }),
  ])
  expect(findFailedPath(tree, 0).map(({ name }) => name)).toEqual(['types', 'clicks'])
})

describe('the steps of earlier attempts', () => {
  const within = (parent: number) => ({ parent, kind: 'step' as const })
  const tree = (count: number, ...more: Phase[]) =>
    buildStepTree([
      madePhase('pays', 'FAIL', { kind: 'test', retry_count: count - 1 }),
      madePhase('pays › opens', 'PASS', within(0)),
      madePhase('pays › Attempt 1 of 2', 'FAIL', within(0)),
      madePhase('pays › Attempt 1 of 2 › opens', 'FAIL', within(2)),
      madePhase('pays › Attempt 1 of 2 › opens › clicks', 'FAIL', within(3)),
      ...more,
    ])

  it('is distinguished by the step that holds it', () => {
    const { nodes } = tree(2)
    expect(nodes.map(({ attempt }) => attempt)).toEqual([undefined, undefined, 1, 1, 1])
    const [test] = nodes
    const list = (attempt?: number) =>
      test && listAttemptSteps(tree(2), test, attempt).map(({ name }) => name)
    expect([list(), list(1), list(2)]).toEqual([['opens'], ['opens'], []])
  })

  it('says nothing of why the last one failed', () => {
    expect(tree(2).failures).toEqual([0])
    expect(findFailedPath(tree(2), 0)).toEqual([])
    const later = tree(2, madePhase('pays › types', 'FAIL', within(0)))
    expect(findFailedPath(later, 0).map(({ index }) => index)).toEqual([5])
    expect(findFailedPath(later, 2).map(({ index }) => index)).toEqual([3, 4])
  })

  it('is not a step that the test calls so', () => {
    const { nodes } = buildStepTree([
      madePhase('pays', 'FAIL', { kind: 'test', retry_count: 1 }),
      madePhase('pays › Attempt 1 of 2', 'PASS', within(0)),
      madePhase('pays › Attempt 1 of 2 (2)', 'FAIL', within(0)),
      madePhase('pays › Attempt 1 of 2 (2) › Attempt 0 of 1', 'FAIL', within(2)),
    ])
    expect(nodes.map(({ attempt }) => attempt)).toEqual([undefined, undefined, 1, 1])
    const alone = buildStepTree([
      madePhase('waits', 'FAIL', { kind: 'test' }),
      madePhase('waits › Attempt 0 of 1', 'FAIL', within(0)),
    ])
    expect(alone.nodes[1]?.attempt).toBeUndefined()
  })

  it('does not include a step that only has such a name', () => {
    expect(tree(3).nodes.map(({ attempt }) => attempt)).toEqual(Array(5).fill(undefined))
  })

  it('is found by a shortened or numbered name', () => {
    const { nodes } = buildStepTree([
      madePhase('pays', 'FAIL', { kind: 'test', retry_count: 2 }),
      madePhase('pa… › Attempt 2 of 3 (2)', 'FAIL', within(0)),
    ])
    expect(nodes[1]?.attempt).toBe(2)
  })
})

it('calls passed at a later attempt flaky', () => {
  expect(classify(madePhase('a', 'PASS', { retry_count: 1 }))).toBe('flaky')
  expect(classify(madePhase('a', 'FAIL', { retry_count: 1 }))).toBe('failed')
  expect(classify(madePhase('a', 'SKIP'))).toBe('skipped')
  expect(classify(madePhase('a', 'PASS'))).toBe('passed')
})

it('splits a step’s name into its path and its title', () => {
  expect(splitStepName('door › closes › angle')).toEqual({ path: ['door', 'closes'], title: 'angle' })
  expect(splitStepName('power on')).toEqual({ path: [], title: 'power on' })
})

it('lays times out between the first start and the last end', () => {
  const at = (started_at: string, ended_at: string) => madePhase('a', 'PASS', { started_at, ended_at })
  const phases = [
    at('2026-11-20T09:30:00Z', '2026-11-20T09:30:04Z'),
    at('2026-11-20T09:30:02Z', '2026-11-20T09:30:08Z'),
  ]
  expect(layOutTimes(phases)).toEqual({
    lengthUs: 8_000_000,
    spans: [
      { start: 0, length: 0.5 },
      { start: 0.25, length: 0.75 },
    ],
  })
  expect(layOutTimes([at('2026-11-20T09:30:00Z', '2026-11-20T09:30:00Z')])).toBeUndefined()
})

it('shows steps within too many others by themselves, 20,000 of them in well under a second', () => {
  const phases = Array.from({ length: 20_000 }, (_, index) =>
    madePhase(`step ${index}`, 'FAIL', index === 0 ? {} : { parent: index - 1, kind: 'step' }),
  )
  const startMs = performance.now()
  const { nodes, roots } = buildStepTree(phases)
  expect(Math.max(...nodes.map(({ depth }) => depth))).toBe(100)
  expect(roots).toHaveLength(20_000 - 100)
  expect(performance.now() - startMs).toBeLessThan(1_000)
})
