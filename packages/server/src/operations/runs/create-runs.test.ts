import type { CreateRunResponse, CreateRunsResponse } from '@runledger/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { minimalRun, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

interface Sent {
  idempotency_key?: string
  run: unknown
}

async function sendBatch(runs: Sent[], headers?: Record<string, string>) {
  const response = await server.send('POST', '/v1/runs/batch', { runs }, headers)
  return { status: response.status, body: (await response.json()) as CreateRunsResponse }
}

const runOf = (serialNumber: string, change: Record<string, unknown> = {}) => ({
  ...minimalRun(server.procedureId),
  unit_under_test: { serial_number: serialNumber, part_number: 'PART-1' },
  ...change,
})

async function countRuns(serialNumber: string): Promise<number> {
  const page = await server.send('GET', `/v2/runs?serial_numbers=${serialNumber}`)
  return ((await page.json()) as { data: unknown[] }).data.length
}

const statusOf = ({ created, error }: CreateRunsResponse['runs'][number]) =>
  created ? 200 : error?.status_code

it('creates every run as if it had been sent by itself, in the order sent', async () => {
  const steps = [{ name: 'a', step_passed: true, started_at: '2026-11-20T09:00:00Z', duration: 'PT1S' }]
  const inline = [{ name: 'a.log', content_type: 'text/plain', text: 'said' }]
  const runs = Array.from({ length: 50 }, (_, index) => ({
    run: runOf(`BATCH-${index}`, { steps, inline_attachments: inline, report_variables: { group: 'g' } }),
  }))
  const { status, body } = await sendBatch(runs)
  expect(status).toBe(200)
  expect(body.runs).toHaveLength(50)
  for (const index of [0, 17, 49]) {
    const {
      id,
      url,
      inline_attachments: taken,
    } = (body.runs[index] as { created: CreateRunResponse }).created
    expect(url).toBe(`${server.url}/runs/${id}`)
    expect(taken).toEqual([{ name: 'a.log', id: expect.any(String) }])
    const found = await server.getRun(id)
    expect(found.unit.serial_number).toBe(`BATCH-${index}`)
    expect(found.phases.map(({ name }) => name)).toEqual(['a'])
    expect(found.attachments.map(({ name }) => name)).toEqual(['a.log'])
  }
})

it('a run that is refused keeps no other back, and says what it would say by itself', async () => {
  const wrong = { ...runOf('BATCH-wrong'), run_passed: 'yes' }
  const lost = runOf('BATCH-lost', { procedure_id: 'NONE' })
  const alone = await server.send('POST', '/v1/runs/create', wrong)
  const { status, body } = await sendBatch([
    { run: runOf('BATCH-a') },
    { run: wrong },
    { run: 7 },
    { run: lost },
    { run: runOf('BATCH-b') },
  ])
  expect(status).toBe(200)
  expect(body.runs.map(statusOf)).toEqual([200, 400, 400, 404, 200])
  expect(body.runs[1]?.error).toEqual(await alone.json())
  expect(await Promise.all(['BATCH-a', 'BATCH-wrong', 'BATCH-b'].map(countRuns))).toEqual([1, 0, 1])
})

it('heeds the key of each run', async () => {
  const runs = ['k1', 'k2'].map((key) => ({ idempotency_key: key, run: runOf(`BATCH-${key}`) }))
  const first = await sendBatch(runs)
  const again = await sendBatch([...runs, { idempotency_key: 'k1', run: runOf('BATCH-other') }])
  expect(again.body.runs.slice(0, 2)).toEqual(first.body.runs)
  expect(again.body.runs.map(statusOf)).toEqual([200, 200, 409])
  const alone = await server.send('POST', '/v1/runs/create', runs[0]?.run, { 'idempotency-key': 'k1' })
  expect(await alone.json()).toEqual(JSON.parse(JSON.stringify(first.body.runs[0]?.created)))
  expect(await countRuns('BATCH-k1')).toBe(1)
})

it('two runs with one key in one request are one run', async () => {
  const run = { idempotency_key: 'twice', run: runOf('BATCH-twice') }
  const { body } = await sendBatch([run, run])
  expect(body.runs[0]).toEqual(body.runs[1])
  expect(await countRuns('BATCH-twice')).toBe(1)
})

it.each([
  ['none', { runs: [] }],
  ['more than fifty', { runs: Array.from({ length: 51 }, () => ({ run: {} })) }],
  ['no list', { runs: 'all' }],
  ['an empty key', { runs: [{ idempotency_key: '', run: {} }] }],
])('refuses the whole request with %s', async (_, body) => {
  expect((await server.send('POST', '/v1/runs/batch', body)).status).toBe(400)
})
