import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  createAsk,
  createResponse,
  startTestServer,
  type TestServer,
} from '../../../testing/start-test-server'

let server: TestServer
const ask = createAsk(() => server)
const read = createResponse(() => server)

interface List {
  data: { id: string; metadata: Record<string, string>; failures?: { message: string }[] }[]
  meta: { has_more: boolean; next_cursor: number | null }
}

beforeEach(async () => {
  server = await startTestServer({}, { config: { maxMetadataBytes: 1_000, maxListBytes: 2_000 } })
})

afterEach(() => server.stop())

const createWith = (bytes: number) => server.createRun({ report_variables: { text: 'é'.repeat(bytes / 2) } })

it('refuses a run with more metadata than the setting, counted in bytes, and names the setting', async () => {
  await createWith(996)
  await expect(createWith(998)).rejects.toThrow(
    'would have 1002 bytes; this service takes 1000 (RUNLEDGER_SERVER_MAX_METADATA_BYTES)',
  )
  const metrics = await (await server.send('GET', '/metrics')).text()
  expect(metrics).toContain('runledger_budget_exceeded_total{budget="metadata"} 1')
})

it('refuses a change that makes it more, and keeps what there was', async () => {
  const { id } = await createWith(900)
  const change = { metadata: { more: 'x'.repeat(200) } }
  expect(await ask('PATCH', `/v2/runs/${id}/metadata`, change)).toMatchObject({ status: 413 })
  expect(Object.keys((await server.getRun(id)).metadata)).toEqual(['text'])
  const smaller = { metadata: { text: null, more: 'x'.repeat(200) } }
  expect(await ask('PATCH', `/v2/runs/${id}/metadata`, smaller)).toMatchObject({ status: 200 })
})

async function readPages(address: string): Promise<List['data'][]> {
  const pages: List['data'][] = []
  for (let cursor = '', hasMore = true; hasMore;) {
    const { data, meta } = await read<List>('GET', `${address}${cursor}`)
    pages.push(data)
    hasMore = meta.has_more
    cursor = `&cursor=${meta.next_cursor}`
  }
  return pages
}

it('ends a list before the run that it has no room for, and goes on with it', async () => {
  for (let run = 0; run < 5; run += 1) await createWith(900)
  const pages = await readPages('/v2/runs?include_metadata=true')
  expect(pages.map(({ length }) => length)).toEqual([2, 2, 1])
  const ids = pages.flat().flatMap(({ id, metadata }) => (metadata['text'] ? [id] : []))
  expect(new Set(ids).size).toBe(5)
  expect((await read<List>('GET', '/v2/runs')).data).toHaveLength(5)
})

const AT = '2026-11-20T09:30:00.000Z'

/** A run of v2 with one phase. */
async function createRunOf(phase: object, outcome = 'PASS'): Promise<void> {
  const times = { started_at: AT, ended_at: AT }
  const { status } = await ask('POST', '/v2/runs', {
    procedure_id: server.procedureId,
    serial_number: 'UNIT-1',
    part_number: 'PART-1',
    outcome,
    ...times,
    phases: [{ name: 'phase', outcome, ...times, ...phase }],
  })
  expect(status).toBe(200)
}

const LONG = 'é'.repeat(450)

it('ends a list of measurements before the one whose texts it has no room for', async () => {
  const validators = [{ outcome: 'PASS', expression: LONG }]
  const long = [{ measured_value: LONG }, { measured_value: 1, validators }, { measured_value: LONG }]
  const measurements = [...long, { measured_value: [LONG] }, { measured_value: 2 }].map((one, index) => ({
    name: `measurement ${index}`,
    outcome: 'PASS',
    ...one,
  }))
  await createRunOf({ measurements })
  const order = 'sort_by=measurement_name&sort_order=asc'
  const pages = await readPages(`/v2/measurements?procedure_id=${server.procedureId}&${order}`)
  expect(pages.map(({ length }) => length)).toEqual([2, 3])
  expect(pages.flat()).toMatchObject([
    { string_value: LONG },
    { value: 1, validators: [{ expression: LONG }] },
    { string_value: LONG },
    { measurement_type: 'json', value: null, string_value: null },
    { value: 2 },
  ])
  const metrics = await (await server.send('GET', '/metrics')).text()
  expect(metrics).toContain('runledger_budget_exceeded_total{budget="list"} 1')
})

it('ends a list before the run whose failures it has no room for', async () => {
  for (let run = 0; run < 5; run += 1)
    await createRunOf({ kind: 'test', errors: [{ message: LONG }] }, 'FAIL')
  await createRunOf({ kind: 'test' })
  const pages = await readPages('/v2/runs?include_failures=true')
  expect(pages.map(({ length }) => length)).toEqual([3, 2, 1])
  const ids = pages.flat().map(({ id }) => id)
  expect([new Set(ids).size, ids.length]).toEqual([6, 6])
})

it('cuts what was measured in the failures of a list', async () => {
  const fail = (measured: object) =>
    createRunOf({ measurements: [{ name: 'log', outcome: 'FAIL', ...measured }] }, 'FAIL')
  await fail({ measured_value: LONG.repeat(9) })
  await fail({ measured_value: [1, 2], lower_limit: 3 })
  await fail({ y_axis: [{ data: Array.from({ length: 5_000 }, (_, index) => index) }] })
  const pages = await readPages('/v2/runs?include_failures=true')
  const messages = pages.flat().map(({ failures }) => failures?.[0]?.message ?? '')
  expect(messages.toSorted()).toEqual(
    [
      'log values too long for a list',
      'log [1,2], limit ≥ 3',
      `log ${LONG.repeat(9)}`.slice(0, 1_000),
    ].toSorted(),
  )
})

it('ends a list of v1 the same way', async () => {
  for (let run = 0; run < 5; run += 1) await createWith(900)
  const { data, message } = await read<{ data: unknown[]; message: string }>('GET', '/v1/runs')
  expect(data).toHaveLength(2)
  expect(message).toMatch(/^2 runs found; 3 more would make the answer too long: get them with cursor=\d+$/)
})

it('ends a list of units the same way', async () => {
  for (let unit = 0; unit < 5; unit += 1)
    await server.createRun({
      unit_under_test: { serial_number: `U-${unit}`, part_number: 'PART-1', revision: 'A' },
      unit_metadata: { text: 'x'.repeat(900) },
    })
  const { data, meta } = await read<List>('GET', '/v2/units?include_metadata=true')
  expect(data).toHaveLength(2)
  expect(meta.has_more).toBe(true)
})
