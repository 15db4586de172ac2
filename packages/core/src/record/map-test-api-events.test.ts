import { CreateRunRequestSchema } from '@runledger/protocol'
import { describe, expect, it } from 'vitest'
import {
  collectRunSources,
  createAttempt,
  createSuite,
  createTest,
  FACTS,
} from '../../../../test/support/suites'
import { Redactor } from '../redact/redactor'
import { restoreRun, takeSnapshot } from '../delivery/suite-snapshot'
import type { SuiteLine } from '../spool/log-lines'
import type { Attempt, Suite } from '../model/suite'
import type { TestApiEvent, MeasurementEvent } from '../model/test-api-event'
import { mapRun, type RunContext } from './map-run'
import { formatLog } from './suite-log'

const logOf = (suite: Suite): string => formatLog([suite], { facts: FACTS, inspections: new Map() })

const CONTEXT: RunContext = {
  submissionId: '7f1c8f0e-0d6c-4f6e-9a51-0c55a3c8a001',
  facts: FACTS,
  procedureId: 'FVT1',
  unit: { serial_number: 'SN-1', part_number: 'software', revision: '1' },
  subUnits: [],
  variables: { node: 'v20', line: '3', git_branch: undefined },
  logs: false,
  maxAttachmentBytes: 1_000_000,
}
const START = FACTS.startedAtMs

let order = 0
type Unstamped = TestApiEvent extends infer Each
  ? Each extends TestApiEvent
    ? Omit<Each, 'order' | 'atMs'>
    : never
  : never
const stamp = (event: Unstamped, atMs = START + 105): TestApiEvent =>
  ({ ...event, order: order++, atMs }) as TestApiEvent
const measured = (name: string, value: number, over: Partial<MeasurementEvent> = {}): TestApiEvent =>
  stamp({ kind: 'measurement', name, value, passed: true, ...over })
const withEvents = (...events: TestApiEvent[]): Partial<{ attempts: Attempt[] }> => ({
  attempts: [createAttempt({ events })],
})

function mapOne(suite: Suite, context: Partial<RunContext> = {}) {
  const [source] = collectRunSources([suite], 'suite')
  const { request } = mapRun(source as NonNullable<typeof source>, { ...CONTEXT, ...context }, new Map())
  return CreateRunRequestSchema.parse(JSON.parse(JSON.stringify(request)))
}
const nameSteps = (suite: Suite) => mapOne(suite).steps?.map(({ name }) => name)

describe('the record of what tests report', () => {
  it('is a step for each measurement, right after its test, at the time of the call', () => {
    const events = [measured('output', 3.31, { unit: 'V', low: 3.2, high: 3.4 }), measured('ripple', 0.2)]
    const suite = createSuite({
      tests: [createTest(['reads'], withEvents(...events)), createTest(['holds'])],
    })
    const { steps } = mapOne(suite)
    expect(steps?.map(({ name }) => name)).toEqual(['reads', 'reads › output', 'reads › ripple', 'holds'])
    expect(steps?.[1]).toEqual({
      name: 'reads › output',
      kind: 'measurement',
      parent: 0,
      step_passed: true,
      started_at: '2026-11-20T09:30:00.105Z',
      duration: 'PT0S',
      measurement_value: 3.31,
      measurement_unit: 'V',
      limit_low: 3.2,
      limit_high: 3.4,
    })
  })

  it('leaves the verdict to the framework: a failing measurement does not fail a run', () => {
    const suite = createSuite({
      tests: [createTest(['reads'], withEvents(measured('x', 9, { passed: false })))],
    })
    const { run_passed, steps } = mapOne(suite)
    expect([run_passed, steps?.map(({ step_passed }) => step_passed)]).toEqual([true, [true, false]])
  })

  it('takes steps and measurements of the last attempt alone, and logs those of all', () => {
    const attempts = [1, 2].map((value) => createAttempt({ events: [measured('x', value)] }))
    const suite = createSuite({ tests: [createTest(['reads'], { attempts, flaky: true })] })
    expect(mapOne(suite).steps?.map(({ measurement_value: value }) => value)).toEqual([undefined, 2])
    const log = logOf(suite)
    expect(log).toMatch(/attempt 1[^]*x = 1\n[^]*attempt 2[^]*x = 2\n/)
  })

  it('has steps where they began, with what was measured in them', () => {
    const began = order++
    const inside = measured('x', 1, { within: ['powers up'] })
    const step = { kind: 'step', name: 'powers up', passed: true, durationMs: 7, order: began } as const
    const suite = createSuite({
      tests: [createTest(['t'], withEvents(inside, { ...step, atMs: START + 101 }))],
    })
    expect(nameSteps(suite)).toEqual(['t', 't › powers up', 't › powers up › x'])
    expect(mapOne(suite).steps?.[1]).toMatchObject({ duration: 'PT0.007S', step_passed: true })
  })

  it('is inside the run’s span, whatever its framework counts as time', () => {
    const suite = createSuite({
      tests: [createTest(['t'], withEvents({ ...measured('x', 1), atMs: START + 5_000 }))],
    })
    expect(mapOne(suite)).toMatchObject({ started_at: '2026-11-20T09:30:00.000Z', duration: 'PT5S' })
  })

  it('makes a run last until its last step has ended', () => {
    const step = stamp({ kind: 'step', name: 'cools down', passed: true, durationMs: 2_000 }, START + 1_000)
    const suite = createSuite({ tests: [createTest(['t'], withEvents(step))] })
    expect(mapOne(suite).duration).toBe('PT3S')
  })

  it('keeps equal names apart, and belongs to the right one of equal tests', () => {
    const both = [
      createTest(['same'], withEvents(measured('x', 1))),
      createTest(['same'], withEvents(measured('x', 2), measured('x', 3))),
    ]
    expect(nameSteps(createSuite({ tests: both }))).toEqual([
      'same',
      'same › x',
      'same (2)',
      'same (2) › x',
      'same (2) › x (2)',
    ])
  })

  it('cuts the test’s name and not what was measured', () => {
    const suite = createSuite({ tests: [createTest(['t'.repeat(600)], withEvents(measured('output', 1)))] })
    expect(nameSteps(suite)?.[1]).toMatch(/^t+…+ › output$/)
  })

  it('is on record of a test that came to no verdict, and outside of tests', () => {
    const cut = createTest(['cut'], { outcome: 'not-run', ...withEvents(measured('x', 1)) })
    const suite = createSuite({
      outcome: 'failed',
      tests: [cut],
      events: [measured('room', 21, { unit: '°C' })],
    })
    expect(nameSteps(suite)).toEqual(['cut › x', 'room', 'Suite failed'])
  })

  it('stands ahead of the test that spoke after it, though its clock is ahead by a hair', () => {
    const room = { ...measured('room', 21), atMs: START + 100.7 }
    const suite = createSuite({ tests: [createTest(['t'], withEvents(measured('x', 1)))], events: [room] })
    expect(nameSteps(suite)).toEqual(['room', 't', 't › x'])
    const later = { ...measured('cool', 21), atMs: START + 100.7 }
    expect(nameSteps({ ...suite, events: [later] })).toEqual(['t', 't › x', 'cool'])
  })

  it('stands ahead of the first such test in the suite’s own order, whichever of them began first', () => {
    const between = { ...measured('room', 21), atMs: START + 102 }
    const begun = (name: string, atMs: number) =>
      createTest([name], { startedAtMs: atMs, ...withEvents(measured('x', 1)) })
    const tests = [begun('late', START + 102), begun('early', START + 100)]
    expect(nameSteps(createSuite({ tests, events: [between] }))).toEqual([
      'early',
      'early › x',
      'room',
      'late',
      'late › x',
    ])
  })

  it('sets report variables by the last word, over the configuration’s and never over ours', () => {
    const events = [
      stamp({ kind: 'variable', name: 'line', value: '5' }, START + 9),
      stamp({ kind: 'variable', name: 'line', value: '4' }, START + 5),
      stamp({ kind: 'variable', name: 'git_branch', value: 'x' }),
      stamp({ kind: 'variable', name: 'file', value: 'x' }),
    ]
    const suite = createSuite({ tests: [createTest(['t'], withEvents(...events))] })
    const variables = mapOne(suite).report_variables
    expect(variables).toMatchObject({ line: '5', file: 'src/math.test.ts', node: 'v20' })
    expect(variables).not.toHaveProperty('git_branch')
    expect(logOf(suite)).toContain("git_branch is Runledger's own")
  })

  it('names the unit by the last word, with the configured part and never the software’s', () => {
    const unit = (serialNumber: string, partNumber?: string) =>
      stamp({ kind: 'unit', serialNumber, partNumber })
    const suite = (...events: TestApiEvent[]) =>
      createSuite({ tests: [createTest(['t'], withEvents(...events))] })
    const two = suite(unit('A-1'), unit('A-2'))
    expect(mapOne(two).unit_under_test).toEqual({ serial_number: 'A-2' })
    expect(logOf(two)).toContain('tests named A-1, A-2: the last one, A-2, counts')
    const configuredUnit = { partNumber: 'PSU', revision: 'B', batchNumber: 'LOT-7' }
    expect(mapOne(suite(unit('A-1')), { configuredUnit }).unit_under_test).toEqual({
      serial_number: 'A-1',
      part_number: 'PSU',
      revision: 'B',
      batch_number: 'LOT-7',
    })
    expect(mapOne(suite(unit('A-1', 'LAMP')), { configuredUnit }).unit_under_test).toEqual({
      serial_number: 'A-1',
      part_number: 'LAMP',
    })
  })

  it('adds the sub-units that last attempts named to those configured, each once', () => {
    const subUnit = (serialNumber: string) => stamp({ kind: 'sub-unit', serialNumber })
    const attempts = [['OLD'], ['B', 'A']].map((names) => createAttempt({ events: names.map(subUnit) }))
    const suite = createSuite({ tests: [createTest(['t'], { attempts })] })
    expect(mapOne(suite, { subUnits: ['A'] }).sub_units).toEqual([
      { serial_number: 'A' },
      { serial_number: 'B' },
    ])
  })

  it('keeps secrets home, and stays what it is whatever a pattern of the user’s finds', () => {
    const redactor = new Redactor({
      env: { API_TOKEN: 'hush-hush-1' },
      apiKey: 'rl_user_x1',
      redact: [/measure\w*/],
    })
    const events = [measured('output hush-hush-1', 1), stamp({ kind: 'log', message: 'with hush-hush-1' })]
    const suite = createSuite({ tests: [createTest(['t'], withEvents(...events))] })
    redactor.maskTexts([suite])
    expect(nameSteps(suite)).toEqual(['t', 't › output ***'])
    expect(logOf(suite)).toContain('with ***')
  })

  it('survives the snapshot of its suite', () => {
    const events = [
      measured('x', 1),
      stamp({ kind: 'unit', serialNumber: 'A-1' }),
      stamp({ kind: 'log', message: 'hi' }),
    ]
    const suite = createSuite({
      tests: [createTest(['t'], withEvents(...events))],
      events: [measured('room', 21)],
    })
    const own = { project: '', file: suite.file, namesFiles: false, suites: [suite] }
    const snapshot = takeSnapshot(suite, own, { context: CONTEXT, kept: new Map() })
    const line = { snapshot: JSON.parse(JSON.stringify(snapshot)) as unknown } as SuiteLine
    const { source, context, kept } = restoreRun([line])
    expect(mapRun(source, context, kept).request).toEqual(mapRun(own, CONTEXT, new Map()).request)
    expect(source.suites[0]?.tests[0]?.attempts[0]?.events).toEqual(events)
  })
})
