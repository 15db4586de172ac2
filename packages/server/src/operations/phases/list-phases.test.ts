import {
  ListMeasurementsQuerySchema,
  ListPhasesQuerySchema,
  type Page,
  type PhaseDetail,
  type PhaseListItem,
} from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Query } from '../../storage/database/database'
import { listMeasurementRows } from '../../record/results/measurements/store'
import { readPlan } from '../../testing/read-plan'
import { startTestServer, type TestServer } from '../../testing/start-test-server'
import { isOnPostgres } from '../../testing/test-database'
import { listPhaseRows } from '../../record/results/phases/store'

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

describe('a run of 8,000 phases, each of which was tried twice', () => {
  const PHASES = 8000
  let ids: string

  beforeAll(async () => {
    const at = new Date(FIRST_MS).toISOString()
    const phases = Array.from({ length: PHASES }, (_, index) => ({
      name: `phase ${index >> 1}`,
      outcome: 'PASS',
      started_at: at,
      ended_at: at,
      retry_count: index % 2,
      measurements: index < 4 ? [{ name: 'voltage', outcome: 'PASS', measured_value: index }] : [],
    }))
    const times = { started_at: at, ended_at: at }
    const run = { procedure_id: server.procedureId, serial_number: 'UNIT-1', part_number: 'PART-1' }
    const response = await server.send('POST', '/v2/runs', { ...run, ...times, outcome: 'PASS', phases })
    ids = `ids=${((await response.json()) as { id: string }).id}`
  })

  it('has a final attempt at each, and one that is not', async () => {
    const read = async (noun: string, query = '') =>
      (await (
        await server.send('GET', `/v2/${noun}?procedure_id=${server.procedureId}&${ids}&limit=100${query}`)
      ).json()) as Page<PhaseListItem>
    for (const noun of ['phases', 'measurements']) {
      const all = await read(noun, '&exclude_retries=false')
      expect(all.data.length).toBe(noun === 'phases' ? 100 : 4)
      for (const item of all.data) expect(item.is_final_attempt).toBe(item.retry_count === 1)
      const final = await read(noun)
      expect(final.data.length).toBe(noun === 'phases' ? 100 : 2)
      expect(new Set(final.data.map(({ retry_count: count }) => count))).toEqual(new Set([1]))
    }
  })

  it('has measurements that are read for the phase asked for, and no others', async () => {
    const path = `/v2/phases?procedure_id=${server.procedureId}&${ids}&names=phase%200&exclude_retries=false`
    const { data } = (await (await server.send('GET', path)).json()) as Page<PhaseListItem>
    const values = data.map(async ({ id, retry_count: count }) => {
      const phase = (await (await server.send('GET', `/v2/phases/${id}`)).json()) as PhaseDetail
      return [count, phase.measurements.map(({ measured_value: value }) => value)]
    })
    expect(new Set(await Promise.all(values))).toEqual(
      new Set([
        [0, [0]],
        [1, [1]],
      ]),
    )
  })

  it.skipIf(isOnPostgres)(
    'is read once for a page in any order, not again for each of its phases',
    async () => {
      const list = { procedure_id: server.procedureId }
      for (const sort_by of ['started_at', 'duration', 'phase_name'] as const) {
        const query = ListPhasesQuerySchema.parse({ ...list, sort_by })
        expect(await readPhaseReads((reader) => listPhaseRows(reader, query))).toHaveLength(1)
      }
      for (const sort_by of ['started_at', 'value', 'phase_name'] as const) {
        const query = ListMeasurementsQuerySchema.parse({ ...list, sort_by })
        expect(await readPhaseReads((reader) => listMeasurementRows(reader, query))).toHaveLength(1)
      }
    },
  )
})

/** The steps in which the database would read phases for what `list` asks: lines of its query plans. */
async function readPhaseReads(list: (query: Query) => Promise<unknown>): Promise<string[]> {
  const steps = await readPlan(server.dataDir, list)
  return steps.filter((step) => / (?:later_)?phases\b/.test(step))
}
