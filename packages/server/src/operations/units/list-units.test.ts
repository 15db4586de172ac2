import { ListUnitsQuerySchema, type UnitListItem, UnitPageSchema } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listUnits } from '../../record/catalogue/units/list-store'
import { readPlan } from '../../testing/read-plan'
import { createAsk, startTestServer, type TestServer } from '../../testing/start-test-server'
import { isOnPostgres } from '../../testing/test-database'

let server: TestServer
const ask = createAsk(() => server)

const UNITS = [
  { serial: 'SN-b', part: 'LAMP', metadata: { colour: 'Red', weight: 1, sealed: true } },
  { serial: 'SN-A', part: 'LAMP', metadata: { colour: 'blue', weight: 2.5, sealed: false } },
  { serial: 'SN-c', part: 'FAN', sample: 'golden', metadata: { colour: 'red', weight: '2', sealed: 'true' } },
  { serial: 'SN-d', part: 'FAN', sample: 'failing' },
]

beforeAll(async () => {
  server = await startTestServer()
  await ask('POST', '/v2/procedures', { name: 'Another', identifier: 'P2' })
  await ask('POST', '/v2/parts', { number: 'LAMP', name: 'Table lamp' })
  await ask('POST', '/v2/parts', { number: 'FAN', revision_number: 'B' })
  for (const { serial, part, sample, metadata } of UNITS) {
    const revision = part === 'FAN' ? 'B' : 'A'
    const unit = { serial_number: serial, part_number: part, revision_number: revision, sample, metadata }
    await ask('POST', '/v2/units', unit)
  }
  await ask('PATCH', '/v2/units/SN-b', { batch_number: 'X-1' })
  await ask('PUT', '/v2/units/SN-d/children', { child_serial_number: 'SN-A' })
  await addRun('SN-b', '01', true)
  await addRun('SN-b', '03', false)
  await addRun('SN-A', '03', true, 'P2')
  await addRun('SN-c', '02', true)
})

afterAll(() => server.stop())

async function addRun(
  serial: string,
  day: string,
  ...[passed, procedure]: [boolean, string?]
): Promise<void> {
  await server.createRun({
    ...(procedure === undefined ? {} : { procedure_id: procedure }),
    unit_under_test: { serial_number: serial },
    run_passed: passed,
    started_at: `2026-11-${day}T00:00:00Z`,
  })
}

async function list(query: string) {
  const { status, body } = await ask('GET', `/v2/units?${query}`)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return UnitPageSchema.parse(body)
}

async function serials(query: string): Promise<string> {
  return (await list(query)).data.map(({ serial_number }) => serial_number.slice(3)).join('')
}

describe('list units', () => {
  it.skipIf(isOnPostgres)(
    'of a part: reads the last runs of those shown, not of all units of the part',
    async () => {
      const ofPart = ListUnitsQuerySchema.parse({ part_numbers: 'LAMP' })
      const steps = await readPlan(server.dataDir, (query) => listUnits(query, ofPart))
      expect(steps[0]).toBe('SEARCH units USING INTEGER PRIMARY KEY (rowid=?)')
      expect(steps.filter((step) => step.startsWith('SEARCH last_run '))).toHaveLength(1)
    },
  )

  it('pages through every order without a gap or a repetition, equal and missing values too', async () => {
    const sorted = {
      '': 'dcAb',
      'sort_by=created_at&sort_order=asc': 'bAcd',
      'sort_by=serial_number': 'dcbA',
      'sort_by=serial_number&sort_order=asc': 'Abcd',
      'sort_by=part_number': 'Abdc',
      'sort_by=part_number&sort_order=asc': 'cdbA',
      'sort_by=last_run_at': 'Abcd',
      'sort_by=last_run_at&sort_order=asc': 'dcbA',
      'sort_by=last_run_procedure&sort_order=asc': 'dAbc',
    }
    for (const [query, expected] of Object.entries(sorted)) {
      expect(await serials(query), query).toBe(expected)
      let paged = ''
      for (let cursor = ''; ;) {
        const page = await list(`${query}&limit=1${cursor}`)
        paged += page.data.map(({ serial_number }) => serial_number.slice(3)).join('')
        if (!page.meta.has_more) break
        cursor = `&cursor=${page.meta.next_cursor}.0`
      }
      expect(paged, query).toBe(expected)
    }
  })

  it('goes on after a unit that was deleted', async () => {
    for (const serial of ['SN-x', 'SN-y'])
      await ask('POST', '/v2/units', { serial_number: serial, part_number: 'LAMP', revision_number: 'A' })
    const first = await list('limit=2')
    await ask('DELETE', '/v2/units?serial_numbers=SN-x&serial_numbers=SN-y')
    expect(await serials(`cursor=${first.meta.next_cursor}`)).toBe('dcAb')
  })

  it('filters by every field, identifiers without regard to case', async () => {
    const [{ id = '', created_by_user: user } = {} as Partial<UnitListItem>] = (await list('')).data
    const filtered = {
      [`ids=${id.toUpperCase()}`]: 'd',
      'serial_numbers=sn-a&serial_numbers=SN-B': 'Ab',
      'part_numbers=lamp': 'Ab',
      'revision_numbers=b': 'dc',
      'batch_numbers=x-1': 'b',
      'procedure_ids=p2': 'A',
      [`procedure_ids=${server.procedureId}`]: 'cb',
      'outcomes=PASS': 'cAb',
      'outcomes=PASS&latest_only=true': 'cA',
      'outcomes=PASS&latest_only=False': 'cAb',
      'started_before=2026-11-01T12:00:00Z': 'b',
      'started_before=2026-11-01T12:00:00Z&latest_only=1': '',
      'started_after=2026-11-02T12:00:00Z&outcomes=PASS': 'A',
      'run_count_min=2': 'b',
      'run_count_max=0': 'd',
      'run_count_min=1&run_count_max=1.0': 'cA',
      'created_after=2020-01-01T00:00:00Z': 'dcAb',
      'created_before=2020-01-01T00:00:00Z': '',
      [`created_by_user_ids=${user?.id}`]: 'dcAb',
      'created_by_station_ids=none': '',
      'exclude_units_with_parent=true': 'dcb',
      'samples=golden&samples=failing': 'dc',
      'search_query=sn-C': 'c',
      'search_query=table': 'Ab',
      'search_query=x-1': 'b',
      'search_query=&outcomes=&sort_by=&latest_only=&metadata=': 'dcAb',
    }
    for (const [query, expected] of Object.entries(filtered))
      expect(await serials(query), query).toBe(expected)
  })

  it('filters by metadata of each type, sent as JSON or in brackets', async () => {
    const filters: [object, string][] = [
      [{ sealed: { eq: true } }, 'b'],
      [{ sealed: { eq: false } }, 'A'],
      [{ colour: { in: ['red', 'blue'] } }, 'cA'],
      [{ colour: { contains: 'RE' } }, 'cb'],
      [{ weight: { gte: 1, lt: 2.5 } }, 'b'],
      [{ weight: { eq: 2.5 } }, 'A'],
      [{ weight: { gt: 0 } }, 'Ab'],
      [{ weight: { lte: 2 }, colour: { contains: 'r' } }, 'b'],
      [{ none: { in: [] } }, ''],
    ]
    for (const [filter, expected] of filters) {
      const text = JSON.stringify(filter)
      expect(await serials(`metadata=${encodeURIComponent(text)}`), text).toBe(expected)
      if (expected === '') continue
      const pairs = new URLSearchParams()
      for (const [name, condition] of Object.entries(filter) as [string, Record<string, unknown>][])
        for (const [operator, value] of Object.entries(condition))
          for (const one of [value].flat()) pairs.append(`metadata[${name}][${operator}]`, String(one))
      expect(await serials(pairs.toString()), text).toBe(expected)
    }
  })

  it('refuses a filter that it does not know, rather than ignore it', async () => {
    for (const filter of [
      '{"a":{"like":"x"}}',
      '{"a":5}',
      '{"a":{"gt":"x"}}',
      '{',
      '[]',
      '{"__proto__":{"eq":1}}',
    ]) {
      const { status, body } = await ask('GET', `/v2/units?metadata=${encodeURIComponent(filter)}`)
      expect([status, body], filter).toMatchObject([400, { code: 'BAD_REQUEST' }])
    }
    expect((await ask('GET', '/v2/units?metadata[a][eq]=maybe')).status).toBe(400)
    const names = Array.from({ length: 101 }, (_, index) => `metadata[${index}][gt]=1`)
    expect((await ask('GET', `/v2/units?${names.join('&')}`)).status).toBe(400)
    expect(await serials(names.slice(1).join('&'))).toBe('')
  })

  it('shows what each unit is of, in, and holds, its last run, and metadata when asked', async () => {
    const { data } = await list('include_metadata=True&sort_by=serial_number&sort_order=asc')
    expect(data).toMatchObject([
      { parent: { serial_number: 'SN-d' }, metadata: { colour: 'blue', weight: 2.5, sealed: false } },
      { batch: { number: 'X-1' }, last_run: { outcome: 'FAIL', started_at: '2026-11-03T00:00:00.000Z' } },
      { part: { number: 'FAN', revision: { number: 'B' } }, sample: 'golden' },
      { children: [{ serial_number: 'SN-A' }], last_run: null, metadata: {} },
    ])
    expect((await list('limit=1')).data[0]?.metadata).toBeNull()
  })
})
