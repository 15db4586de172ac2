import type { Page, PhaseListItem } from '@runledger/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../testing/start-test-server'

let server: TestServer

const RUNS = 80
const FIRST_MS = Date.UTC(2026, 10, 20)

beforeAll(async () => {
  server = await startTestServer()
  for (let run = 0; run < RUNS; run += 1) {
    // The first run lasts longer than all others together, the last one began before all of them.
    const seconds = run === 0 ? [10, 4000] : run === RUNS - 1 ? [0, 3000] : [run * 20, run * 20 + 50]
    const steps = seconds.map((second, index) => ({
      name: `${run}.${index}`,
      step_passed: true,
      started_at: new Date(FIRST_MS + second * 1000).toISOString(),
      duration: 'PT1S',
      measurement_value: second,
    }))
    await server.createRun({ steps })
  }
})

afterAll(() => server.stop())

async function listAll(noun: 'phases' | 'measurements', query: string): Promise<string[]> {
  const found: string[] = []
  for (let cursor = ''; ;) {
    const response = await server.send(
      'GET',
      `/v2/${noun}?procedure_id=${server.procedureId}&${query}${cursor}`,
    )
    expect(response.status).toBe(200)
    const page = (await response.json()) as Page<PhaseListItem>
    found.push(...page.data.map(({ started_at: startedAt }) => String(startedAt)))
    if (!page.meta.has_more) return found
    cursor = `&cursor=${page.meta.next_cursor}`
  }
}

it.each(['phases', 'measurements'] as const)(
  'lists %s in the order of time, though runs overlap, and every one of them once',
  async (noun) => {
    const newestFirst = await listAll(noun, 'limit=23')
    expect(newestFirst).toHaveLength(RUNS * 2)
    expect(newestFirst).toEqual(newestFirst.toSorted().toReversed())
    expect(await listAll(noun, 'limit=23&sort_order=asc')).toEqual(newestFirst.toReversed())
  },
)

it('finds what is in few runs among many', async () => {
  expect(await listAll('phases', 'limit=50&names=3.1&names=79.0')).toHaveLength(2)
})
