import { BatchDetailSchema, BatchPageSchema } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAsk, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer
const ask = createAsk(() => server)

beforeAll(async () => {
  server = await startTestServer()
  await ask('POST', '/v2/parts', { number: 'LAMP' })
  await ask('POST', '/v2/parts', { number: 'FAN', revision_number: 'B' })
  for (const number of ['2026-b', '2026-A', 'other']) await ask('POST', '/v2/batches', { number })
  await createUnit('S-2', 'LAMP', '2026-b')
  await createUnit('S-1', 'LAMP', '2026-B')
  await createUnit('S-3', 'FAN', '2026-a')
})

afterAll(() => server.stop())

async function createUnit(serialNumber: string, part: string, batch: string): Promise<void> {
  const revision = part === 'FAN' ? 'B' : 'A'
  const unit = { serial_number: serialNumber, part_number: part, revision_number: revision }
  await ask('POST', '/v2/units', unit)
  await ask('PATCH', `/v2/units/${serialNumber}`, { batch_number: batch })
}

async function list(query: string) {
  return BatchPageSchema.parse((await ask('GET', `/v2/batches?${query}`)).body)
}

async function numbers(query: string): Promise<string[]> {
  return (await list(query)).data.map(({ number }) => number)
}

describe('batches', () => {
  it('are listed in every order, page by page, with how many units each has', async () => {
    expect((await list('')).data.map(({ number, unit_count }) => [number, unit_count])).toEqual([
      ['other', 0],
      ['2026-A', 1],
      ['2026-b', 2],
    ])
    for (const query of ['sort_by=number', 'sort_by=number&sort_order=asc', 'sort_order=asc', '']) {
      const paged: string[] = []
      for (let cursor = ''; ;) {
        const page = await list(`${query}&limit=1${cursor}`)
        paged.push(...page.data.map(({ number }) => number))
        if (!page.meta.has_more) break
        cursor = `&cursor=${page.meta.next_cursor}`
      }
      expect(paged, query).toEqual(await numbers(query))
    }
    expect(await numbers('sort_by=number&sort_order=asc')).toEqual(['2026-A', '2026-b', 'other'])
  })

  it('are filtered by every field', async () => {
    const [{ id = '' } = {}] = (await list('numbers=OTHER')).data
    const expected = {
      [`ids=${id.toUpperCase()}`]: ['other'],
      'numbers=2026-a&numbers=2026-B': ['2026-A', '2026-b'],
      'search_query=2026': ['2026-A', '2026-b'],
      'part_numbers=lamp': ['2026-b'],
      'part_numbers=lamp&part_numbers=fan': ['2026-A', '2026-b'],
      'revision_numbers=b': ['2026-A'],
      'part_numbers=lamp&revision_numbers=b': [],
      'created_before=2020-01-01T00:00:00Z': [],
      'created_after=2020-01-01T00:00:00Z&created_before=&ids=': ['other', '2026-A', '2026-b'],
    }
    for (const [query, found] of Object.entries(expected)) expect(await numbers(query), query).toEqual(found)
  })

  it('have numbers of their own, whatever the case', async () => {
    expect((await ask('POST', '/v2/batches', { number: 'OTHER' })).status).toBe(409)
    expect((await ask('PATCH', '/v2/batches/other', { new_number: '2026-a' })).status).toBe(409)
    expect((await ask('PATCH', '/v2/batches/OTHER', { new_number: 'Other' })).status).toBe(200)
    expect(await numbers('numbers=other')).toEqual(['Other'])
    expect((await ask('PATCH', '/v2/batches/none', { new_number: 'x' })).status).toBe(404)
  })

  it('show their units', async () => {
    const batch = BatchDetailSchema.parse((await ask('GET', '/v2/batches/2026-B')).body)
    expect(batch.units).toMatchObject([
      { serial_number: 'S-1', part: { number: 'LAMP', revision: { number: 'A' } } },
      { serial_number: 'S-2' },
    ])
  })

  it('leave units and runs behind when they are deleted', async () => {
    await ask('POST', '/v2/batches', { number: 'gone' })
    await createUnit('S-4', 'LAMP', 'gone')
    const { id: runId } = await server.createRun({ unit_under_test: { serial_number: 'S-4' } })
    const { body } = await ask<{ id: string }>('GET', '/v2/batches/GONE')
    expect(await ask('DELETE', '/v2/batches/GONE')).toEqual({ status: 200, body: { id: [body.id] } })
    expect(await ask('GET', '/v2/units/S-4')).toMatchObject({ status: 200, body: { batch: null } })
    expect((await ask('GET', `/v2/runs/${runId}`)).status).toBe(200)
    expect((await ask('DELETE', '/v2/batches/GONE')).status).toBe(404)
  })
})
