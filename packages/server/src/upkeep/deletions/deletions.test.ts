import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Database } from '../../storage/database/database'
import { findBlobFile } from '../../testing/find-blob-file'
import { startTestServer, type TestServer } from '../../testing/start-test-server'
import { isWithBucket } from '../../testing/test-database'
import { markDeleted } from '../../record/results/deletion-store'

let data: string
let server: TestServer
let database: Database

const TABLES = ['runs', 'phases', 'run_metadata', 'metadata_values', 'attachments', 'blobs'] as const

async function start(): Promise<void> {
  server = await startTestServer({ data }, { wrapDatabase: (plain) => watch((database = plain)) })
}

/** How many rows were left after each transaction; others than those of a deletion may see the same. */
let left = new Set<number>()
let countLeft: (() => Promise<number>) | undefined

function watch(plain: Database): Database {
  return {
    query: plain.query,
    read: (work, options) => plain.read(work, options),
    stats: () => plain.stats(),
    close: () => plain.close(),
    write: async (work) => {
      const result = await plain.write(work)
      if (countLeft) left.add(await countLeft())
      return result
    },
  }
}

beforeEach(async () => {
  left = new Set()
  countLeft = undefined
  data = await mkdtemp(join(tmpdir(), 'runledger-deletions-'))
  await start()
})

afterEach(async () => {
  await server.stop()
  await rm(data, { recursive: true, force: true })
})

async function createFullRun(serial: string, headers = {}): Promise<string> {
  const { id = '' } = await server.createRun(
    {
      unit_under_test: { serial_number: serial, part_number: 'P', revision: 'A' },
      steps: [{ name: 'one', step_passed: true, started_at: '2026-11-20T09:30:00Z', duration: 'PT1S' }],
      report_variables: { group: serial },
    },
    headers,
  )
  return id
}

async function attach(runId: string, text: string): Promise<string> {
  const id = await server.upload('log.txt', text)
  const response = await server.send('PATCH', `/v2/runs/${runId}`, { attachments: [id] })
  expect(response.status).toBe(200)
  return id
}

async function countRows(): Promise<number[]> {
  const counts = TABLES.map((table) =>
    database.query
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow(),
  )
  return (await Promise.all(counts)).map(({ rows }) => rows)
}

/** As a deletion does first; nothing begins to delete rows, because the sweep of the start has ended. */
async function mark(kind: 'procedure' | 'batch' | 'unit' | 'run'): Promise<void> {
  await expect
    .poll(async () => (await server.send('GET', '/metrics')).text())
    .toMatch(/runledger_cleanup_last_end_seconds [1-9]/)
  const table = ({ procedure: 'procedures', batch: 'batches', unit: 'units', run: 'runs' } as const)[kind]
  const rows = await database.query.selectFrom(table).select('id').execute()
  await database.write(({ query }) => markDeleted(query, { kind, keys: rows.map(({ id }) => id) }, 1))
}

async function statusOf(path: string): Promise<number> {
  return (await server.send('GET', path)).status
}

async function countListed(path: string): Promise<number> {
  return ((await (await server.send('GET', path)).json()) as { data: unknown[] }).data.length
}

it.each(['procedure', 'unit', 'run'] as const)('a deleted %s leaves every answer at once', async (kind) => {
  const runId = await createFullRun('S-1', { 'idempotency-key': 'k' })
  await attach(runId, 'bytes')
  const detail = await server.getRun(runId)
  await mark(kind)
  const download = await fetch(String(detail.attachments[0]?.download_url))
  expect([await statusOf(`/v2/runs/${runId}`), download.status]).toEqual([404, 404])
  for (const path of [
    '/v2/runs',
    '/v2/runs?search_query=S-1',
    '/v2/runs?sort_by=serial_number',
    `/v2/phases?procedure_id=${server.procedureId}`,
    `/v2/runs?ids=${runId}`,
  ])
    expect([path, await countListed(path)]).toEqual([path, 0])
  expect((await server.send('PATCH', `/v2/runs/${runId}`, { attachments: [] })).status).toBe(404)
  expect(await statusOf('/v2/units/S-1')).toBe(kind === 'unit' ? 404 : 200)
  expect(await statusOf(`/v2/procedures/${server.procedureId}`)).toBe(kind === 'procedure' ? 404 : 200)
  if (kind === 'procedure') return
  expect(await createFullRun('S-1', { 'idempotency-key': 'k' })).not.toBe(runId)
  expect(await countListed('/v2/runs')).toBe(1)
})

it('leaves what cannot be deleted for later, and deletes the rest', async () => {
  for (const serial of ['a', 'b', 'stuck', 'c']) await createFullRun(serial)
  await database.write(async ({ run }) => {
    await run('CREATE TABLE stuck (run_id bigint REFERENCES runs (id))', [])
    await run(
      `INSERT INTO stuck SELECT runs.id FROM runs JOIN units ON units.id = unit_id WHERE serial_number = 'stuck'`,
      [],
    )
  })
  await mark('run')
  const response = await server.send('DELETE', `/v2/units?serial_numbers=a`)
  expect(response.status).toBe(200)
  await vi.waitFor(async () => {
    const rows = await database.query.selectFrom('deletions').select('kind').execute()
    expect(rows).toEqual([{ kind: 'run' }])
  }, 20_000)
  expect(server.logged.join()).toContain('remain until later')
})

it('the errors of a run go some at a time, with what no other run has', async () => {
  const step = { step_passed: false, started_at: '2026-11-20T09:30:00Z', duration: 'PT1S' }
  const steps = Array.from({ length: 60 }, (_, index) => ({
    ...step,
    name: `${index}`,
    errors: Array.from({ length: 20 }, (__, at) => ({ message: `${'abcdefghijklmnopqrst'[at]} "${index}"` })),
  }))
  const kept = await server.createRun({
    run_passed: false,
    steps: [{ ...steps[0], errors: [{ message: 'a "0"' }] }],
  })
  const { id } = await server.createRun({ run_passed: false, steps })
  const count = async (table: 'phase_errors' | 'errors' | 'error_groups') =>
    (
      await database.query
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('rows'))
        .execute()
    )[0]?.rows ?? 0
  countLeft = () => count('phase_errors')
  await server.send('DELETE', `/v2/runs?ids=${id}`)
  left.delete(1201)
  expect([...left]).toEqual([701, 201, 1])
  expect([await count('phase_errors'), await count('errors'), await count('error_groups')]).toEqual([1, 1, 1])
  expect((await server.getRun(kept.id)).phases[0]?.error?.message).toBe('a "0"')
})

it('a version is kept, with a 409, until the rows of its runs are gone', async () => {
  await server.createRun({ procedure_version: 'v1' })
  await mark('run')
  const path = `/v2/procedures/${server.procedureId}/versions/v1`
  expect((await server.send('DELETE', path)).status).toBe(409)
})

it('goes on after a restart, with rows and bytes, and leaves what others have', async () => {
  const kept = await createFullRun('kept')
  await attach(kept, 'of both')
  const before = await countRows()
  for (let index = 0; index < 30; index += 1) await attach(await createFullRun(`gone-${index}`), 'of both')
  await attach(await createFullRun('gone-30'), 'of one')
  expect(findBlobFile(data, 'of one') !== undefined).toBe(!isWithBucket)
  await database.write(async ({ query }) => {
    const units = await query
      .selectFrom('units')
      .select('id')
      .where('serial_number', 'like', 'gone%')
      .execute()
    await markDeleted(query, { kind: 'unit', keys: units.map(({ id }) => id) }, 1)
  })
  await server.stop()
  await start()
  await vi.waitFor(async () => {
    expect(await database.query.selectFrom('deletions').selectAll().execute()).toEqual([])
    expect(await countRows()).toEqual(before)
    expect(findBlobFile(data, 'of one')).toBeUndefined()
  }, 20_000)
  expect((await server.getRun(kept)).attachments).toHaveLength(1)
})

it('a deleted batch leaves every answer at once, and its number is free', async () => {
  const unit = { serial_number: 'S-1', part_number: 'P', revision: 'A', batch_number: 'B-1' }
  const { id } = await server.createRun({ unit_under_test: unit })
  await mark('batch')
  const listUnits = '/v2/units?exclude_units_with_parent=true'
  expect([await statusOf('/v2/batches/B-1'), await countListed('/v2/batches')]).toEqual([404, 0])
  expect((await server.getRun(id)).unit.batch).toBeNull()
  expect(await (await server.send('GET', '/v2/units/S-1')).json()).toMatchObject({ batch: null })
  expect(await (await server.send('GET', listUnits)).json()).toMatchObject({ data: [{ batch: null }] })
  for (const list of ['runs', 'units']) expect(await countListed(`/v2/${list}?batch_numbers=b-1`)).toBe(0)
  await server.createRun({ unit_under_test: { ...unit, batch_number: undefined } })
  await server.createRun({ unit_under_test: { ...unit, serial_number: 'S-2' } })
  expect(await countListed('/v2/runs?batch_numbers=b-1')).toBe(1)
  await server.stop()
  await start()
  await vi.waitFor(async () => {
    expect(await database.query.selectFrom('batches').select('number_folded').execute()).toEqual([
      { number_folded: 'b-1' },
    ])
  }, 20_000)
  expect([await countListed('/v2/runs'), await countListed('/v2/units')]).toEqual([3, 2])
})

it('a batch counts no units that are being deleted', async () => {
  for (const serial of ['S-1', 'S-2'])
    await server.createRun({
      unit_under_test: { serial_number: serial, part_number: 'P', batch_number: 'B-1' },
    })
  const [first] = await database.query.selectFrom('units').select('id').orderBy('id').execute()
  await database.write(({ query }) => markDeleted(query, { kind: 'unit', keys: [first?.id ?? 0] }, 1))
  expect(await (await server.send('GET', '/v2/batches')).json()).toMatchObject({
    data: [{ number: 'B-1', unit_count: 1, units: [{ serial_number: 'S-2' }] }],
  })
})

it('units of a unit that is being deleted are in none', async () => {
  const child = { unit_under_test: { serial_number: 'CHILD', part_number: 'P', revision: 'A' } }
  await server.createRun(child)
  await server.createRun({ sub_units: [{ serial_number: 'CHILD' }] })
  const holder = await database.query
    .selectFrom('units')
    .select('id')
    .where('serial_number', '=', 'UNIT-1')
    .executeTakeFirstOrThrow()
  await database.write(({ query }) => markDeleted(query, { kind: 'unit', keys: [holder.id] }, 1))
  expect(await (await server.send('GET', '/v2/units/CHILD')).json()).toMatchObject({ parent: null })
  const listed = await server.send('GET', '/v2/units?exclude_units_with_parent=true')
  expect(await listed.json()).toMatchObject({ data: [{ serial_number: 'CHILD', parent: null }] })
})

describe('a deletion changes some rows at a time', () => {
  const unit = { serial_number: 'S-1', part_number: 'P', revision: 'A', batch_number: 'B-1' }

  /** As many runs of the same unit and batch as one transaction would not change at once, and sub-units in them. */
  async function createManyRuns(): Promise<void> {
    await createFullRun('HELD')
    await server.createRun({ unit_under_test: unit, sub_units: [{ serial_number: 'HELD' }] })
    await database.write(async ({ run }) => {
      await run(
        'CREATE TEMP TABLE numbers AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) SELECT i FROM n',
        [],
      )
      await run(
        `INSERT INTO runs SELECT runs.id + i, 'copy-' || i, procedure_id, unit_id, revision_id, outcome, started_at_us,
          ended_at_us, duration_us, first_phase_at_us, last_phase_at_us, created_at_us, created_by_user_id,
          created_by_station_id, docstring, batch_id, version_id, operated_by_user_id, deployment_id, first_error_id, organisation_id,
          build_id, branch_id, environment, rerun, shard, file_id, project_id, is_of_line
          FROM runs, numbers WHERE batch_id IS NOT NULL`,
        [],
      )
      await run(`INSERT INTO run_sub_units SELECT run_id + i, 0, unit_id FROM run_sub_units, numbers`, [])
    })
  }

  async function countRowsWith(table: 'runs' | 'run_sub_units', column: string): Promise<number> {
    const { rows } = await database.query
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .where(column as never, 'is not', null)
      .executeTakeFirstOrThrow()
    return rows
  }

  it.each([
    ['batch', '/v2/batches/B-1', () => countRowsWith('runs', 'batch_id')],
    ['unit', '/v2/units?serial_numbers=HELD', () => countRowsWith('run_sub_units', 'unit_id')],
  ] as const)('of a %s', async (_kind, path, count) => {
    await createManyRuns()
    expect(await count()).toBe(1201)
    countLeft = count
    expect((await server.send('DELETE', path)).status).toBe(200)
    await vi.waitFor(async () => {
      expect(await database.query.selectFrom('deletions').selectAll().execute()).toEqual([])
    }, 20_000)
    left.delete(1201)
    expect([...left]).toEqual([701, 201, 0])
    expect(await countListed('/v2/runs')).toBe(50)
  })
})
