import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../storage/database/database'
import { minimalRun, startTestServer, type TestServer } from '../../../testing/start-test-server'
import { findHolders } from './resolve-unit'

let server: TestServer
let database: Database

beforeAll(async () => {
  server = await startTestServer({}, { wrapDatabase: (plain) => (database = plain) })
})

afterAll(() => server.stop())

function unit(serialNumber: string, partNumber?: string, revision?: string) {
  return { unit_under_test: { serial_number: serialNumber, part_number: partNumber, revision } }
}

async function countRuns(): Promise<number> {
  const page = (await (await server.send('GET', '/v2/runs?limit=100')).json()) as { data: unknown[] }
  return page.data.length
}

async function refusal(change: Record<string, unknown>, path = '/v1/runs/create') {
  const before = await countRuns()
  const response = await server.send('POST', path, { ...minimalRun(server.procedureId), ...change })
  const body = (await response.json()) as { message: string; issues: { path: unknown[]; message: string }[] }
  expect(await countRuns()).toBe(before)
  return { status: response.status, ...body }
}

describe('units, components and revisions', () => {
  it('matches identifiers without regard to case and keeps the first spelling', async () => {
    await server.createRun(unit('Case-Ä1', 'Part-Ä', 'Rev-B'))
    const run = await server.getRun((await server.createRun(unit(' CASE-ä1 ', 'PART-ä', 'rev-b'))).id)
    expect(run.unit).toMatchObject({
      serial_number: 'Case-Ä1',
      part: { number: 'Part-Ä', revision: { number: 'Rev-B' } },
    })
  })

  it('creates a new serial number without a part under the default component, revision A', async () => {
    const run = await server.getRun((await server.createRun(unit('NO-PART'))).id)
    expect(run.unit.part).toMatchObject({ number: 'DEFAULT', revision: { number: 'A' } })
  })

  it('lets a known unit take another part and revision while each run keeps its own', async () => {
    const first = await server.createRun(unit('MOVES', 'OLD', '1'))
    const second = await server.createRun(unit('moves', 'NEW', '2'))
    const third = await server.createRun(unit('Moves'))
    const parts = await Promise.all(
      [first, second, third].map(async ({ id }) => (await server.getRun(id)).unit),
    )
    expect(parts.map(({ part }) => `${part.number} ${part.revision.number}`)).toEqual([
      'OLD 1',
      'NEW 2',
      'NEW 2',
    ])
    expect(new Set(parts.map(({ id }) => id)).size).toBe(1)
  })

  it('insists on the revision of a component with several on the strict path only', async () => {
    await server.createRun(unit('R-1', 'SEVERAL', '1'))
    await server.createRun(unit('R-2', 'SEVERAL', '2'))
    const body = await refusal(unit('R-3', 'several'))
    expect(body.status).toBe(400)
    expect(body.issues).toEqual([
      { path: ['unit_under_test', 'revision'], message: expect.stringContaining('"SEVERAL"') as unknown },
    ])
    const lenient = { ...minimalRun(server.procedureId), ...unit('R-3', 'several') }
    const created = (await (await server.send('POST', '/v1/runs', lenient)).json()) as { id: string }
    expect((await server.getRun(created.id)).unit.part.revision.number).toBe('A')
  })

  it('takes the only revision that a component has when none is sent', async () => {
    await server.createRun(unit('O-1', 'ONE', 'B7'))
    const run = await server.getRun((await server.createRun(unit('O-2', 'ONE'))).id)
    expect(run.unit.part.revision.number).toBe('B7')
  })

  it('links sub-units that exist, and refuses unknown ones and circles', async () => {
    await server.createRun(unit('CHILD', 'C', '1'))
    const parent = await server.createRun({
      ...unit('PARENT', 'P', '1'),
      sub_units: [{ serial_number: 'child' }],
    })
    expect((await server.getRun(parent.id)).sub_units).toMatchObject([
      { serial_number: 'CHILD', part_number: 'C' },
    ])
    const unknown = await refusal({ sub_units: [{ serial_number: 'CHILD' }, { serial_number: 'GHOST' }] })
    expect(unknown).toMatchObject({ status: 400, issues: [{ path: ['sub_units', 1, 'serial_number'] }] })
    const circle = await refusal({ ...unit('CHILD', 'C', '1'), sub_units: [{ serial_number: 'PARENT' }] })
    expect(circle).toMatchObject({ status: 400, issues: [{ path: ['sub_units', 0, 'serial_number'] }] })
    const self = await refusal({ ...unit('CHILD', 'C', '1'), sub_units: [{ serial_number: 'CHILD' }] })
    expect(self.status).toBe(400)
  })

  it('asks once for all units that a unit is in, however many', async () => {
    const DEPTH = 20_000
    await server.createRun(unit('DEEPEST', 'D', '1'))
    await database.write(({ run }) =>
      run(
        `INSERT INTO units (id, public_id, serial_number, serial_number_folded, revision_id, created_at_us, parent_unit_id)
          WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${DEPTH})
          SELECT n, 'u' || n, 'd' || n, 'd' || n, (SELECT min(id) FROM revisions), 1, nullif(n + 1, ${DEPTH} + 1)
          FROM numbers ORDER BY n DESC`,
        [],
      ),
    )
    let statements = 0
    const holders = await database.write((transaction) =>
      findHolders(
        { ...transaction, all: (...sent) => ((statements += 1), transaction.all(...sent)) },
        { id: 1, parent_unit_id: 2 },
      ),
    )
    expect([holders.size, statements]).toEqual([DEPTH, 1])
    const path = '/v2/units/d1/children'
    expect((await server.send('PUT', path, { child_serial_number: `d${DEPTH}` })).status).toBe(400)
    expect((await server.send('PUT', path, { child_serial_number: 'DEEPEST' })).status).toBe(200)
  })
})
