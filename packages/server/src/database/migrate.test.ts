import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startTestServer, type TestServer } from '../testing/start-test-server'
import { migrate } from './migrate'
import { MIGRATIONS } from './migrations'
import { DATABASE_FILE, loadSqlite } from './sqlite-driver'

/** Databases as earlier code left them, one for each migration but the newest, named after it. */
const FORMER = MIGRATIONS.slice(0, -1).map(({ name }) => name)
const OLD = FORMER.slice(0, 5)
const NEXT = MIGRATIONS[OLD.length]?.name ?? ''

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-migrate-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

/** Runs a script on the database, foreign keys off. */
async function execute(script: string, file = DATABASE_FILE): Promise<void> {
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(join(folder, file))
  connection.exec('PRAGMA journal_mode=WAL; PRAGMA foreign_keys=OFF')
  connection.exec(script)
  connection.close()
}

type Row = Record<string, unknown>

async function readRows(text: string, file: string = DATABASE_FILE): Promise<Row[]> {
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(join(folder, file))
  const rows = connection.prepare(text).all()
  connection.close()
  return rows as Row[]
}

/** The first column. */
async function read(text: string, file = DATABASE_FILE): Promise<unknown[]> {
  return (await readRows(text, file)).map((row) => Object.values(row)[0])
}

/** Every table of records with its rows. */
async function readTables(): Promise<Map<string, Row[]>> {
  const names = await read(`SELECT name FROM sqlite_master WHERE type = 'table'
    AND name NOT LIKE 'search_index%' AND name NOT LIKE '%_migrations' AND name NOT LIKE 'sqlite_%'`)
  const tables = new Map<string, Row[]>()
  for (const name of names) tables.set(String(name), await readRows(`SELECT * FROM ${String(name)}`))
  return tables
}

/** The texts of all tables, indexes, views and triggers, whatever their white space and quotes. */
async function readSchema(): Promise<string[]> {
  const texts = await read(
    `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE '%_migrations'`,
  )
  return texts.map((text) => String(text).replaceAll('"', '').replaceAll(/\s+/g, ' ')).toSorted()
}

/** What a row says: an upgrade may fill what it left open. */
function withoutNull(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
}

/** A database as it was; the file of one says after which other it came, if it has not all of it. */
async function load(name: string): Promise<void> {
  const script = await readFile(new URL(`../testing/databases/${name}.sql`, import.meta.url), 'utf8')
  const [, former] = /^-- after (\S+)/.exec(script) ?? []
  if (former !== undefined) await load(former)
  await execute(script)
}

async function withServer<Result>(work: (server: TestServer) => Promise<Result>): Promise<Result> {
  const server = await startTestServer({ data: folder })
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

async function get(server: TestServer, path: string): Promise<unknown> {
  const response = await server.send('GET', path)
  expect([path, response.status]).toEqual([path, 200])
  return response.json()
}

const [RUNS, ATTACHMENTS, INTERFACE, SCALE, ERRORS] = [2, 3, 4, 6, 10]

/** What the databases from 006 on have beside what all have. */
async function expectServedFromScale(server: TestServer): Promise<void> {
  const decomposed = encodeURIComponent('cafe\u0301')
  expect(await get(server, `/v2/runs?search_query=${decomposed}`)).toMatchObject({ data: [{}] })
  const { data } = (await get(server, '/v2/runs?procedure_versions=1.2.3')) as { data: { id: string }[] }
  expect(await server.getRun(data[0]?.id)).toMatchObject({
    docstring: 'Second try',
    procedure: { version: { tag: '1.2.3' } },
    unit: { batch: { number: 'B-1' } },
    metadata: { framework: 'jest', tries: 2, hot: true },
    phases: [
      {
        retry_count: 1,
        docstring: 'It boots',
        measurements: [{ measured_value: 0.5, units: 'A' }, { measured_value: '1.2' }],
      },
    ],
  })
  expect(await get(server, '/v2/units/UNIT-1')).toMatchObject({
    metadata: { colour: 'red' },
    children: [{ serial_number: 'CHILD-1' }],
  })
  expect(await get(server, '/v2/runs?serial_numbers=CHILD-1')).toMatchObject({
    data: [{ created_by_station: { name: 'Bench 1' } }],
  })
  const stored = await read('SELECT public_id FROM live_runs ORDER BY started_at_us DESC')
  const listed = (await get(server, '/v2/runs')) as { data: { id: string }[] }
  expect(listed.data.map(({ id }) => id)).toEqual(stored)
  await vi.waitFor(async () => expect(await read('SELECT kind FROM deletions')).toEqual([]))
  expect(await read(`SELECT id FROM metadata_values WHERE text_value = 'gone'`)).toEqual([])
}

describe.each(FORMER)('a database of %s', (name) => {
  // Not its number: PostgreSQL has migrations of its own between those of SQLite.
  const level = FORMER.indexOf(name) + 1

  it('is served with all that is in it', async () => {
    await load(name)
    await withServer(async (server) => {
      if (level < RUNS) return expect(await get(server, '/v2/runs')).toMatchObject({ data: [] })
      const { data } = (await get(server, '/v2/runs?outcomes=FAIL')) as { data: { id: string }[] }
      const run = await server.getRun(data[0]?.id)
      expect(run).toMatchObject({
        procedure: { name: 'Final test' },
        unit: { serial_number: 'UNIT-1', part: { number: 'PACK', revision: { number: 'B' } } },
        started_at: '2026-11-20T09:30:00.125Z',
        duration: 'PT12.500S',
        phases: [
          {
            name: 'Voltage',
            outcome: 'FAIL',
            measurements: [{ name: 'Voltage', measured_value: 13.5, units: 'V' }],
          },
          { name: 'Boots', outcome: 'PASS' },
        ],
        sub_units: [{ serial_number: 'CHILD-1' }],
        declared_attachments: ['trace.zip'],
        metadata: { framework: 'jest', file: 'a.test.ts' },
        attachments: level < ATTACHMENTS ? [] : [{ name: 'log.txt', size: 7 }],
      })
      expect(await get(server, '/v2/runs?search_query=unit-1')).toMatchObject({ data: [{}, {}] })
      if (level < INTERFACE) return undefined
      expect(await get(server, '/v2/batches/B-1')).toMatchObject({ number: 'B-1' })
      expect(await get(server, '/v2/logs')).toMatchObject({ data: [{ message: 'It boots' }] })
      expect(await get(server, '/v2/stations')).toMatchObject({ data: [{ name: 'Bench 1' }] })
      if (level >= SCALE) await expectServedFromScale(server)
      if (level < ERRORS) return undefined
      const failures = { data: [{ message: 'expected 1 to be 2', count: 1 }] }
      return expect(await get(server, '/v2/errors?search_query=1 to be')).toMatchObject(failures)
    })
    expect(await read('PRAGMA foreign_key_check')).toEqual([])
    expect(await read('PRAGMA integrity_check')).toEqual(['ok'])
  })

  it('leaves a copy of itself, once, for its owner alone', async () => {
    await load(name)
    const settings = await read('SELECT name FROM settings')
    await migrate(folder)
    await execute('DELETE FROM settings')
    await migrate(folder)
    const next = MIGRATIONS[level]?.name ?? ''
    const copy = `${DATABASE_FILE}.before-${next}`
    expect((await readdir(folder)).filter((file) => file.includes('before'))).toEqual([copy])
    expect((await stat(join(folder, copy))).mode & 0o777).toBe(0o600)
    const [table] = await read(`SELECT name FROM sqlite_master WHERE name LIKE '%_migrations'`, copy)
    expect(await read(`SELECT name FROM ${String(table)} ORDER BY name`, copy)).toEqual(
      FORMER.slice(0, level),
    )
    expect(await read('SELECT name FROM settings', copy)).toEqual(settings)
  })

  it('keeps every row, and has the tables, indexes, views and triggers of a new one', async () => {
    await load(name)
    const before = await readTables()
    await migrate(folder)
    const after = await readTables()
    // 006 stores each entry of metadata once.
    if (level < SCALE) before.delete('run_metadata')
    for (const [table, rows] of before) {
      const kept = after.get(table) ?? []
      for (const row of rows) expect(kept, table).toContainEqual(expect.objectContaining(withoutNull(row)))
      if (table !== 'settings') expect([table, kept.length]).toEqual([table, rows.length])
    }
    const schema = await readSchema()
    await rm(join(folder, DATABASE_FILE))
    await migrate(folder)
    expect(schema).toEqual(await readSchema())
  })

  it('has something in every table', async () => {
    await load(name)
    const empty = [...(await readTables())].filter(([, rows]) => rows.length === 0).map(([table]) => table)
    expect(empty).toEqual(level < SCALE ? empty : [])
  })
})

it('what had no identifier and no e-mail address has one after 008, which finds it', async () => {
  await load('005-sign-in-codes')
  await execute(`UPDATE procedures SET identifier = NULL, identifier_folded = NULL WHERE name = 'Final test'`)
  await migrate(folder)
  const [publicId] = await read(`SELECT public_id FROM procedures WHERE name = 'Final test'`)
  const identifier = `Final-test-${String(publicId).slice(0, 8)}`
  await withServer(async (server) => {
    expect(await get(server, `/v2/procedures/${identifier.toUpperCase()}`)).toMatchObject({ identifier })
    expect(await get(server, '/v2/users')).toMatchObject([{ email: 'owner@localhost', banned: false }])
  })
})

it('attempts that were made again are known as such after 009', async () => {
  await load('008-clients')
  const columns = 'run_id, definition_id, outcome, started_at_us, duration_us'
  await execute(`INSERT INTO phases (id, retry_count, ${columns})
    SELECT id + 100, 2, ${columns} FROM phases WHERE retry_count = 1`)
  await migrate(folder)
  expect(await readRows('SELECT retry_count, is_final_attempt FROM phases ORDER BY id')).toEqual([
    { retry_count: 0, is_final_attempt: 1 },
    { retry_count: 0, is_final_attempt: 1 },
    { retry_count: 1, is_final_attempt: 0 },
    { retry_count: 2, is_final_attempt: 1 },
  ])
})

it('a new database has no copy, and is its owner’s alone', async () => {
  await migrate(folder)
  expect((await readdir(folder)).filter((file) => file.includes('before'))).toEqual([])
  expect((await stat(join(folder, DATABASE_FILE))).mode & 0o777).toBe(0o600)
})

it('an empty database beside files is refused, and no file is touched', async () => {
  const blob = join(folder, 'blobs/ab', `ab${'0'.repeat(62)}`)
  await mkdir(join(folder, 'blobs/ab'), { recursive: true })
  await writeFile(blob, 'kept')
  await writeFile(join(folder, DATABASE_FILE), '')
  await expect(migrate(folder)).rejects.toThrow(/holds no records of Runledger, but .* has files in blobs/)
  expect(await readFile(blob, 'utf8')).toBe('kept')
})

it('what is no database, or a damaged one, is refused with the way back, and no file is touched', async () => {
  await mkdir(join(folder, 'blobs/aa'), { recursive: true })
  const blob = join(folder, 'blobs/aa', `${'a'.repeat(64)}-0123456789abcdef-1`)
  await writeFile(blob, 'the only copy')
  await load(FORMER.at(-1) ?? '')
  const database = join(folder, DATABASE_FILE)
  const whole = await readFile(database)
  const damaged = Buffer.from(whole)
  damaged.fill(0xff, 100, 4096)
  for (const bytes of [Buffer.from('no database at all '.repeat(100)), damaged]) {
    await writeFile(database, bytes)
    await expect(startTestServer({ data: folder })).rejects.toThrow(
      /runledger\.db is damaged, or is none of SQLite: .*\. No file was touched\. "runledger restore <backup>/,
    )
    expect(await readFile(blob, 'utf8')).toBe('the only copy')
    expect((await readFile(database)).equals(bytes)).toBe(true)
  }
})

it('a database of a newer release is refused, which is named', async () => {
  await migrate(folder)
  await execute(`INSERT INTO applied_migrations VALUES ('999-later', 1);
    UPDATE settings SET value = '"9.8.7"' WHERE name = 'internal.made_by'`)
  const starting = startTestServer({ data: folder })
  await expect(starting).rejects.toMatchObject({ code: 'START_ERROR' })
  await expect(starting).rejects.toThrow(
    /^The database in \S+ was last served by Runledger 9\.8\.7, .*[^\n]$/,
  )
})

it('a release before 006 does not take a database of this one for its own', async () => {
  await load('005-sign-in-codes')
  await migrate(folder)
  await expect(read('SELECT name FROM schema_migrations')).rejects.toThrow('no such table')
})

describe('a migration that fails', () => {
  const change = 'CREATE TABLE added (id bigint)'

  async function expectUnchanged(): Promise<void> {
    expect(await read('SELECT name FROM schema_migrations ORDER BY name')).toEqual(OLD)
    expect(
      await read(`SELECT name FROM sqlite_master WHERE name IN ('added', 'applied_migrations')`),
    ).toEqual([])
    expect(await read('SELECT count(*) FROM runs')).toEqual([3])
  }

  it('changes nothing', async () => {
    await load('005-sign-in-codes')
    const failing = { name: '999-failing', statements: [change, 'nonsense'] }
    await expect(migrate(folder, { migrations: [...MIGRATIONS, failing] })).rejects.toThrow('syntax error')
    await expectUnchanged()
    await migrate(folder)
  })

  it('for want of room says so, and changes nothing', async () => {
    await load('005-sign-in-codes')
    const large = 'INSERT INTO added SELECT zeroblob(10000000)'
    const failing = { name: '999-large', statements: [change, 'PRAGMA max_page_count = 1', large] }
    await expect(migrate(folder, { migrations: [...MIGRATIONS, failing] })).rejects.toMatchObject({
      code: 'START_ERROR',
      message: expect.stringMatching(/has no room to bring the database up to .* Nothing was changed\./),
    })
    await expectUnchanged()
  })

  it('because no copy can be made changes nothing, and leaves no part of one', async () => {
    await load('005-sign-in-codes')
    const copy = join(folder, `${DATABASE_FILE}.before-${NEXT}`)
    await mkdir(join(copy, 'in the way'), { recursive: true })
    await expect(migrate(folder)).rejects.toThrow()
    await expectUnchanged()
    expect(existsSync(`${copy}.unfinished`)).toBe(false)
  })
})
