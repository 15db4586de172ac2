import { CreateRunRequestSchema, CUT_MARK, ERROR_BYTES, type RunDetail } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Transaction } from '../../storage/database/database'
import { collectDefinitions, insertPhases } from '../../record/results/runs/insert-store'
import { mapV1Run } from '../../record/results/runs/map-v1-run'
import { minimalRun, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

const STEP = { name: 'adds', step_passed: false, started_at: '2026-11-20T09:00:00Z', duration: 'PT1S' }
const ATTEMPT = { outcome: 'FAIL', started_at: '2026-11-20T09:00:00.000Z', duration: 'PT0.500S' }
const ERROR = {
  message: 'expected 3 to be 4',
  stack: 'Error: expected 3 to be 4\n    at src/cart.test.ts:10:5',
  location: { file: 'src/cart.test.ts', line: 10, column: 5 },
  expected: '4',
  actual: '3',
  diff: '- 4\n+ 3',
  snippet: '> 10 | expect(sum).toBe(4)',
}
const FACTS = {
  location: { file: 'src/cart.test.ts', line: 8 },
  tags: ['@smoke', 'slow'],
  kind: 'test',
  owner: '@cart-team',
}

async function createSteps(steps: unknown[], change: Record<string, unknown> = {}): Promise<RunDetail> {
  return server.getRun((await server.createRun({ run_passed: false, steps, ...change })).id)
}

async function refusal(change: Record<string, unknown>, path = '/v1/runs') {
  const response = await server.send('POST', path, { ...minimalRun(server.procedureId), ...change })
  const { issues } = (await response.json()) as { issues: { path: unknown[]; message: string }[] }
  return [response.status, issues[0]?.path, issues[0]?.message]
}

describe('the facts of a test in its step', () => {
  it('is given back as it was sent', async () => {
    const error = { ...ERROR, fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown }
    const { phases } = await createSteps([{ ...STEP, ...FACTS, errors: [ERROR, { message: 'second' }] }])
    expect(phases).toMatchObject([
      { ...FACTS, retry_count: 0, error, errors: [error, { message: 'second' }] },
    ])
  })

  it('is in no answer when it was not sent, and null is as not sent', async () => {
    const none = {
      location: null,
      error: null,
      errors: null,
      attempts: null,
      tags: null,
      annotations: null,
      worker: null,
      snippet: null,
      kind: null,
      parent: null,
    }
    const { id } = await server.createRun({ steps: [STEP, { ...STEP, ...none, owner: null }], skipped: null })
    const run = (await (await server.send('GET', `/v2/runs/${id}`)).json()) as RunDetail
    const keys = [
      'id',
      'name',
      'outcome',
      'started_at',
      'ended_at',
      'duration',
      'retry_count',
      'measurements',
    ]
    expect(run.phases.map((phase) => Object.keys(phase))).toEqual([
      [...keys, 'docstring'],
      [...keys, 'docstring'],
    ])
    expect(run).not.toHaveProperty('skipped')
  })

  it('has annotations beside tags, and the worker of each attempt', async () => {
    const issue = (description: string) => ({ type: 'issue', description })
    const { phases } = await createSteps([
      {
        ...STEP,
        tags: ['slow'],
        annotations: [issue('#1'), issue('#2'), { type: 'slow', description: 'CI' }],
      },
      {
        ...STEP,
        name: 'again',
        attempts: [
          { ...ATTEMPT, worker: 0 },
          { ...ATTEMPT, worker: 4 },
        ],
      },
      { ...STEP, name: 'step', kind: 'step', parent: 1, snippet: '\u001B[31m> 9 |\u001B[39m pay()' },
    ])
    expect(phases).toMatchObject([
      {
        tags: ['slow'],
        annotations: [issue('#1'), issue('#2'), { type: 'slow', description: 'CI' }],
      },
      { worker: 4, attempts: [{ worker: 0 }, { worker: 4 }] },
      { snippet: '> 9 | pay()' },
    ])
    expect(phases[0]).not.toHaveProperty('worker')
  })

  it('cuts the code of a step in its middle', async () => {
    const [phase] = (await createSteps([{ ...STEP, kind: 'step', snippet: 'x'.repeat(5000) }])).phases
    expect(Buffer.byteLength(phase?.snippet ?? '')).toBeLessThanOrEqual(ERROR_BYTES.snippet)
    expect(phase?.snippet).toContain(CUT_MARK)
  })

  it('has every attempt with its own errors, and the errors of the last one', async () => {
    const failed = (message: string) => ({ ...ATTEMPT, errors: [{ message }] })
    const { phases } = await createSteps([
      { ...STEP, attempts: [failed('first'), failed('second')] },
      {
        ...STEP,
        name: 'flaky',
        step_passed: true,
        attempts: [failed('once'), { ...ATTEMPT, outcome: 'PASS' }],
      },
      { ...STEP, name: 'alone', error: { message: 'alone' } },
    ])
    expect(phases).toMatchObject([
      {
        retry_count: 1,
        error: { message: 'second' },
        attempts: [failed('first'), failed('second')],
      },
      { retry_count: 1, attempts: [failed('once'), { ...ATTEMPT, outcome: 'PASS' }] },
      { retry_count: 0, error: { message: 'alone' }, errors: [{ message: 'alone' }] },
    ])
    expect(phases[1]).not.toHaveProperty('error')
    expect(phases[2]).not.toHaveProperty('attempts')
  })

  it('takes an error once that is sent as error and as the first of errors', async () => {
    const { phases } = await createSteps([
      { ...STEP, error: ERROR, errors: [ERROR, { message: 'second' }] },
      { ...STEP, name: 'other', error: { message: 'other' }, errors: [ERROR] },
    ])
    const messages = phases.map(({ errors }) => errors?.map(({ message }) => message))
    expect(messages).toEqual([
      [ERROR.message, 'second'],
      ['other', ERROR.message],
    ])
  })

  it('has all errors of the last attempt, with all their parts, wherever they were sent', async () => {
    const messages = ['first', 'second', 'third'].map((message) => ({ message }))
    const [first] = messages
    const { message, ...parts } = ERROR
    const attempts = [ATTEMPT, { ...ATTEMPT, errors: messages, more_errors: 1 }]
    const { phases } = await createSteps([
      { ...STEP, error: first, attempts },
      { ...STEP, errors: [first], more_errors: 1, attempts },
      { ...STEP, error: { ...ERROR, diff: null }, errors: [{ message, diff: ERROR.diff }, ...messages] },
    ])
    const [own, one, merged] = phases
    for (const phase of [own, one]) expect(phase).toMatchObject({ errors: messages, more_errors: 1 })
    expect(merged).toMatchObject({
      error: { message, ...parts },
      errors: [{ message, ...parts }, ...messages],
    })
    expect(merged).not.toHaveProperty('more_errors')
  })

  it('has as many retries as were sent, or more where more attempts were', async () => {
    const phase = { name: 'p', outcome: 'PASS', start_time_millis: 0, end_time_millis: 1 }
    const attempts = [ATTEMPT, ATTEMPT]
    const { phases } = await createSteps([], {
      phases: [
        { ...phase, retry_count: 5, attempts },
        { ...phase, retry_count: 1, attempts: [...attempts, ATTEMPT] },
      ],
    })
    expect(phases).toMatchObject([{ retry_count: 5, more_attempts: 4 }, { retry_count: 2 }])
  })

  it('with all its attempts hides no other test of its name from the lists', async () => {
    const name = 'twice in one file'
    await createSteps([
      { ...STEP, name, step_passed: true, measurement_value: 1, attempts: [ATTEMPT, ATTEMPT] },
      { ...STEP, name, measurement_value: 2 },
    ])
    const procedures = (await (await server.send('GET', '/v2/procedures')).json()) as {
      data: { id: string }[]
    }
    const list = async (path: string) => {
      const query = `procedure_id=${procedures.data[0]?.id}&names=${encodeURIComponent(name)}`
      return (await (await server.send('GET', `${path}?${query}`)).json()) as { data: object[] }
    }
    expect((await list('/v2/phases')).data).toHaveLength(2)
    expect((await list('/v2/measurements')).data).toHaveLength(2)
  })

  it('keeps 20 errors of an attempt and 50 attempts, and says how many more there were', async () => {
    const errors = Array.from({ length: 25 }, (_, index) => ({ message: `error ${index}` }))
    const attempts = Array.from({ length: 60 }, (_, index) => ({
      ...ATTEMPT,
      duration: `PT${index}S`,
      ...(index === 59 ? { errors, more_errors: 3 } : {}),
    }))
    const [phase] = (await createSteps([{ ...STEP, attempts, more_attempts: 4 }])).phases
    expect(phase?.errors?.map(({ message }) => message)).toEqual(
      errors.slice(0, 20).map((one) => one.message),
    )
    expect(phase).toMatchObject({ more_errors: 8, more_attempts: 14, retry_count: 63 })
    expect(phase?.attempts).toHaveLength(50)
    expect(phase?.attempts?.slice(-2)).toMatchObject([
      { duration: 'PT48S' },
      { duration: 'PT59S', more_errors: 8, errors: expect.any(Array) as unknown },
    ])
  })

  it('is the same in the lists of v1, and of a phase by itself', async () => {
    const serial = { unit_under_test: { serial_number: 'FACTS-1' } }
    const run = await createSteps([{ ...STEP, ...FACTS, error: ERROR, attempts: [ATTEMPT, ATTEMPT] }], serial)
    const list = (await (await server.send('GET', '/v1/runs?serial_number=FACTS-1')).json()) as {
      data: RunDetail[]
    }
    expect(list.data[0]?.phases).toEqual(run.phases)
    const phase: unknown = await (await server.send('GET', `/v2/phases/${run.phases[0]?.id}`)).json()
    expect(phase).toMatchObject(run.phases[0] as object)
  })

  it('counts for phases that v1 sends after the steps too, with parents among them', async () => {
    const phase = { name: 'p', outcome: 'PASS', start_time_millis: 0, end_time_millis: 1 }
    const { phases } = await createSteps([STEP, { ...STEP, parent: 0 }], {
      phases: [
        { ...phase, kind: 'hook' },
        { ...phase, parent: 0, attempts: [ATTEMPT, ATTEMPT] },
      ],
    })
    expect(phases.map(({ parent, kind, retry_count: retries }) => [parent, kind, retries])).toEqual([
      [undefined, undefined, 0],
      [0, undefined, 0],
      [undefined, 'hook', 0],
      [2, undefined, 1],
    ])
  })
})

it('a tag, an owner, a place or a reason that is too long is cut, and the run is not lost for it', async () => {
  const [long, cut] = [`a\0${'x'.repeat(20_000)}`, `a${'x'.repeat(9_999)}`]
  const of = (text: string) => ({ location: { file: text }, tags: [text] })
  const { phases, skipped } = await createSteps([{ ...STEP, ...of(long), owner: long }], {
    skipped: [{ name: 'later', reason: long, ...of(long) }],
  })
  expect(phases).toMatchObject([{ ...of(cut), owner: cut }])
  expect(skipped).toMatchObject([{ reason: cut, ...of(cut) }])
})

describe('texts of errors', () => {
  it('are cut in their middle with a mark, never refused', async () => {
    const long = `begin ${'é'.repeat(100_000)} end`
    const names = Object.keys(ERROR_BYTES) as (keyof typeof ERROR_BYTES)[]
    const error = { message: '', ...Object.fromEntries(names.map((name) => [name, long])) }
    const [phase] = (await createSteps([{ ...STEP, error }])).phases
    for (const name of names) {
      const text = phase?.error?.[name] ?? ''
      expect([name, text]).toEqual([name, expect.stringMatching(/^begin é+ \[… cut …\] é+ end$/)])
      const length = Buffer.byteLength(text)
      expect(length).toBeLessThanOrEqual(ERROR_BYTES[name])
      expect(length).toBeGreaterThan(ERROR_BYTES[name] - 10)
    }
  })

  it('are whole up to their limit', async () => {
    const message = 'x'.repeat(ERROR_BYTES.message)
    const { phases } = await createSteps([{ ...STEP, error: { message } }])
    expect(phases[0]?.error?.message).toBe(message)
  })

  it('have no ANSI codes, and nothing that cannot be stored', async () => {
    const message =
      '\u001B[31mexpected\u001B[39m \u001B]8;;https://a.test\u0007link\u001B]8;;\u0007 \u009B1mbold\u001B(B \u0000\uD800 [31m]'
    const { phases } = await createSteps([{ ...STEP, error: { message } }])
    expect(phases[0]?.error?.message).toBe('expected link bold \uFFFD [31m]')
  })

  it('are cut before megabytes of them are cleaned', async () => {
    const message = `begin ${'\u001B[31m!'.repeat(600_000)} end`
    const { phases } = await createSteps([{ ...STEP, error: { message } }])
    expect(phases[0]?.error?.message).toMatch(/^begin !+ \[… cut …\] !+ end$/)
    expect(CUT_MARK).toBe(' [… cut …] ')
  })

  it('have no half of a code where they are cut, and as much of what can be read as there is room for', async () => {
    const step = (before: string) => {
      const message = `${before}${'\u001B[38;5;9m!\u001B[39m'.repeat(12_000)}`
      return { ...STEP, error: { message } }
    }
    const steps = Array.from({ length: 15 }, (_, length) => step('x'.repeat(length)))
    for (const { error } of (await createSteps(steps)).phases) {
      expect(error?.message).toMatch(/^x*!+ \[… cut …\] !+$/)
      expect(Buffer.byteLength(error?.message ?? '')).toBeGreaterThan(ERROR_BYTES.message - 10)
    }
  })
})

const manyErrors = (length: number) => Array.from({ length }, () => ({ message: '' }))

describe('refused is', () => {
  const of = (change: Record<string, unknown>) => refusal({ steps: [{ ...STEP, ...change }, STEP] })

  it.each([
    [{ location: 'a.ts' }, ['steps', 0, 'location'], 'location must be an object; received "a.ts"'],
    [{ location: { line: 1 } }, ['steps', 0, 'location', 'file'], /^file is required/],
    [{ location: { file: 'a', line: 1.5 } }, ['steps', 0, 'location', 'line'], /^line must be/],
    [{ error: 'boom' }, ['steps', 0, 'error'], 'error must be an object; received "boom"'],
    [{ error: {} }, ['steps', 0, 'error', 'message'], /^message is required/],
    [{ errors: [{ message: 'a', diff: 5 }] }, ['steps', 0, 'errors', 0, 'diff'], /^diff must be a string/],
    [{ errors: {} }, ['steps', 0, 'errors'], /^errors must be a list/],
    [{ attempts: [{ outcome: 'FAIL' }] }, ['steps', 0, 'attempts', 0, 'started_at'], /^started at is req/],
    [{ attempts: [{ ...ATTEMPT, outcome: 'odd' }] }, ['steps', 0, 'attempts', 0, 'outcome'], /^outcome must/],
    [{ tags: 'slow' }, ['steps', 0, 'tags'], /^tags must be a list/],
    [{ kind: 'odd' }, ['steps', 0, 'kind'], /^kind must be one of "test", "step"/],
    [{ owner: 5 }, ['steps', 0, 'owner'], /^owner must be a string/],
    [{ parent: -1 }, ['steps', 0, 'parent'], /^parent must be at least 0/],
    [{ parent: 0 }, ['steps', 0, 'parent'], 'parent must be the index of another of the 2 steps; received 0'],
    [{ parent: 2 }, ['steps', 0, 'parent'], 'parent must be the index of another of the 2 steps; received 2'],
  ])('%j', async (change, path, message) => {
    expect(await of(change)).toEqual([
      400,
      path,
      typeof message === 'string' ? message : expect.stringMatching(message),
    ])
  })

  it('a circle of steps that belong to each other', async () => {
    const steps = [
      { ...STEP, parent: 1 },
      { ...STEP, parent: 2 },
      { ...STEP, parent: 1 },
    ]
    const message = 'parent must not lead back to the step itself; received 1'
    expect(await refusal({ steps })).toEqual([400, ['steps', 0, 'parent'], message])
  })

  it('nothing of a long chain of steps', async () => {
    const steps = Array.from({ length: 3000 }, (_, index) => ({
      ...STEP,
      name: `step ${index}`,
      parent: index === 0 ? undefined : index - 1,
    }))
    expect((await createSteps(steps)).phases.at(-1)).toMatchObject({ parent: 2998 })
  })

  const refusedFor = (list: string, received: number) => [
    400,
    [list],
    `${list} must have at most 10000 errors, attempts, tags, annotations, different files and owners, all tests together; received ${received}`,
  ]

  it('more facts than a run may have, wherever they are', async () => {
    const tags = Array.from({ length: 1000 }, (_, index) => `${index}`)
    const steps = (count: number) => Array.from({ length: count }, () => ({ ...STEP, tags }))
    const skipped = [{ name: 'later', tags }]
    expect(await refusal({ steps: steps(11) })).toEqual(refusedFor('steps', 11_000))
    expect(await refusal({ steps: steps(10), skipped })).toEqual(refusedFor('skipped', 11_000))
    const attempts = Array.from({ length: 100 }, () => ({ ...ATTEMPT, errors: manyErrors(100) }))
    expect(await refusal({ steps: [{ ...STEP, attempts }] })).toEqual(refusedFor('steps', 10_100))
  })

  it('more errors of one attempt, or attempts of one step, than could be looked at in one go', async () => {
    const received = `received ${'{"message":""},'.repeat(4).slice(0, 59)}`.replace(' {', ' [{')
    const tooMany = (name: string) => `${name} must be at most 100 entries long; ${received}…`
    const errors = manyErrors(300_000)
    expect(await of({ errors })).toEqual([400, ['steps', 0, 'errors'], tooMany('errors')])
    const path = ['steps', 0, 'attempts', 0, 'errors']
    expect(await of({ attempts: [{ ...ATTEMPT, errors }] })).toEqual([400, path, tooMany('errors')])
    const attempts = Array.from({ length: 101 }, () => ATTEMPT)
    expect((await of({ attempts })).slice(0, 2)).toEqual([400, ['steps', 0, 'attempts']])
  })

  it.each([
    ['an error', () => ({ error: { message: '' } })],
    ['another file', (index: number) => ({ location: { file: `${index}` } })],
    ['another owner', (index: number) => ({ owner: `${index}` })],
  ])('more steps with %s each than a run may have facts', async (_, fact) => {
    const steps = Array.from({ length: 10_001 }, (__, index) => ({ ...STEP, ...fact(index) }))
    expect(await refusal({ steps })).toEqual(refusedFor('steps', 10_001))
  })

  it('nothing of many tests of the same file and owner', async () => {
    const steps = Array.from({ length: 10_001 }, () => ({ ...STEP, location: FACTS.location, owner: 'me' }))
    const { status } = await server.send('POST', '/v1/runs', { ...minimalRun(server.procedureId), steps })
    expect(status).toBe(200)
  })

  it('a skipped test without a name', async () => {
    const [status, path] = await refusal({ skipped: [{ reason: 'later' }] })
    expect([status, path]).toEqual([400, ['skipped', 0, 'name']])
  })
})

describe('tests that did not run', () => {
  const SKIPPED = [
    { name: 'pays', reason: 'no card', location: { file: 'src/pay.test.ts', line: 3 }, tags: ['@slow'] },
    { name: 'ships' },
  ]

  it('stand apart from the steps, and are not listed with them', async () => {
    const procedure = (await (
      await server.send('POST', '/v2/procedures', { name: 'Skipping', identifier: 'SKIPPING' })
    ).json()) as { id: string }
    const created = await server.createRun({
      procedure_id: 'SKIPPING',
      steps: [{ ...STEP, step_passed: true }],
      skipped: SKIPPED,
      started_at: '2026-11-20T08:00:00Z',
    })
    const run = await server.getRun(created.id)
    expect(run).toMatchObject({ outcome: 'PASS', skipped: SKIPPED })
    expect(run.phases.map(({ name }) => name)).toEqual(['adds'])
    for (const order of ['asc', 'desc']) {
      const path = `/v2/phases?procedure_id=${procedure.id}&exclude_retries=false&sort_order=${order}`
      const list = (await (await server.send('GET', path)).json()) as { data: { name: string }[] }
      expect(list.data.map(({ name }) => name)).toEqual(['adds'])
    }
  })

  it('may be all that a run has', async () => {
    const run = await createSteps([], { skipped: SKIPPED, run_passed: true })
    expect(run).toMatchObject({ outcome: 'PASS', phases: [], skipped: SKIPPED })
  })
})

it('a run whose errors are long is answered as one whose errors are short, with all of them', async () => {
  const errorsOf = (index: number) => [
    { message: `error ${index}`, stack: `${index} ${'s'.repeat(20_000)}` },
    { message: 'the same everywhere', diff: 'd'.repeat(9_000) },
  ]
  const of = (count: number) => ({
    steps: Array.from({ length: count }, (_, index) => ({
      ...STEP,
      ...FACTS,
      name: `step ${index}`,
      attempts: [{ ...ATTEMPT, errors: errorsOf(index) }, ATTEMPT],
      errors: index % 2 === 0 ? errorsOf(count + index) : [],
    })),
    skipped: Array.from({ length: count }, (_, index) => ({ name: `later ${index}`, tags: ['@slow'] })),
  })
  const [long, short] = [await createSteps(of(120).steps, of(120)), await createSteps(of(2).steps, of(2))]
  expect(Object.keys(long)).toEqual(Object.keys(short))
  expect(long.phases.slice(0, 2).map((phase) => Object.keys(phase))).toEqual(
    short.phases.map((phase) => Object.keys(phase)),
  )
  expect(long.phases).toMatchObject(
    of(120).steps.map(({ name, errors, attempts: [first] }) => ({
      name,
      ...FACTS,
      ...(errors.length > 0 ? { error: errors[0], errors } : {}),
      attempts: [first, { outcome: 'FAIL' }],
    })),
  )
  expect(long.skipped).toEqual(of(120).skipped)
})

it('both lists have the message of the first failed step, and none of a run that passed on a retry', async () => {
  const serial = (name: string) => ({ unit_under_test: { serial_number: name } })
  const attempts = [{ ...ATTEMPT, errors: [{ message: 'once' }] }, ATTEMPT]
  const flaky = { ...STEP, step_passed: true, attempts }
  const long = 'é'.repeat(3000)
  await createSteps(
    [flaky, { ...STEP, errors: [{ message: 'real' }, ERROR] }, { ...STEP, error: ERROR }],
    serial('F-1'),
  )
  await createSteps([flaky], serial('F-2'))
  await createSteps([{ ...STEP, error: { message: long } }], serial('F-3'))
  for (const path of ['/v2/runs?serial_numbers=', '/v1/runs?serial_number=']) {
    const first = async (number: string) => {
      const list = await (await server.send('GET', `${path}${number}`)).json()
      return (list as { data: { first_error?: string }[] }).data[0]
    }
    expect(await first('F-1')).toMatchObject({ first_error: 'real' })
    expect(await first('F-2')).not.toHaveProperty('first_error')
    expect(await first('F-3')).toMatchObject({ first_error: long.slice(0, 1000) })
  }
})

it('the same run with an Idempotency-Key is the same with its errors, and another with others', async () => {
  const steps = [{ ...STEP, error: ERROR }]
  const headers = { 'idempotency-key': 'with errors' }
  const first = await server.createRun({ steps }, headers)
  expect((await server.createRun({ steps }, headers)).id).toBe(first.id)
  const other = { ...minimalRun(server.procedureId), steps: [{ ...STEP, error: { message: 'other' } }] }
  expect((await server.send('POST', '/v1/runs/create', other, headers)).status).toBe(409)
})

it('the report variables of a run, which may be thousands, are searched once and not for each test', async () => {
  const steps = Array.from({ length: 100 }, () => ({ ...STEP, kind: 'test' }))
  const body = CreateRunRequestSchema.parse({ ...minimalRun('FVT1'), steps })
  const { record } = await mapV1Run(body, 0)
  let searches = 0
  const watched = {
    ...record,
    get metadata() {
      searches += 1
      return record.metadata
    },
  }
  const transaction = { run: () => Promise.resolve() } as unknown as Transaction
  const keys = { nextRecordKey: () => 1, definitionKeys: new Map(), errors: new Map(), errorKeys: new Map() }
  await collectDefinitions(watched)
  await insertPhases(transaction, { runId: 1, ...keys }, watched)
  expect(searches).toBe(2)
})
