import { CreateRunRequestSchema } from '@runledger/protocol'
import { describe, expect, it } from 'vitest'
import {
  collectRunSources,
  createAttempt,
  createSuite,
  createTest,
  FACTS,
  SAID,
  RUN_CONTEXT,
} from '../../../../test/support/suites'
import type { Attachment, Suite } from '../model/suite'
import { mapRun, type RunContext } from './map-run'
import type { Inspections } from './plan-attachments'
import { isOnRecord, type RunSource } from './run-source'

type Context = RunContext & { inspections?: Inspections }

function contextWith(over: Partial<Context> = {}): Context {
  return { ...RUN_CONTEXT, ...over }
}

function mapOne(suite: Suite, context: Context = contextWith()) {
  const [source] = collectRunSources([suite], 'suite')
  return mapRun(source as NonNullable<typeof source>, context, context.inspections ?? new Map())
}

const image = (name: string): Attachment => ({ name, bytes: new Uint8Array(3), contentType: 'image/png' })
const inspect = (...attachments: Attachment[]): Inspections =>
  new Map(attachments.map((attachment) => [attachment, { sizeBytes: 3 }]))

describe('mapRun', () => {
  it('makes a request that the contract accepts, with the suite’s own clock', () => {
    const { request } = mapOne(createSuite({ tests: [createTest(['math', 'adds'])] }))
    expect(CreateRunRequestSchema.parse(JSON.parse(JSON.stringify(request)))).toMatchObject({
      procedure_id: 'FVT1',
      run_passed: true,
      started_at: '2026-11-20T09:30:00.000Z',
      duration: 'PT1.234S',
      steps: [
        {
          name: 'math › adds',
          step_passed: true,
          started_at: '2026-11-20T09:30:00.100Z',
          duration: 'PT0.010S',
        },
      ],
    })
  })

  it('takes the verdict from the framework, not from the steps', () => {
    expect(mapOne(createSuite({ outcome: 'failed', tests: [createTest(['ok'])] })).request.run_passed).toBe(
      false,
    )
  })

  it('gives a failed suite without any error a failing step, too', () => {
    const { request } = mapOne(createSuite({ outcome: 'failed', tests: [createTest(['ok'])] }))
    expect(request.steps?.map(({ name, step_passed }) => [name, step_passed])).toEqual([
      ['ok', true],
      ['Suite failed', false],
    ])
  })

  it('names sub-units only where there are some', () => {
    const subUnitsOf = (subUnits: string[]) =>
      mapOne(createSuite(), contextWith({ subUnits })).request.sub_units
    expect(subUnitsOf(['A', 'B'])).toEqual([{ serial_number: 'A' }, { serial_number: 'B' }])
    expect(subUnitsOf([])).toBeUndefined()
  })

  it('makes no steps of tests that did not run, and counts them', () => {
    const tests = [
      createTest(['ran']),
      ...(['skipped', 'todo', 'not-run'] as const).map((outcome) =>
        createTest([outcome], { outcome, attempts: [] }),
      ),
    ]
    const { request } = mapOne(createSuite({ tests }))
    expect(request.steps).toHaveLength(1)
    expect(request.report_variables).toMatchObject({
      tests_passed: '1',
      tests_failed: '0',
      tests_skipped: '3',
    })
  })

  it('puts steps in the order of execution, and numbers equal names as they are declared', () => {
    const late = createTest(['same'], { startedAtMs: FACTS.startedAtMs + 900 })
    const early = createTest(['same'], { startedAtMs: FACTS.startedAtMs + 5, outcome: 'failed' })
    const { request } = mapOne(createSuite({ outcome: 'failed', tests: [late, early] }))
    expect(request.steps?.map(({ name, step_passed }) => [name, step_passed])).toEqual([
      ['same (2)', false],
      ['same', true],
    ])
  })

  it('makes a failing step of every problem, after the tests', () => {
    const problems = ['afterAll hook', 'afterAll hook', 'Unhandled error'].map((name) => ({
      name,
      errors: [],
    }))
    const { request } = mapOne(createSuite({ outcome: 'failed', tests: [createTest(['ok'])], problems }))
    expect(request.steps?.map(({ name }) => name)).toEqual([
      'ok',
      'afterAll hook',
      'afterAll hook (2)',
      'Unhandled error',
    ])
    expect(request.run_passed).toBe(false)
  })

  it('counts flaky tests and retries', () => {
    const flaky = createTest(['flaky'], {
      flaky: true,
      attempts: [createAttempt({ status: 'failed' }), createAttempt()],
    })
    const { request } = mapOne(createSuite({ tests: [flaky, createTest(['steady'])] }))
    expect(request.report_variables).toMatchObject({ tests_flaky: '1', retries: '1', tests_passed: '2' })
    expect(request.run_passed).toBe(true)
  })

  it('does not let the user’s variables replace ours, and leaves unknown ones out', () => {
    const { request } = mapOne(
      createSuite({ tests: [createTest(['ok'])] }),
      contextWith({ variables: { framework: 'mine', line: '3', git_branch: undefined } }),
    )
    expect(request.report_variables).toMatchObject({ framework: 'vitest', line: '3' })
    expect(request.report_variables).not.toHaveProperty('git_branch')
    expect(request.report_variables).not.toHaveProperty('project')
  })

  it('names attachments after their step, each attempt apart, and equal names apart', () => {
    const shots = [image('shot'), image('shot'), image('shot')] as const
    const retried = createTest(['page', 'loads'], {
      attempts: [
        createAttempt({ attachments: [shots[0], shots[1]] }),
        createAttempt({ attachments: [shots[2]] }),
      ],
    })
    const { request, attachments } = mapOne(
      createSuite({ tests: [retried] }),
      contextWith({ inspections: inspect(...shots) }),
    )
    expect(request.attachments).toEqual([
      'page › loads/attempt-1/shot.png',
      'page › loads/attempt-1/shot (2).png',
      'page › loads/attempt-2/shot.png',
    ])
    expect(attachments.map(({ name }) => name)).toEqual(request.attachments)
  })

  it('keeps the files of a test that was cut off with the run as a whole', () => {
    const trace = image('trace')
    const cut = createTest(['cut off'], {
      outcome: 'not-run',
      attempts: [createAttempt({ status: 'interrupted', attachments: [trace] })],
    })
    const context = contextWith({ inspections: inspect(trace) })
    expect(mapOne(createSuite({ outcome: 'failed', tests: [cut] }), context).request.attachments).toEqual([
      'trace.png',
    ])
  })

  it('lets no other spelling of a name replace ours, nor the user’s what a test set', () => {
    const event = { kind: 'variable', name: 'operator', value: 'test', order: 0, atMs: 0 } as const
    const attempts = [createAttempt({ events: [event] })]
    const suite = createSuite({ tests: [createTest(['a'], { attempts })] })
    const variables = {
      submission_id: 'x',
      'submission_id\0': 'x',
      operator: 'x',
      'operator\0': 'x',
      'project\0': 'x',
    }
    const { request } = mapOne(suite, contextWith({ variables }))
    expect(request.report_variables).toMatchObject({ operator: 'test' })
    expect(Object.values(request.report_variables ?? {})).not.toContain('x')
  })

  it('makes of odd names and variables what every service can store', () => {
    const suite = createSuite({
      project: 'web\u0000\u001b[31m',
      file: 'a\u0007.test.ts',
      tests: [createTest(['ok'])],
      output: [SAID],
    })
    const variables = { nul: 'a\u0000b', lone: '\ud800', long: 'z'.repeat(20_000), ['__proto__']: 'x' }
    const { request } = mapOne(suite, contextWith({ variables, logs: true }))
    expect(CreateRunRequestSchema.safeParse(JSON.parse(JSON.stringify(request))).error).toBeUndefined()
    expect(request.report_variables).toMatchObject({ nul: 'ab', lone: '\ufffd', project: 'web' })
    expect(request.attachments).toEqual(['a .test.ts.log'])
  })

  it('parts the logs of several suites by an empty line', () => {
    const suites = ['a.test.ts', 'b.test.ts'].map((file) => createSuite({ file, output: [SAID] }))
    const [source] = collectRunSources(suites, 'execution')
    const { attachments } = mapRun(
      source as NonNullable<typeof source>,
      contextWith({ logs: true }),
      new Map(),
    )
    const [log] = attachments
    expect(log?.content).toMatch(/\n\nsuite {6}b\.test\.ts\n/)
  })

  it('cuts a log that is longer than an attachment may be, and says so', () => {
    const suite = createSuite({
      tests: [createTest(['ok'])],
      output: [{ stream: 'stdout', text: 'ü'.repeat(5000) }],
    })
    for (const maxAttachmentBytes of [1000, 1001]) {
      const [log] = mapOne(suite, contextWith({ logs: true, maxAttachmentBytes })).attachments
      const text = String(log?.content)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxAttachmentBytes)
      expect(text).not.toContain('\uFFFD')
      expect(text).toContain('✓ passed  ok')
      expect(text).toMatch(/… the log is longer than maxAttachmentBytes \(\d+\)\n$/)
    }
    expect(mapOne(suite, contextWith({ logs: true, maxAttachmentBytes: 0 })).attachments).toEqual([])
  })

  it('attaches the suite’s log under the file’s name', () => {
    const { request, attachments } = mapOne(
      createSuite({ tests: [createTest(['ok'])], output: [SAID] }),
      contextWith({ logs: true }),
    )
    expect(request.attachments).toEqual(['math.test.ts.log'])
    expect(attachments[0]?.contentType).toBe('text/plain; charset=utf-8')
  })

  it('attaches no log that would only repeat what the steps say', () => {
    const measured = { kind: 'measurement', name: 'u', value: 1, passed: true, atMs: 1, order: 1 } as const
    const events = [
      measured,
      { kind: 'step', name: 's', passed: true, atMs: 1, durationMs: 1, order: 2 } as const,
    ]
    const shot: Attachment = { name: 'shot.png', path: '/shot.png' }
    const attempts = [createAttempt({ events, attachments: [shot] })]
    const suite = createSuite({ tests: [createTest(['ok'], { attempts }), createTest(['also'])] })
    const logs = contextWith({ logs: true })
    expect(mapOne(suite, logs).request.attachments).toEqual([])
    const refused = new Map([[shot, { refusal: 'it is gone' }]])
    const [source] = collectRunSources([suite], 'suite')
    expect(mapRun(source as RunSource, logs, refused).request.attachments).toEqual(['math.test.ts.log'])
  })

  it.each<[string, Partial<Suite>]>([
    ['a test that failed', { outcome: 'failed', tests: [createTest(['a'], { outcome: 'failed' })] }],
    ['a test that did not run', { tests: [createTest(['a'], { outcome: 'skipped', attempts: [] })] }],
    ['a note', { tests: [createTest(['a'], { note: 'expected to fail' })] }],
    ['attempts', { tests: [createTest(['a'], { attempts: [createAttempt(), createAttempt()] })] }],
    ['a flaky test without its earlier attempts', { tests: [createTest(['a'], { flaky: true })] }],
    [
      'an error',
      { tests: [createTest(['a'], { attempts: [createAttempt({ errors: [{ message: 'm' }] })] })] },
    ],
    ['output of a test', { tests: [createTest(['a'], { attempts: [createAttempt({ output: [SAID] })] })] }],
    ['a line of a test', { events: [{ kind: 'log', message: 'm', atMs: 1, order: 1 }] }],
    ['a problem', { problems: [{ name: 'afterAll', errors: [] }] }],
    ['a masked secret', { masked: 1 }],
  ])('attaches a log that has %s', (_, over) => {
    const { request } = mapOne(
      createSuite({ tests: [createTest(['ok'])], ...over }),
      contextWith({ logs: true }),
    )
    expect(request.attachments).toEqual(['math.test.ts.log'])
  })
})

it('attaches a log that says which projects the suites of a run are of', () => {
  const listLogs = (...projects: string[]) => {
    const suites = projects.map((project) => createSuite({ project, tests: [createTest(['ok'])] }))
    const [source] = collectRunSources(suites, 'execution')
    return mapRun(source as RunSource, contextWith({ logs: true }), new Map()).request.attachments
  }
  expect(listLogs('chromium', 'firefox')).toEqual(['(execution).log'])
  expect(listLogs('chromium', 'chromium')).toEqual([])
})

describe('RunSources', () => {
  const suites = [
    createSuite({ project: 'a', file: '1.test.ts', tests: [createTest(['x'])] }),
    createSuite({ project: 'b', file: '1.test.ts', tests: [createTest(['x'])] }),
    createSuite({
      project: 'a',
      file: '2.test.ts',
      tests: [createTest(['x'])],
      startedAtMs: FACTS.startedAtMs + 5000,
    }),
  ]

  it('puts the suites of a project or of the execution into one run, steps named by their file', () => {
    expect(collectRunSources(suites, 'project').map(({ file, suites: own }) => [file, own.length])).toEqual([
      ['a', 2],
      ['b', 1],
    ])
    const [whole] = collectRunSources(suites, 'execution')
    const { request } = mapRun(whole as NonNullable<typeof whole>, contextWith(), new Map())
    expect(request.steps?.map(({ name }) => name)).toEqual([
      '1.test.ts › x',
      '1.test.ts › x (2)',
      '2.test.ts › x',
    ])
    expect(request.duration).toBe('PT6.234S')
  })

  it('keeps errors that belong to no suite apart from the projects, named or not', () => {
    const problem = { name: 'Global set-up', errors: [] }
    const lost = createSuite({ file: '(execution)', outcome: 'failed', problems: [problem] })
    const unnamed = createSuite({ tests: [createTest(['x'])] })
    const runs = collectRunSources([unnamed, lost], 'project').map((source) =>
      mapRun(source, contextWith(), new Map()),
    )
    expect(runs.map(({ request }) => [request.run_passed, request.steps?.map(({ name }) => name)])).toEqual([
      [true, ['src/math.test.ts › x']],
      [false, ['Global set-up']],
    ])
    expect(collectRunSources([unnamed, lost], 'execution')).toHaveLength(1)
  })

  it('leaves out a suite in which nothing ran and nothing went wrong', () => {
    const skipped = createSuite({ tests: [createTest(['s'], { outcome: 'skipped', attempts: [] })] })
    const [source] = collectRunSources([skipped], 'suite')
    expect(isOnRecord(source as NonNullable<typeof source>)).toBe(false)
    expect(
      isOnRecord({ ...(source as NonNullable<typeof source>), suites: [{ ...skipped, outcome: 'failed' }] }),
    ).toBe(true)
  })
})
