import { afterEach, beforeEach, expect, it } from 'vitest'
import { createAsk, createResponse, startTestServer, type TestServer } from '../testing/start-test-server'

let server: TestServer
const ask = createAsk(() => server)
const read = createResponse(() => server)

interface List {
  data: { id: string; metadata: Record<string, string> }[]
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

it('ends a list with the run that fills it, and goes on after it', async () => {
  for (let run = 0; run < 5; run += 1) await createWith(900)
  const pages: number[] = []
  const ids = new Set<string>()
  for (let cursor = '', hasMore = true; hasMore;) {
    const { data, meta } = await read<List>('GET', `/v2/runs?include_metadata=true${cursor}`)
    pages.push(data.length)
    for (const { id, metadata } of data) if (metadata.text) ids.add(id)
    hasMore = meta.has_more
    cursor = `&cursor=${meta.next_cursor}`
  }
  expect(pages).toEqual([3, 2])
  expect(ids.size).toBe(5)
  expect((await read<List>('GET', '/v2/runs')).data).toHaveLength(5)
})

it('ends a list of v1 the same way', async () => {
  for (let run = 0; run < 5; run += 1) await createWith(900)
  const { data, message } = await read<{ data: unknown[]; message: string }>('GET', '/v1/runs')
  expect(data).toHaveLength(3)
  expect(message).toMatch(/^3 runs found; 2 more would make the answer too long: get them with cursor=\d+$/)
})

it('ends a list of units the same way', async () => {
  for (let unit = 0; unit < 5; unit += 1)
    await server.createRun({
      unit_under_test: { serial_number: `U-${unit}`, part_number: 'PART-1', revision: 'A' },
      unit_metadata: { text: 'x'.repeat(900) },
    })
  const { data, meta } = await read<List>('GET', '/v2/units?include_metadata=true')
  expect(data).toHaveLength(3)
  expect(meta.has_more).toBe(true)
})
