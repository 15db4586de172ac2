import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from './world'

/** What a client says of a test is what every path gives back, under the same names. */

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.stop())

const at = '2026-11-20T09:30:00.000Z'
const ERROR = {
  message: 'expected 3 to be 4',
  stack: 'Error: expected 3 to be 4\n    at src/cart.test.ts:10:5',
  location: { file: 'src/cart.test.ts', line: 10, column: 5 },
  expected: '4',
  actual: '3',
  diff: '- 4\n+ 3',
  snippet: '> 10 | expect(sum).toBe(4)',
}
const ATTEMPTS = [
  {
    outcome: 'ERROR' as const,
    started_at: at,
    duration: 'PT2S',
    worker: 0,
    errors: [{ message: 'connection lost' }],
  },
  {
    outcome: 'FAIL' as const,
    started_at: at,
    duration: 'PT1S',
    worker: 3,
    errors: [ERROR, { message: 'and another' }],
  },
]
const FACTS = {
  location: { file: 'src/cart.test.ts', line: 8, column: 1 },
  error: ERROR,
  errors: [ERROR, { message: 'and another' }],
  attempts: ATTEMPTS,
  tags: ['@smoke', '@cart', 'issue'],
  annotations: [
    { type: 'issue', description: 'https://git.example.com/acme/cart/issues/7' },
    { type: 'issue', description: 'https://git.example.com/acme/cart/issues/8' },
  ],
  worker: 3,
  kind: 'test' as const,
  owner: '@cart-team',
}
const CHILD = { kind: 'step' as const, parent: 0, snippet: '> 9 | await page.click("#pay")' }
const SKIPPED = [
  { name: 'pays', reason: 'no card', location: { file: 'src/pay.test.ts', line: 3 }, tags: ['@slow'] },
  { name: 'ships' },
]
const VARIABLES = {
  file: 'src/cart.test.ts',
  git_branch: 'feature/x',
  git_merge_base: '3f2a9c1e',
  git_default_branch: 'main',
  repository: 'https://git.example.com/acme/cart',
  file_in_repository: 'packages/cart/src/cart.test.ts',
  shard_index: '2',
  shard_total: '4',
  ci_rerun: '1',
}

const PATHS = ['createV1Run', 'createLenientV1Run', 'createRun'] as const

async function createWith(
  path: (typeof PATHS)[number],
  { facts, child, skipped }: Record<'facts' | 'child' | 'skipped', unknown>,
): Promise<string> {
  const serialNumber = world.unique('FACTS')
  const more = { procedure_id: world.procedureId, skipped }
  if (path === 'createRun') {
    const phase = { name: 'adds', outcome: 'FAIL', started_at: at, ended_at: '2026-11-20T09:30:01Z' }
    const phases = [
      { ...phase, ...(facts as object) },
      { ...phase, name: 'part', ...(child as object) },
    ]
    const body = {
      ...more,
      outcome: 'FAIL',
      started_at: at,
      ended_at: at,
      serial_number: serialNumber,
      part_number: 'PN-1',
    }
    return (await world.client.createRun({ body: { ...body, phases, metadata: VARIABLES } as never })).id
  }
  const step = { name: 'adds', step_passed: false, started_at: at, duration: 'PT1S' }
  const steps = [
    { ...step, ...(facts as object) },
    { ...step, name: 'part', ...(child as object) },
  ]
  const unit = { serial_number: serialNumber, part_number: 'PN-1', revision: 'A' }
  const body = {
    ...more,
    unit_under_test: unit,
    run_passed: false,
    duration: 'PT1S',
    report_variables: VARIABLES,
    steps,
  }
  return (await world.client[path]({ body: body as never })).id ?? ''
}

describe.each(PATHS)('%s', (path) => {
  it('keeps what is said of tests, and the report variables that later questions need', async () => {
    const id = await createWith(path, { facts: FACTS, child: CHILD, skipped: SKIPPED })
    const run = await world.client.getRun({ params: { id } })
    expect(run.phases).toMatchObject([
      { name: 'adds', outcome: 'FAIL', retry_count: 1, ...FACTS },
      { name: 'part', retry_count: 0, ...CHILD },
    ])
    expect(run.phases).toHaveLength(2)
    expect(run.skipped).toEqual(SKIPPED)
    expect(run.metadata).toEqual(VARIABLES)
    const [first] = (await world.client.listV1Runs({ query: { serial_number: run.unit.serial_number } })).data
    expect(first).toMatchObject({ phases: run.phases, skipped: SKIPPED })
    const filter = { serial_numbers: [run.unit.serial_number], metadata: { shard_index: { in: ['2'] } } }
    const [listed] = (await world.client.listRuns({ query: filter })).data
    expect(listed).toMatchObject({ id, first_error: ERROR.message })
  })

  it('gives a run that says nothing of its tests back without a trace of it', async () => {
    const id = await createWith(path, { facts: {}, child: {}, skipped: undefined })
    const response = await fetch(`${world.server.url}/v2/runs/${id}`, {
      headers: { authorization: `Bearer ${world.keys.user}` },
    })
    const text = await response.text()
    for (const name of [
      ...Object.keys(FACTS),
      'parent',
      'skipped',
      'first_error',
      'more_errors',
      'more_attempts',
    ])
      expect([name, text.includes(`"${name}":`)]).toEqual([name, false])
  })

  it('refuses a wrong type with the name of the field', async () => {
    const creating = createWith(path, { facts: { errors: [{ message: 5 }] }, child: CHILD, skipped: SKIPPED })
    await expect(creating).rejects.toThrow(/message must be a string; received 5/)
  })
})

it('a list of runs has why each failed where that is asked for', async () => {
  const id = await createWith('createRun', { facts: FACTS, child: CHILD, skipped: SKIPPED })
  const [run] = (await world.client.listRuns({ query: { ids: [id], include_failures: true } })).data
  const failure = { step: 0, name: 'adds', location: FACTS.location, message: ERROR.message }
  expect(run?.failures).toEqual([failure])
  const measurement = { name: 'output', outcome: 'FAIL', measured_value: 3.52, units: 'V', upper_limit: 3.4 }
  const bench = await createWith('createRun', {
    facts: { name: 'supply › output', measurements: [measurement] },
    child: {},
    skipped: [],
  })
  const [measured] = (await world.client.listRuns({ query: { ids: [bench], include_failures: true } })).data
  expect(measured?.failures?.[0]).toEqual({
    step: 0,
    name: 'supply › output',
    message: '3.52 V, limit ≤ 3.4 V',
  })
  const [plain] = (await world.client.listRuns({ query: { ids: [id] } })).data
  expect(plain).not.toHaveProperty('failures')
})

it('a failed step within a step that a passed test forgave explains nothing, however many there are', async () => {
  const times = { started_at: '2026-11-20T09:00:00Z', duration: 'PT1S' }
  const forgiven = Array.from({ length: 300 }, (_, index) => [
    { name: `waits › try ${index}`, kind: 'step' as const, parent: 0 },
    { name: `waits › try ${index} › inner`, kind: 'step' as const, parent: index * 2 + 1 },
  ]).flat()
  const steps = [
    { name: 'waits', step_passed: true, ...times },
    ...forgiven.map((step) => ({ ...step, step_passed: false, ...times })),
    {
      name: 'adds',
      step_passed: false,
      kind: 'test' as const,
      error: { message: 'the real reason' },
      ...times,
    },
  ]
  const { id = '' } = await world.client.createV1Run({
    body: {
      procedure_id: world.procedureId,
      unit_under_test: { serial_number: world.unique('SN'), part_number: 'PCB' },
      run_passed: false,
      duration: 'PT1S',
      steps,
    },
  })
  const [run] = (await world.client.listRuns({ query: { ids: [id], include_failures: true } })).data
  expect(run?.failures?.map(({ name, message }) => [name, message])).toEqual([['adds', 'the real reason']])
})

it('errors are listed, and lead from the list to the runs that had them', async () => {
  const message = `${world.unique('the cart')} is on fire`
  const facts = { error: { message }, location: { file: 'src/fire.test.ts' } }
  const ids = [await createWith('createRun', { facts, child: {}, skipped: [] })]
  ids.push(await createWith('createV1Run', { facts, child: {}, skipped: [] }))
  const { data } = await world.client.listErrors({
    query: { search_query: message.slice(4, -3).toUpperCase() },
  })
  expect(data).toMatchObject([
    {
      message,
      count: 2,
      tests_count: 1,
      tests: [{ procedure: { id: world.procedureId }, file: 'src/fire.test.ts', name: 'adds', count: 2 }],
      first_run: { id: ids[0] },
      last_run: { id: ids[1] },
      branches: ['feature/x'],
    },
  ])
  const runs = await world.client.listRuns({ query: { error_fingerprints: [data[0]?.fingerprint ?? ''] } })
  expect(runs.data.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
})

it('errors are as visible to stations as their runs, and need a key', async () => {
  const message = world.unique('seen by stations')
  await createWith('createRun', { facts: { error: { message } }, child: {}, skipped: [] })
  const get = async (path: string, key: string | undefined) => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const response = await fetch(`${world.server.url}${path}`, { headers })
    return [response.status, await response.json()] as const
  }
  const list = `/v2/errors?search_query=${encodeURIComponent(message)}`
  const [status, page] = await get(list, world.keys.user)
  const { data } = page as { data: { fingerprint: string; message: string }[] }
  expect([status, data.map((error) => error.message)]).toEqual([200, [message]])
  for (const path of [list, `/v2/errors/${data[0]?.fingerprint}`]) {
    const seen = await get(path, world.keys.user)
    expect(seen[0]).toBe(200)
    for (const station of ['station', 'other-station'] as const)
      expect([station, await get(path, world.keys[station])]).toEqual([station, seen])
    for (const key of [undefined, 'rl_station_wrong']) expect((await get(path, key))[0]).toBe(401)
  }
})
