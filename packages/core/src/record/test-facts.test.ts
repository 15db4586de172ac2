import {
  CreateRunRequestSchema,
  ERROR_BYTES,
  MAX_ATTEMPTS,
  MAX_ERRORS,
  MAX_RUN_FACTS,
  type Step,
} from '@runledger/protocol'
import { describe, expect, it } from 'vitest'
import {
  createAttempt,
  createRequests,
  createSuite,
  createTest,
  FACTS,
} from '../../../../test/support/suites'
import type { RunPer } from '../config/options'
import type { Attempt, Problem, Suite, SuiteTest } from '../model/suite'
import type { MeasurementEvent, StepEvent } from '../model/test-api-event'
import type { OwnFolders } from '../util/text'

/** The runs as a service reads them. */
function mapAll(
  suites: Suite[],
  { runPer = 'suite', folders }: { runPer?: RunPer; folders?: OwnFolders } = {},
) {
  return createRequests(suites, { runPer, folders }).map((request) => {
    const text = JSON.stringify(request)
    return { ...CreateRunRequestSchema.parse(JSON.parse(text)), sizeBytes: Buffer.byteLength(text) }
  })
}

function mapSteps(tests: SuiteTest[], over: Partial<Suite> = {}): Step[] {
  return mapAll([createSuite({ outcome: 'failed', tests, ...over })])[0]?.steps ?? []
}

const failed = (message: string, over: Partial<Attempt> = {}): Attempt =>
  createAttempt({ status: 'failed', errors: [{ message }], ...over })

const failing = (title: string, ...attempts: Attempt[]): SuiteTest =>
  createTest([title], { outcome: 'failed', attempts })

function messagesOf({ errors }: { errors?: { message: string }[] | undefined }): string[] | undefined {
  return errors?.map(({ message }) => message)
}

const ERROR = {
  message: 'expected 3 to be 4',
  stack: 'Error: expected 3 to be 4\n    at src/math.test.ts:10:5',
  location: { file: 'src/math.test.ts', line: 10, column: 5 },
  expected: '4',
  actual: '3',
  diff: '- 4\n+ 3',
  snippet: '> 10 | expect(sum).toBe(4)',
}

describe('the facts of a test in its step', () => {
  it('has every part of the error, the place, tags and owner', () => {
    const location = { file: 'src/math.test.ts', line: 8, column: 1 }
    const test = { ...failing('adds', failed('', { errors: [ERROR] })), location, owner: '@bench' }
    const [step] = mapSteps([{ ...test, tags: ['@smoke', '@slow', '@smoke'] }])
    expect(step).toMatchObject({
      error: ERROR,
      location,
      owner: '@bench',
      tags: ['@smoke', '@slow'],
      kind: 'test',
    })
    for (const absent of ['errors', 'more_errors', 'attempts', 'more_attempts', 'parent'])
      expect(step?.[absent as 'errors']).toBeUndefined()
  })

  it('has what its annotations say, and the worker of each attempt, the last one’s as its own', () => {
    const said = { type: 'issue', description: 'https://tracker.example/RL-7' }
    const annotations = [said, { type: 'bench', description: `\u001b[31m${'d'.repeat(2_000)}` }]
    const attempts = [failed('once', { worker: 3 }), createAttempt({ worker: 5 })]
    const [flaky, plain] = mapSteps([
      createTest(['flaky'], { attempts, annotations }),
      createTest(['plain'], { annotations: [] }),
    ])
    expect(flaky?.worker).toBe(5)
    expect(flaky?.attempts?.map(({ worker }) => worker)).toEqual([3, 5])
    expect(flaky?.annotations).toEqual([
      said,
      { type: 'bench', description: expect.stringMatching(/^d+\s\[… .*cut …\]\sd+$/s) as string },
    ])
    expect(flaky?.annotations?.[1]?.description.length).toBeLessThanOrEqual(1_024)
    expect([plain?.annotations, plain?.worker]).toEqual([undefined, undefined])
  })

  it('has all errors of the last attempt where there are several, and their number beyond the limit', () => {
    const errors = Array.from({ length: MAX_ERRORS + 2 }, (_, index) => ({ message: `no. ${index}` }))
    const [two, many] = mapSteps([
      failing('two', failed('', { errors: errors.slice(0, 2) })),
      failing('many', failed('', { errors })),
    ])
    expect(two).toMatchObject({
      error: { message: 'no. 0' },
      errors: [{ message: 'no. 0' }, { message: 'no. 1' }],
    })
    expect(two?.more_errors).toBeUndefined()
    expect([many?.errors?.length, many?.more_errors]).toEqual([MAX_ERRORS, 2])
  })

  it('has each attempt with its own errors, the last one as the step itself', () => {
    const startedAtMs = FACTS.startedAtMs + 500
    const first = failed('once', { startedAtMs, durationMs: 20 })
    const [flaky, red] = mapSteps([
      createTest(['flaky'], {
        flaky: true,
        attempts: [first, createAttempt({ errors: [{ message: 'once' }] })],
      }),
      failing(
        'red',
        failed('slow', { status: 'timedOut' }),
        failed('stop', { status: 'interrupted' }),
        failed('last'),
      ),
    ])
    expect(flaky?.error).toBeUndefined()
    expect(flaky?.attempts).toEqual([
      {
        outcome: 'FAIL',
        started_at: '2026-11-20T09:30:00.500Z',
        duration: 'PT0.020S',
        errors: [{ message: 'once' }],
      },
      { outcome: 'PASS', started_at: '2026-11-20T09:30:00.100Z', duration: 'PT0S' },
    ])
    expect(red?.attempts?.map(({ outcome }) => outcome)).toEqual(['FAIL', 'ERROR', 'FAIL'])
    expect(red?.attempts?.map(messagesOf)).toEqual([['slow'], ['stop'], undefined])
    expect(red?.error?.message).toBe('last')
  })

  it('has the verdict of the test for the last attempt, whatever the framework calls that', () => {
    const [kept, expected] = mapSteps([
      failing('kept', failed('red'), createAttempt({ status: 'skipped' })),
      createTest(['expected to fail'], { attempts: [failed('a'), failed('b')] }),
    ])
    expect(kept?.attempts?.map(({ outcome }) => outcome)).toEqual(['FAIL', 'FAIL'])
    expect(expected?.attempts?.at(-1)?.outcome).toBe('PASS')
    expect(expected?.error).toBeUndefined()
  })

  it('has the first attempts and the last, and the number of those between', () => {
    const attempts = Array.from({ length: MAX_ATTEMPTS + 10 }, (_, index) => failed(`try ${index}`))
    const [step] = mapSteps([failing('stubborn', ...attempts)])
    expect([step?.attempts?.length, step?.more_attempts]).toEqual([MAX_ATTEMPTS, 10])
    expect(step?.attempts?.[MAX_ATTEMPTS - 2]?.errors?.[0]?.message).toBe(`try ${MAX_ATTEMPTS - 2}`)
    expect(step?.error?.message).toBe(`try ${MAX_ATTEMPTS + 9}`)
  })

  it('has problems of hooks and suites as steps of their kind, with their errors', () => {
    const problems: Problem[] = [
      { name: 'afterAll hook', kind: 'hook', errors: [ERROR] },
      { name: 'Suite failed to load', errors: [{ message: 'no bench' }] },
    ]
    const steps = mapSteps([], { problems })
    expect(steps.map(({ kind, error }) => [kind, error?.message])).toEqual([
      ['hook', ERROR.message],
      ['suite', 'no bench'],
    ])
    expect(mapSteps([]).map(({ kind }) => kind)).toEqual(['suite'])
  })
})

describe('a step below another', () => {
  const at = (order: number) => ({ order, atMs: FACTS.startedAtMs + order, passed: true })
  const measured = (order: number, ...within: string[]): MeasurementEvent => ({
    ...at(order),
    kind: 'measurement',
    name: 'volts',
    value: 1,
    within,
  })
  const step = (order: number, name: string, ...within: string[]): StepEvent => ({
    ...at(order),
    kind: 'step',
    name,
    within,
    durationMs: 1,
  })
  const tree = (steps: readonly Step[] = []) => steps.map(({ name, kind, parent }) => [name, kind, parent])

  it('belongs to the step that it is in, else to its test', () => {
    const events = [
      step(1, 'warm'),
      measured(2, 'warm'),
      step(3, 'warm'),
      measured(4, 'warm'),
      measured(5, 'gone'),
    ]
    const tests = [createTest(['first']), createTest(['second'], { attempts: [createAttempt({ events })] })]
    expect(tree(mapSteps(tests, { outcome: 'passed' }))).toEqual([
      ['first', 'test', undefined],
      ['second', 'test', undefined],
      ['second › warm', 'step', 1],
      ['second › warm › volts', 'measurement', 2],
      ['second › warm (2)', 'step', 1],
      ['second › warm › volts (2)', 'measurement', 4],
      ['second › gone › volts', 'measurement', 1],
    ])
  })

  it('belongs to no test outside of tests, and counts from the beginning of the run', () => {
    const suite = (file: string) =>
      createSuite({ file, events: [step(1, 'boot'), measured(2, 'boot')], tests: [createTest(['t'])] })
    const [run] = mapAll([suite('a.test.ts'), suite('b.test.ts')], { runPer: 'execution' })
    expect(tree(run?.steps)).toEqual([
      ['a.test.ts › boot', 'step', undefined],
      ['a.test.ts › boot › volts', 'measurement', 0],
      ['a.test.ts › t', 'test', undefined],
      ['b.test.ts › boot', 'step', undefined],
      ['b.test.ts › boot › volts', 'measurement', 3],
      ['b.test.ts › t', 'test', undefined],
    ])
  })

  it('recorded by default takes no name from a step that is always recorded', () => {
    const detail = (order: number, name: string, ...within: string[]): StepEvent => ({
      ...step(order, name, ...within),
      isDetail: true,
    })
    const events = [detail(1, 'boots'), detail(2, 'fan', 'boots'), measured(3), detail(4, 'volts')]
    const tests = [
      failing('first', failed('no', { events })),
      createTest(['first', 'boots']),
      createTest(['first', 'boots', 'fan'], { outcome: 'skipped', attempts: [] }),
    ]
    expect(tree(mapSteps(tests))).toEqual([
      ['first', 'test', undefined],
      ['first › boots (2)', 'step', 0],
      ['first › boots › fan (2)', 'step', 1],
      ['first › volts', 'measurement', 0],
      ['first › volts (2)', 'step', 0],
      ['first › boots', 'test', undefined],
    ])
  })

  it('recorded by default is omitted with its whole test in a run with very many', () => {
    const details = Array.from({ length: 1_001 }, (_, order) => ({
      ...step(order, `s${order}`),
      isDetail: true as const,
    }))
    const asked = { ...measured(2_000), name: 'asked' }
    const tests = ['a', 'b', 'c'].map((title) =>
      failing(title, failed('no', { events: [...details, asked] })),
    )
    const steps = mapSteps(tests)
    const count = (kind: string) => steps.filter((each) => each.kind === kind).length
    expect([count('test'), count('measurement'), count('step')]).toEqual([3, 3, 2_002])
    expect(steps.slice(-2).map(({ name }) => name)).toEqual(['c', 'c › asked'])
  })

  it('of an earlier attempt is omitted before those of the last one, the earliest attempt first', () => {
    const details = (attempt?: number) =>
      Array.from({ length: 800 }, (_, order) => ({
        ...step(order + 1_000 * (3 - (attempt ?? 3)), `s${order}`, ...(attempt ? [`${attempt}`] : [])),
        isDetail: true as const,
        attempt,
      }))
    const events = [...details(), ...details(2), ...details(1)]
    const tests = ['a', 'b'].map((title) => failing(title, failed('no', { events })))
    const steps = mapSteps(tests)
    const count = (start: string) => steps.filter(({ name }) => name.startsWith(start)).length
    expect(['a › s', 'a › 2', 'a › 1', 'b › s', 'b › 2'].map(count)).toEqual([800, 800, 0, 800, 0])
  })

  it('has the code around its call, without folders of the machine, while there is room', () => {
    const snippet = "> 3 | closes('/work/project/relay')"
    const folders = { roots: ['/work/project'], homes: [] }
    const tests = [failing('boots', failed('no', { events: [{ ...step(1, 'relay'), snippet }] }))]
    const [run] = mapAll([createSuite({ outcome: 'failed', tests })], { folders })
    expect(run?.steps?.[1]?.snippet).toBe("> 3 | closes('relay')")
    const long = { ...step(1, 'relay'), snippet: 's'.repeat(10_000) }
    const [, cut] = mapSteps([failing('boots', failed('no', { events: [long] }))])
    const length = Buffer.byteLength(cut?.snippet ?? '')
    expect([length > 4_000, length <= ERROR_BYTES.snippet]).toEqual([true, true])
    const errors = Array.from({ length: 20 }, () => ({ message: 'm', stack: 's'.repeat(32_000) }))
    const loud = Array.from({ length: 6 }, (_, index) => failing(`${index}`, failed('', { errors })))
    expect(mapSteps([...tests, ...loud])[1]).not.toHaveProperty('snippet')
  })

  it('has its own error and place', () => {
    const location = { file: 'src/math.test.ts', line: 3 }
    const events = [{ ...step(1, 'relay'), passed: false, error: ERROR, location }, step(2, 'fan')]
    const steps = mapSteps([failing('boots', failed('relay sticks', { events }))])
    expect(steps[1]).toMatchObject({ error: ERROR, location, kind: 'step' })
    expect(steps[2]?.error).toBeUndefined()
  })
})

describe('a test that did not run', () => {
  it('is named as its step would be, with reason, place and tags', () => {
    const location = { file: 'a.test.ts', line: 3 }
    const unrun = (title: string, over: Partial<SuiteTest>) => createTest([title], { attempts: [], ...over })
    const tests = [
      unrun('same', {
        outcome: 'skipped',
        skipReason: 'no \u001B[1mdevice\u001B[22m',
        location,
        tags: ['@rig'],
      }),
      createTest(['same']),
      unrun('plain', { outcome: 'skipped', note: 'skipped by a filter' }),
      unrun('later', { outcome: 'todo' }),
      unrun('blocked', { outcome: 'not-run' }),
      unrun('stopped', { outcome: 'not-run', attempts: [failed('', { status: 'interrupted' })] }),
      unrun('noted', { outcome: 'not-run', note: 'under way when the suite was cut short' }),
    ]
    const [run] = mapAll([createSuite({ file: 'a.test.ts', tests })], { runPer: 'execution' })
    expect(run?.skipped).toEqual([
      { name: 'a.test.ts › same', reason: 'no device', location, tags: ['@rig'] },
      { name: 'a.test.ts › plain' },
      { name: 'a.test.ts › later', reason: 'marked as todo' },
      { name: 'a.test.ts › blocked', reason: 'not started' },
      { name: 'a.test.ts › stopped', reason: 'cut short' },
      { name: 'a.test.ts › noted', reason: 'under way when the suite was cut short' },
    ])
    expect(run?.steps?.map(({ name }) => name)).toEqual(['a.test.ts › same (2)'])
  })

  it('is absent without errors', () => {
    expect(mapAll([createSuite({ tests: [createTest(['t'])] })])[0]).not.toHaveProperty('skipped')
  })
})

describe('a text of an error', () => {
  it('has no escape codes, nothing that cannot be stored, and a mark where its middle was cut', () => {
    const message = `\u001B[31mred\u001B[39m \0\uD800 ${'x'.repeat(20_000)} end`
    const [step] = mapSteps([
      failing('reads', failed(message, { errors: [{ message, stack: message.repeat(9) }] })),
    ])
    expect(step?.error?.message).toMatch(/^red \uFFFD x+ \[… cut …\] x+ end$/)
    for (const name of ['message', 'stack'] as const) {
      const bytes = Buffer.byteLength(step?.error?.[name] ?? '')
      expect(ERROR_BYTES[name] - bytes).toBeLessThan(4)
      expect(bytes).toBeLessThanOrEqual(ERROR_BYTES[name])
    }
  })

  const folders = { roots: ['/private/work/my app', '/work/my app'], homes: ['/home/jo.e'] }
  it.each([
    ['at f (/work/my app/src/a.test.ts:3:9)', 'at f (src/a.test.ts:3:9)'],
    ['at /private/work/my app/a.ts:1:2', 'at a.ts:1:2'],
    ['at f (file:///work/my%20app/src/a.ts:3:9)', 'at f (src/a.ts:3:9)'],
    ['at http://localhost:5173/@fs/work/my app/a.ts:1:1', 'at a.ts:1:1'],
    ['/work/my \u001B[1mapp/a.ts\u001B[22m', 'a.ts'],
    ['in "/work/my app", /work/my app.', 'in ".", ..'],
    ['/work/my app2/a.ts, /mnt/work/my app/a.ts', '/work/my app2/a.ts, /mnt/work/my app/a.ts'],
    ['https://web.example/work/my app/a', 'https://web.example/work/my app/a'],
    ['at x (/opt/lib/node_modules/a/node_modules/b/i.js:1:1)', 'at x (node_modules/b/i.js:1:1)'],
    ['at x (/work/my app/node_modules/b/i.js:1:1)', 'at x (node_modules/b/i.js:1:1)'],
    ['file:///home/jo.e/node_modules/b.js', 'node_modules/b.js'],
    ['http://web.example/node_modules/b.js', 'http://web.example/node_modules/b.js'],
    ['/home/jo.e/.npmrc and /home/jo.eve/x', '~/.npmrc and /home/jo.eve/x'],
    ['at node:internal/process:1:1', 'at node:internal/process:1:1'],
  ])('names no folder of the machine: %s', (text, expected) => {
    const error = { message: text, stack: text, expected: text, actual: text, diff: text, snippet: text }
    const tests = [failing('reads', failed('', { errors: [error] }))]
    const [run] = mapAll([createSuite({ outcome: 'failed', tests })], { folders })
    const values = Object.values(run?.steps?.[0]?.error ?? {}).filter((value) => value !== undefined)
    expect(values).toEqual(Array.from({ length: 6 }, () => expected))
  })

  it('names no folder of a machine with Windows', () => {
    const tests = [
      failing(
        'reads',
        failed('at f (C:\\work\\app\\src\\a.ts:3:9), "C:\\\\work\\\\app\\\\a", file:///C:/work/app/b.ts'),
      ),
    ]
    const roots = ['C:\\work\\app', 'D:\\']
    const [run] = mapAll([createSuite({ outcome: 'failed', tests })], { folders: { roots, homes: ['/'] } })
    expect(run?.steps?.[0]?.error?.message).toBe('at f (src\\a.ts:3:9), "a", b.ts')
  })
})

describe('a run with very many failures', () => {
  it('stays well within what a service takes, with a message for as many as fit', () => {
    const error = { ...ERROR, stack: 'at x\n'.repeat(2_000), diff: 'd'.repeat(20_000) }
    const tests = Array.from({ length: 3_000 }, (_, index) =>
      failing(`no. ${index}`, failed('', { errors: [error] }), failed('', { errors: [error, error] })),
    )
    const [run] = mapAll([createSuite({ outcome: 'failed', tests })])
    expect(run?.sizeBytes).toBeLessThan(6 * 1024 * 1024)
    const steps = run?.steps ?? []
    expect(steps[0]?.error?.diff).toHaveLength(20_000)
    const brief = steps.findIndex(({ error: each }) => each && each.diff === undefined)
    expect(steps[brief]?.error).toEqual({ message: ERROR.message, location: ERROR.location })
    expect(steps.filter((step) => (step.errors?.length ?? 0) + (step.more_errors ?? 0) !== 2)).toEqual([])
  })

  it('says no more than one run may say, and how much more there was', () => {
    const tests = Array.from({ length: 4_000 }, (_, index) => ({
      ...failing(`no. ${index}`, failed('first'), failed('second')),
      tags: ['@a', '@b'],
      owner: `@team-${index}`,
      location: { file: 'a.test.ts', line: index },
    }))
    const [run] = mapAll([createSuite({ outcome: 'failed', tests })])
    const steps = run?.steps ?? []
    expect(new Set(steps.map(({ error }) => error?.message))).toEqual(new Set(['second']))
    expect(steps.at(-1)).toMatchObject({ location: { line: 3_999 }, more_attempts: 1 })
    const facts = steps.flatMap(({ attempts = [], tags = [], owner = [] }) => [
      'its error',
      ...attempts.flatMap(({ errors = [] }) => ['attempt', ...errors]),
      ...tags,
      owner,
    ])
    expect(facts.flat().length + 1).toBe(MAX_RUN_FACTS)
  })
})
