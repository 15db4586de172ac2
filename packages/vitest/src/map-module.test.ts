import { describe, expect, test } from 'vitest'
import type { Suite } from '@runledger/core'
import { listRecordedVersions, readRecording, Replay } from '../recordings/replay'
import { describeModule, mapModule, nameProject } from './map-module'
import type { TestModule } from './framework-types'
import { mapProblems } from './map-problems'
import { readEntities } from './module-entities'
import { LiveNotes } from './module-notes'

const EXECUTION_START = 1_000

const problemsOf = (testModule: TestModule) => mapProblems(testModule, readEntities(testModule), '/project')

function mapRecorded(name: string, version: string, file: string): Suite {
  const replay = new Replay(readRecording(name, version))
  return mapModule(replay.module(file), {
    rootDir: '/project',
    notes: new LiveNotes(Date.now),
    executionStartedAtMs: EXECUTION_START,
    isReplay: false,
  })
}

function listOutcomes(suite: Suite): string[] {
  return suite.tests.map(({ titles, outcome }) => `${outcome}: ${titles.join(' / ')}`)
}

describe.each(listRecordedVersions('main'))('of Vitest %s', (version) => {
  const map = (file: string) => mapRecorded('main', version, file)

  test('every kind of test gets the verdict of Vitest', () => {
    expect(listOutcomes(map('kinds.test.ts'))).toEqual(
      [
        'passed: passes',
        'failed: fails',
        'failed: throws with a cause',
        'skipped: is skipped',
        'todo: comes later',
        'skipped: skips itself',
        'passed: fails as expected',
        'failed: passes unexpectedly',
        'passed: same',
        'passed: same',
      ].map((line) => line.replace(': ', ': outer › x / inner / ')),
    )
  })

  test('the reason of a test that skips itself is kept', () => {
    const skipped = map('kinds.test.ts').tests.find(({ titles }) => titles.at(-1) === 'skips itself')
    expect(skipped).toMatchObject({ note: 'no device', skipReason: 'no device' })
  })

  test('a failure keeps its message, difference and cause', () => {
    const [, failed, caused] = map('kinds.test.ts').tests
    const [error] = failed?.attempts[0]?.errors ?? []
    expect(error?.message).toContain('expected { a: 1 } to deeply equal { a: 2 }')
    expect(error?.diff).toContain('"a": 2')
    expect(error?.expected).toContain('"a": 2')
    expect(error?.actual).toContain('"a": 1')
    expect(error?.stack).toMatch(/^ +at \/project\/kinds\.test\.ts:6:/)
    expect(error?.location).toMatchObject({ file: 'kinds.test.ts', line: 6 })
    const [withCause] = caused?.attempts[0]?.errors ?? []
    expect(withCause?.message).toBe('Error: above')
    expect(withCause?.stack?.match(/Caused by:/g)).toHaveLength(1)
    expect(withCause?.stack).toContain('TypeError: below')
  })

  test('times are those of Vitest, fractions included', () => {
    const suite = map('kinds.test.ts')
    const [first] = suite.tests
    expect(first?.startedAtMs).toBeGreaterThan(1_700_000_000_000)
    expect(first?.durationMs).toBeGreaterThan(0)
    expect(first?.durationMs).not.toBe(Math.round(first?.durationMs ?? 0))
    expect(suite.startedAtMs).toBe(Math.min(...suite.tests.filter(ran).map((each) => each.startedAtMs)))
  })

  test('errors of hooks are problems, and the tests behind them did not run', () => {
    const suite = map('hooks.test.ts')
    expect(listOutcomes(suite)).toEqual([
      'passed: stands alone',
      'not-run: before / a',
      'skipped: before / b',
      'passed: after / c',
      'not-run: both / d',
    ])
    expect(suite.problems.map(({ name, kind, errors }) => [name, kind, errors[0]?.message])).toEqual([
      ['beforeAll hook', 'hook', 'Error: before all'],
      ['afterAll hook', 'hook', 'Error: after all'],
      ['beforeAll hook', 'hook', 'Error: first'],
      ['afterAll hook', 'hook', 'Error: last'],
    ])
    expect(suite.problems[0]?.errors[0]?.location).toMatchObject({ file: 'hooks.test.ts', line: 6 })
    expect(suite.problems[0]?.errors[0]?.stack).toContain('in describe: before')
    expect(suite.outcome).toBe('failed')
  })

  test('a file that does not load is a problem without tests', () => {
    const suite = map('load.test.ts')
    expect(suite).toMatchObject({ outcome: 'failed', tests: [], startedAtMs: EXECUTION_START, durationMs: 0 })
    expect(suite.problems).toMatchObject([
      { name: 'Suite failed to load', errors: [{ message: 'Error: on load' }] },
    ])
    expect(suite.problems[0]).not.toHaveProperty('kind')
  })

  test('every attempt of a retried test is kept with its own error', () => {
    const [flaky, never] = map('retries.test.ts').tests
    expect(flaky).toMatchObject({ outcome: 'passed', flaky: true })
    expect(flaky?.attempts.map(({ status, errors }) => [status, errors.length])).toEqual([
      ['failed', 1],
      ['failed', 1],
      ['passed', 0],
    ])
    expect(never).toMatchObject({ outcome: 'failed', flaky: false })
    expect(never?.attempts.flatMap(({ errors }) => errors)).toHaveLength(4)
    expect(never?.attempts).toHaveLength(2)
  })

  test('an expected failure with retries is not flaky', () => {
    expect(map('retries.test.ts').tests[2]).toMatchObject({ outcome: 'passed', flaky: false })
  })

  test('a file with nothing but skipped tests has passed and has no problem', () => {
    expect(map('all-skipped.test.ts')).toMatchObject({ outcome: 'passed', problems: [] })
  })

  test('a type check is a project of its own', () => {
    const suite = map('types.test-d.ts')
    expect(suite).toMatchObject({ project: 'typecheck', file: 'types.test-d.ts', outcome: 'failed' })
    expect(listOutcomes(suite)).toEqual(['passed: is a string', 'failed: is not a number'])
    expect(suite.problems).toEqual([])
  })
})

test.each(listRecordedVersions('bail'))(
  'a file cut short by a bail of Vitest %s is interrupted',
  (version) => {
    const suite = mapRecorded('bail', version, 'cut.test.ts')
    expect(listOutcomes(suite)).toEqual(['passed: passes', 'failed: fails', 'not-run: would have run'])
    expect(suite.problems.map(({ name }) => name)).toEqual(['Interrupted'])
  },
)

test('a test that Vitest 3 has under way at a bail runs to its end; later ones do not run', () => {
  const suite = mapRecorded('aborted', '3.2.7', 'slow.test.ts')
  expect(listOutcomes(suite)).toEqual([
    'passed: passes',
    'skipped: skips itself',
    'passed: is slow',
    'not-run: would have run',
  ])
  expect(suite).toMatchObject({ outcome: 'failed', problems: [{ name: 'Interrupted' }] })
})

test.each(listRecordedVersions('aborted').filter((version) => !version.startsWith('3.')))(
  'a test that Vitest %s has under way at a bail did not run',
  (version) => {
    const suite = mapRecorded('aborted', version, 'slow.test.ts')
    expect(listOutcomes(suite)).toEqual([
      'passed: passes',
      'skipped: skips itself',
      'not-run: is slow',
      'not-run: would have run',
    ])
    expect(suite).toMatchObject({ outcome: 'failed', problems: [{ name: 'Interrupted' }] })
  },
)

test('a file that Vitest fails for obsolete snapshots has a problem of that name', () => {
  const replay = new Replay(readRecording('bail', '4.1.12'))
  const testModule = replay.module('cut.test.ts')
  const uncheckedKeysByFile = [{ filePath: testModule.moduleId, keys: ['is gone 1'] }]
  Object.assign(testModule, { errors: () => [{ message: 'Obsolete snapshots found' }] })
  Object.assign(testModule.project, { vitest: { snapshot: { summary: { uncheckedKeysByFile } } } })
  expect(problemsOf(testModule).map(({ name }) => name)).toEqual(['Obsolete snapshot'])
})

test.each([
  [
    'has obsolete snapshots in another file only',
    { snapshot: { summary: { uncheckedKeysByFile: [{ filePath: '/b.ts' }] } } },
  ],
  ['lists no snapshots', { snapshot: { summary: {} } }],
  ['has no summary of snapshots', { snapshot: {} }],
  ['has no snapshots', {}],
  ['does not tell', undefined],
])('the error of a file is not that of a snapshot where Vitest %s', (_, vitest) => {
  const testModule = findModule('all-skipped.test.ts', {
    errors: () => [{ message: 'why' }],
    state: () => 'failed',
  })
  Object.assign(testModule.project, { vitest })
  expect(problemsOf(testModule)).toEqual([{ name: 'Suite hook', errors: [{ message: 'why' }] }])
})

function findModule(file: string, changes: object = {}) {
  return Object.assign(new Replay(readRecording('main', '4.1.12')).module(file), changes)
}

test('each label of merged blobs is a project of its own', () => {
  expect(nameProject(findModule('kinds.test.ts', { meta: () => ({ __vitest_label__: 'linux' }) }))).toBe(
    'linux',
  )
  expect(nameProject(findModule('kinds.test.ts', { meta: () => ({ __vitest_label__: 7 }) }))).toBe('')
  const both = { meta: () => ({ __vitest_label__: 'linux', typecheck: true }), project: { name: 'one' } }
  expect(nameProject(findModule('kinds.test.ts', both))).toBe('one linux typecheck')
})

test('a module of a merged blob has the times of its tests, or without tests those of the reporter’s clock', () => {
  const notes = new LiveNotes(() => 5)
  const map = (file: string, isReplay: boolean) => {
    const testModule = findModule(file)
    notes.endModule(testModule.id)
    return mapModule(testModule, {
      rootDir: '/project',
      notes,
      executionStartedAtMs: EXECUTION_START,
      isReplay,
    })
  }
  expect(map('kinds.test.ts', false).startedAtMs).toBe(5)
  expect(map('kinds.test.ts', true).startedAtMs).toBeGreaterThan(1_700_000_000_000)
  expect(map('load.test.ts', true)).toMatchObject({ startedAtMs: 5, durationMs: 0 })
})

test('a module of a merged blob lasts from the start of its first test to the end of its last', () => {
  const testModule = findModule('kinds.test.ts')
  const suite = mapModule(testModule, {
    rootDir: '/project',
    notes: new LiveNotes(() => 5),
    executionStartedAtMs: EXECUTION_START,
    isReplay: true,
  })
  const ends = suite.tests.filter(ran).map(({ startedAtMs, durationMs }) => startedAtMs + durationMs)
  expect(suite.startedAtMs + suite.durationMs).toBeCloseTo(Math.max(...ends), 2)
})

const LIVE_CONTEXT = {
  rootDir: '/project',
  notes: new LiveNotes(() => 5),
  executionStartedAtMs: EXECUTION_START,
  isReplay: false,
}

test('events outside of tests belong to the suite', () => {
  const at = { order: 0, atMs: 5 }
  const room = { ...at, kind: 'measurement', name: 'room', value: 21, passed: true }
  const plan = { ...at, kind: 'file', name: 'plan', base64: 'AAE=' }
  const lost = { ...at, kind: 'file', name: 'lost', file: '1.png' }
  const meta = () => ({ runledger: [room, plan, lost] })
  expect(mapModule(findModule('all-skipped.test.ts', { meta }), LIVE_CONTEXT)).toMatchObject({
    events: [room],
    attachments: [{ name: 'plan' }],
    output: [{ text: 'not attached: lost: its bytes stayed where the test ran' }],
  })
  expect(mapModule(findModule('all-skipped.test.ts'), LIVE_CONTEXT)).not.toHaveProperty('events')
})

test('output of a test without a verdict is of the suite and names the test', () => {
  const testModule = findModule('kinds.test.ts')
  const skipped = [...testModule.children.allTests()].find(({ name }) => name === 'skips itself')
  const notes = new LiveNotes(() => 5)
  notes.addOutput({ type: 'stdout', content: 'looks for it', time: 1, size: 1, taskId: skipped?.id ?? '' })
  expect(mapModule(testModule, { ...LIVE_CONTEXT, notes }).output).toEqual([
    { stream: 'stdout', text: 'looks for it', atMs: 1, origin: 'outer › x › inner › skips itself' },
  ])
})

test.each([
  ['passed', 'passed'],
  ['skipped', 'passed'],
  ['failed', 'failed'],
  ['pending', 'failed'],
])('a %s module whose results cannot be mapped is on record as %s', (state, outcome) => {
  const changes = { state: () => state, meta: () => undefined, children: undefined }
  const testModule = findModule('kinds.test.ts', changes)
  expect(describeModule(testModule, LIVE_CONTEXT)).toEqual({
    project: '',
    file: 'kinds.test.ts',
    startedAtMs: EXECUTION_START,
    durationMs: 0,
    outcome,
  })
})

test('a module whose results cannot be mapped has the times of the reporter’s clock', () => {
  const testModule = findModule('kinds.test.ts')
  const clock = [1_500, 1_750]
  const notes = new LiveNotes(() => clock.shift() ?? 0)
  notes.startModule(testModule.id)
  expect(describeModule(testModule, { ...LIVE_CONTEXT, notes })).toMatchObject({
    startedAtMs: 1_500,
    durationMs: 0,
  })
  notes.endModule(testModule.id)
  expect(describeModule(testModule, { ...LIVE_CONTEXT, notes })).toMatchObject({
    startedAtMs: 1_500,
    durationMs: 250,
  })
})

test('a module fails when Vitest fails it or one of its tests', () => {
  const outcomeOf = (file: string, state: string) =>
    mapModule(findModule(file, { state: () => state }), LIVE_CONTEXT).outcome
  expect(outcomeOf('all-skipped.test.ts', 'failed')).toBe('failed')
  expect(outcomeOf('all-skipped.test.ts', 'passed')).toBe('passed')
  expect(outcomeOf('kinds.test.ts', 'passed')).toBe('failed')
})

test.each(['pending', 'queued'])('a module that is %s at the end was cut short', (state) => {
  const interruption = (file: string) => problemsOf(findModule(file, { state: () => state }))
  expect(interruption('all-skipped.test.ts')).toEqual([
    { name: 'Interrupted', errors: [{ message: '0 of 1 tests of this file came to no verdict.' }] },
  ])
  expect(interruption('load.test.ts').at(-1)).toEqual({
    name: 'Interrupted',
    errors: [{ message: 'The file began and never came to its tests.' }],
  })
})

test('an error of a module is that of a hook, also when the state of no hook shows it', () => {
  const changes = { errors: () => [{ message: 'why' }] }
  const names = (file: string, more: object) =>
    problemsOf(findModule(file, { ...changes, ...more })).map(({ name }) => name)
  expect(names('all-skipped.test.ts', { state: () => 'failed' })).toEqual(['Suite hook'])
  expect(names('all-skipped.test.ts', { state: () => 'passed' })).toEqual([])
})

test('so is an error of a describe block', () => {
  const testModule = findModule('hooks.test.ts')
  const [block] = testModule.children.allSuites()
  Object.assign(block ?? {}, { task: {} })
  expect(problemsOf(testModule).map(({ name }) => name)).toEqual([
    'Suite hook',
    'afterAll hook',
    'beforeAll hook',
    'afterAll hook',
  ])
})

test.each(listRecordedVersions('killed'))('a file whose worker of Vitest %s died has failed', (version) => {
  const suite = mapRecorded('killed', version, 'killed.test.ts')
  expect(listOutcomes(suite)).toEqual([
    'passed: passes',
    'not-run: kills its worker',
    'not-run: would have run',
  ])
  expect(suite).toMatchObject({ outcome: 'failed', problems: [{ name: 'Interrupted' }] })
})

function ran({ outcome }: Suite['tests'][number]): boolean {
  return outcome === 'passed' || outcome === 'failed'
}
