import type { Page } from '@runledger/protocol'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/start-test-server'

interface Item {
  id: string
  serial_number?: string
}

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

async function read(address: string, from = server): Promise<Page<Item>> {
  const response = await from.send('GET', address)
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  return (await response.json()) as Page<Item>
}

async function createRuns(count: number, serialNumber: string, at = server): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const response = await at.send('POST', '/v2/runs', {
      procedure_id: at.procedureId,
      outcome: 'PASS',
      started_at: '2026-11-20T09:30:00Z',
      ended_at: '2026-11-20T09:31:00Z',
      serial_number: `${serialNumber}-${index}`,
      part_number: 'PAGE',
      phases: [
        {
          name: 'one',
          outcome: 'PASS',
          started_at: '2026-11-20T09:30:00Z',
          ended_at: '2026-11-20T09:30:01Z',
        },
      ],
    })
    expect(response.status).toBe(200)
  }
}

it.each(['started_at', 'created_at', 'serial_number', 'duration'])(
  'a client that deletes each page before it asks for the next gets every run, sorted by %s',
  async (sortBy) => {
    await createRuns(7, sortBy)
    const expected = (await read('/v2/runs?limit=100')).data.length
    const seen = new Set<string>()
    for (let cursor: number | null = 0; cursor !== null;) {
      const page: Page<Item> = await read(`/v2/runs?limit=2&sort_by=${sortBy}&cursor=${cursor}`)
      for (const { id } of page.data) seen.add(id)
      const deleted = page.data.map(({ id }) => `ids=${id}`).join('&')
      expect((await server.send('DELETE', `/v2/runs?${deleted}`)).status).toBe(200)
      cursor = page.meta.next_cursor
    }
    expect(seen.size).toBe(expected)
    expect((await read('/v2/runs')).data).toEqual([])
  },
)

it('goes on in the lists of units and phases after what it ended with was deleted', async () => {
  await createRuns(5, 'gone')
  const units = await read('/v2/units?limit=2&sort_by=serial_number&search_query=gone-')
  const phases = await read(`/v2/phases?limit=2&procedure_id=${server.procedureId}`)
  const numbers = units.data.map((unit) => `serial_numbers=${unit.serial_number}`).join('&')
  expect((await server.send('DELETE', `/v2/units?${numbers}`)).status).toBe(200)
  const next = `limit=2&cursor=${units.meta.next_cursor}`
  expect((await read(`/v2/units?sort_by=serial_number&search_query=gone-&${next}`)).data).toHaveLength(2)
  const cursor = phases.meta.next_cursor
  expect((await read(`/v2/phases?cursor=${cursor}&procedure_id=${server.procedureId}`)).data).toHaveLength(3)
})

it('goes on after a unit that moved in the order', async () => {
  await createRuns(4, 'moved')
  const address = '/v2/units?limit=2&sort_by=serial_number&sort_order=asc&search_query=moved-'
  const first = await read(address)
  await server.send('PATCH', '/v2/units/moved-1', { new_serial_number: 'zz-moved-1' })
  const second = await read(`${address}&cursor=${first.meta.next_cursor}`)
  expect(second.data.map((unit) => unit.serial_number)).toEqual(['moved-2', 'moved-3'])
})

it('refuses a cursor that nobody knows, rather than end the list', async () => {
  const response = await server.send('GET', '/v2/runs?cursor=99999999999999')
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: 'BAD_REQUEST', issues: [{ path: ['cursor'] }] })
  expect((await read('/v2/runs?cursor=5')).data).toEqual([])
})

it('goes on after a restart', async () => {
  const data = await mkdtemp(join(tmpdir(), 'runledger-page-'))
  const before = await startTestServer({ data })
  await createRuns(3, 'restart', before)
  const first = await read('/v2/runs?limit=1', before)
  await before.stop()
  const after = await startTestServer({ data })
  expect((await read(`/v2/runs?cursor=${first.meta.next_cursor}`, after)).data).toHaveLength(2)
  await after.stop()
  await rm(data, { recursive: true, force: true })
})
