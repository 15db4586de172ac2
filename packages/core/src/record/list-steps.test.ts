import { describe, expect, it } from 'vitest'
import {
  collectRunSources,
  createAttempt,
  createSuite,
  createTest,
  FACTS,
} from '../../../../test/support/suites'
import type { RunPer } from '../config/options'
import type { Suite, SuiteTest } from '../model/suite'
import type { MeasurementEvent, TestApiEvent } from '../model/test-api-event'
import { listSteps } from './list-steps'
import { MAX_STEP_NAME_LENGTH } from '@runledger/protocol'

const START = FACTS.startedAtMs

/** A measurement this long after the suite's start; `order` tells when it was taken among the calls of its process. */
const measured = (name: string, afterMs: number, order: number): MeasurementEvent => ({
  kind: 'measurement',
  name,
  value: 1,
  passed: true,
  atMs: START + afterMs,
  order,
})

/** A test that begins this long after its suite, with what its only attempt recorded. */
const begins = (title: string, afterMs: number, ...events: TestApiEvent[]): SuiteTest =>
  createTest([title], { startedAtMs: START + afterMs, attempts: [createAttempt({ events })] })

function nameSteps(over: Partial<Suite>, runPer: RunPer = 'suite'): string[] {
  return collectRunSources([createSuite(over)], runPer).flatMap((source) =>
    listSteps(source).steps.map(({ name }) => name),
  )
}

describe('measurements outside of tests', () => {
  it('stands where it falls in time, however soon the next test speaks', () => {
    const tests = [begins('first', 60), begins('second', 100, measured('x', 101, 1))]
    expect(nameSteps({ tests, events: [measured('room', 50, 0)] })).toEqual([
      'room',
      'first',
      'second',
      'second › x',
    ])
  })

  it('stands behind a test that began clearly before, though that test spoke later', () => {
    const tests = [begins('slow', 100, measured('x', 120, 1))]
    expect(nameSteps({ tests, events: [measured('room', 110, 0)] })).toEqual(['slow', 'slow › x', 'room'])
  })

  it('stands ahead of a test that spoke after it when it is at most two milliseconds later', () => {
    const tests = [begins('next', 100, measured('x', 103, 1))]
    const [behind, ahead] = [
      ['next', 'next › x', 'room'],
      ['room', 'next', 'next › x'],
    ]
    expect(nameSteps({ tests, events: [measured('room', 102, 0)] })).toEqual(ahead)
    expect(nameSteps({ tests, events: [measured('room', 102.1, 0)] })).toEqual(behind)
  })

  it('stands behind a test that began before it when no later call in that test says otherwise', () => {
    const events = [measured('room', 101, 0)]
    expect(nameSteps({ tests: [begins('silent', 100)], events })).toEqual(['silent', 'room'])
    // Another process numbers its calls from the start.
    const tests = [begins('other', 100, measured('x', 101, 0))]
    expect(nameSteps({ tests, events })).toEqual(['other', 'other › x', 'room'])
  })

  it('does not become a step if it is a log line, a variable or a unit', () => {
    const at = { atMs: START, order: 0 }
    const events: TestApiEvent[] = [
      { ...at, kind: 'log', message: 'warming up' },
      { ...at, kind: 'variable', name: 'line', value: '4' },
      { ...at, kind: 'unit', serialNumber: 'SN-1' },
      { ...at, kind: 'sub-unit', serialNumber: 'PCB-1' },
      { ...at, kind: 'step', name: 'powers up', passed: true, durationMs: 3 },
    ]
    expect(nameSteps({ events })).toEqual(['powers up'])
    expect(nameSteps({})).toEqual([])
  })

  it('is named after its file in a run of several suites', () => {
    const events = [measured('room', 0, 0)]
    expect(nameSteps({ file: 'a.test.ts', events }, 'execution')).toEqual(['a.test.ts › room'])
  })

  it('has its own verdict', () => {
    const events = [measured('room', 0, 0), { ...measured('fan', 1, 1), passed: false }]
    const [source] = collectRunSources([createSuite({ events })], 'suite')
    expect(source && listSteps(source).steps.map(({ name, passed }) => [name, passed])).toEqual([
      ['room', true],
      ['fan', false],
    ])
  })
})

describe('a long name', () => {
  const measuredIn = (titleLength: number, nameLength: number) => {
    const tests = [begins('t'.repeat(titleLength), 100, measured('m'.repeat(nameLength), 101, 0))]
    return nameSteps({ tests })[1]
  }

  it('stays whole up to the greatest length, beyond it only the test’s part is cut', () => {
    expect(measuredIn(491, 6)).toBe(`${'t'.repeat(491)} › mmmmmm`)
    expect(measuredIn(492, 6)).toBe(`${'t'.repeat(490)}… › mmmmmm`)
    expect(measuredIn(492, 6)).toHaveLength(MAX_STEP_NAME_LENGTH)
  })

  it('of a measurement omits a test name that would be cut to nothing', () => {
    expect(measuredIn(10, 495)).toBe(`t… › ${'m'.repeat(495)}`)
    expect(measuredIn(10, 496)).toBe('m'.repeat(496))
    expect(measuredIn(10, 500)).toBe('m'.repeat(500))
  })
})

describe('equal names', () => {
  const times = [
    ['in declared order', 0, 100],
    ['in reverse', 100, 0],
  ] as const

  it.each(times)('are numbered as they are declared when the tests began %s', (_, first, second) => {
    const tests = [
      begins('same', first, measured('x', first + 1, 0)),
      { ...begins('same', second, measured('x', second + 1, 0)), outcome: 'failed' as const },
    ]
    const names = nameSteps({ tests, outcome: 'failed' })
    expect(names.toSorted()).toEqual(['same', 'same (2)', 'same (2) › x', 'same › x'])
    expect(names[0]).toBe(first < second ? 'same' : 'same (2)')
    const [source] = collectRunSources([createSuite({ tests, outcome: 'failed' })], 'suite')
    const failed = source && listSteps(source).steps.filter(({ passed }) => !passed)
    expect(failed?.map(({ name }) => name)).toEqual(['same (2)'])
  })

  it('count the tests that did not run', () => {
    const tests = [createTest(['same'], { outcome: 'skipped', attempts: [] }), begins('same', 0)]
    expect(nameSteps({ tests })).toEqual(['same (2)'])
  })

  it('leave a test its own where a measurement before it has the same', () => {
    const tests = [begins('room', 100)]
    expect(nameSteps({ tests, events: [measured('room', 0, 0)] })).toEqual(['room (2)', 'room'])
  })

  it('of one run are sorted by project, whichever ended first', () => {
    const suites = ['chromium', 'firefox'].map((project, index) =>
      createSuite({ project, tests: [begins('same', 0)], startedAtMs: START + index }),
    )
    const nameBy = (ordered: Suite[]) =>
      collectRunSources(ordered, 'execution').flatMap((source) =>
        listSteps(source).steps.map(({ name }) => name),
      )
    const [first = '', second = ''] = nameBy(suites)
    expect(second).toBe(`${first} (2)`)
    expect(nameBy(suites.toReversed())).toEqual([second, first])
  })
})
