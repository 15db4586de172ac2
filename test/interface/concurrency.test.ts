import { afterAll, beforeAll, expect, it } from 'vitest'
import { openRowCounter, type RowCounter } from './count-rows'
import { createWorld, type World } from './world'

const CLIENTS = 50

let world: World
let rows: RowCounter

beforeAll(async () => {
  world = await createWorld()
  rows = await openRowCounter(world.server)
})

afterAll(async () => {
  await rows.close()
  await world.stop()
})

/** One number as different clients write it: matched without regard to case and to blanks around it. */
function spell(number: string, index: number): string {
  const spellings = [number, number.toLowerCase(), ` ${number}`, `${number.toLowerCase()}\t`, `\n${number}  `]
  return spellings[index % spellings.length] ?? number
}

interface Numbers {
  serialNumber: string
  partNumber: string
  revision: string
}

/** The same run as clients of each path write it. */
const PATHS: readonly [string, (numbers: Numbers) => object][] = [
  [
    '/v1/runs/create',
    (numbers) => ({
      ...createV1Body(numbers),
      duration: 'PT1S',
      steps: [createStep('step'), createStep('step')],
    }),
  ],
  ['/v1/runs', createV1Body],
  [
    '/v2/runs',
    ({ serialNumber, partNumber, revision }) => ({
      procedure_id: world.procedureId,
      serial_number: serialNumber,
      part_number: partNumber,
      revision_number: revision,
      batch_number: 'Batch-U',
      outcome: 'PASS',
      started_at: '2026-11-20T09:30:00.000Z',
      ended_at: '2026-11-20T09:30:01.000Z',
    }),
  ],
]

function createV1Body({ serialNumber, partNumber, revision }: Numbers): object {
  return {
    procedure_id: world.procedureId,
    unit_under_test: { serial_number: serialNumber, part_number: partNumber, revision },
    run_passed: true,
    report_variables: { group: 'at-once' },
  }
}

function createStep(name: string): object {
  return {
    name,
    step_passed: true,
    started_at: '2026-11-20T09:30:00Z',
    duration: 'PT0S',
    measurement_value: 1,
  }
}

interface Client {
  index: number
  path: string
  body: object
}

function createClients(suffix: string): Client[] {
  return Array.from({ length: CLIENTS }, (_, index) => {
    const [path, createBody] = PATHS[index % PATHS.length] as (typeof PATHS)[number]
    const body = createBody({
      serialNumber: spell(`SN-Ä-${suffix}`, index),
      partNumber: spell(`PN-${suffix}`, index + 1),
      revision: spell('REV-B', index + 2),
    })
    return { index, path: (index % 2 === 0 ? '' : '/api') + path, body }
  })
}

async function create({ path, body, index }: Client, headers: Record<string, string> = {}) {
  const key = world.keys[index % 2 === 0 ? 'user' : 'station']
  const response = await fetch(world.server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as { id: string; code?: string; message?: string }
  return { status: response.status, ...answer }
}

async function countNew(work: () => Promise<void>): Promise<Record<string, number>> {
  const before = await rows.count()
  await work()
  const after = await rows.count()
  return Object.fromEntries(
    Object.entries(after).map(([table, count]) => [table, count - (before[table] ?? 0)]),
  )
}

it(`${CLIENTS} clients at once leave one unit, one component, one revision, one batch, and every run`, async () => {
  let ids: string[] = []
  const added = await countNew(async () => {
    const answers = await Promise.all(createClients('1').map((client) => create(client)))
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    ids = answers.map(({ id }) => id)
  })
  expect(new Set(ids).size).toBe(CLIENTS)
  expect(added).toMatchObject({ units: 1, parts: 1, revisions: 1, batches: 1, runs: CLIENTS })
  const runs = await Promise.all(ids.map((id) => world.server.getRun(id)))
  const units = new Set(runs.map(({ unit }) => [unit.id, unit.part.id, unit.part.revision.id].join(' ')))
  expect(units.size).toBe(1)
  expect(runs.map(({ unit }) => unit.serial_number.trim().toLowerCase())).toEqual(
    Array(CLIENTS).fill('sn-ä-1'),
  )
})

it('clients that send one Idempotency-Key at once create one run, and all hear of it', async () => {
  const [client] = createClients('2') as [Client]
  const added = await countNew(async () => {
    const answers = await Promise.all(
      Array.from({ length: CLIENTS }, () => create(client, { 'idempotency-key': 'at-once' })),
    )
    expect(new Set(answers.map(({ status, id }) => `${status} ${id}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
  })
  expect(added).toMatchObject({ units: 1, runs: 1, idempotency_keys: 1 })
})

it('clients that create one part at once make one of it; the others hear that it exists', async () => {
  const added = await countNew(async () => {
    const answers = await Promise.all(
      Array.from({ length: CLIENTS }, (_, index) =>
        create({ index, path: '/v2/parts', body: { number: spell('PN-ONCE', index), name: 'Once' } }),
      ),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(CLIENTS - 1)
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 409, code: 'CONFLICT' })
      expect(answer.message).toContain('already exists')
    }
  })
  expect(added).toMatchObject({ parts: 1, revisions: 1 })
})
