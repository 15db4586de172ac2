import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFullRecord } from '../../../../../../test/support/full-record'
import { startTestServer } from '../../../testing/start-test-server'
import { migrate } from './migrate'
import { MIGRATIONS } from '../migrations'
import type { Migration } from '../migrations/migration'
import { loadSqlite } from './sqlite-driver'
import { DATABASE_FILE, MARK_FILE } from '../../folder/data-folder'

/** A made-up next release: it adds a column to one table, and makes another table anew, as SQLite must to change a key. */
const NEXT: Migration = {
  name: '998-next',
  statements: [
    'ALTER TABLE runs ADD COLUMN next_text text',
    `CREATE TABLE new_batches (id integer PRIMARY KEY, public_id text NOT NULL, number text NOT NULL,
      number_folded text NOT NULL, created_at_us bigint NOT NULL, created_by_user_id bigint,
      created_by_station_id bigint, organisation_id bigint NOT NULL)`,
    'INSERT INTO new_batches SELECT * FROM batches',
    'DROP TABLE batches',
    'ALTER TABLE new_batches RENAME TO batches',
  ],
}
const COPY = `${DATABASE_FILE}.before-${NEXT.name}`

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-migrate-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

async function execute(script: string): Promise<void> {
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(join(folder, DATABASE_FILE))
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
async function readTables(file = DATABASE_FILE): Promise<Map<string, Row[]>> {
  const names = await read(
    `SELECT name FROM sqlite_master WHERE type = 'table'
      AND name NOT LIKE '%_search%' AND name NOT LIKE 'search_index%' AND name NOT LIKE 'sqlite_%'`,
    file,
  )
  const tables = new Map<string, Row[]>()
  for (const name of names) tables.set(String(name), await readRows(`SELECT * FROM ${String(name)}`, file))
  return tables
}

function migrateToNext(log?: { warn: (text: string) => void }): Promise<void> {
  const silent = { error: () => undefined, info: () => undefined, warn: () => undefined }
  return migrate(folder, { migrations: [...MIGRATIONS, NEXT], log: { ...silent, ...log } })
}

it('makes keys from before roles those of admins, and gives stations none', async () => {
  const log = { error: () => undefined, info: () => undefined, warn: () => undefined }
  const index = MIGRATIONS.findIndex(({ statements }) => statements.some((text) => text.includes('role')))
  await migrate(folder, { migrations: MIGRATIONS.slice(0, index), log })
  await execute(`INSERT INTO users (id, public_id, created_at_us) VALUES (1, 'u', 0);
    INSERT INTO stations (id, public_id, name, name_folded, created_at_us) VALUES (2, 's', 'S', 's', 0);
    INSERT INTO api_keys (id, public_id, kind, name, hint, hash, user_id, station_id, created_at_us)
      VALUES (3, 'a', 'user', 'A', '', 'x', 1, NULL, 0), (4, 'b', 'station', 'B', '', 'y', 1, 2, 0)`)
  await migrate(folder, { migrations: MIGRATIONS, log })
  expect(await read('SELECT role FROM api_keys ORDER BY id')).toEqual(['admin', null])
})

describe('a database that a later release brings up to date', () => {
  let runId: string

  beforeEach(async () => {
    ;({ runId } = await createFullRecord(await startTestServer({ data: folder })))
  })

  it('keeps every row, and its views have the columns that tables have now', async () => {
    const before = await readTables()
    expect([...before].filter(([, rows]) => rows.length === 0).map(([table]) => table)).toEqual([])
    const warned: string[] = []
    await migrateToNext({ warn: (text) => void warned.push(text) })
    const after = await readTables()
    for (const [table, rows] of before) {
      const kept = after.get(table) ?? []
      for (const row of rows) expect(kept, table).toContainEqual(expect.objectContaining(row))
      if (table !== 'applied_migrations') expect([table, kept.length]).toEqual([table, rows.length])
    }
    expect(await read(`SELECT next_text FROM live_runs WHERE public_id = '${runId}'`)).toEqual([null])
    expect(await read('SELECT number FROM live_batches')).toEqual(
      before.get('batches')?.map(({ number }) => number),
    )
    expect(await read('PRAGMA foreign_key_check')).toEqual([])
    expect(await read('PRAGMA integrity_check')).toEqual(['ok'])
    expect(warned).toEqual([
      expect.stringMatching(/^Bringing the database up to Runledger .* A copy stays: .*998-next$/),
      'The database is up to date.',
    ])
  })

  it('leaves a copy of itself, once, for its owner alone', async () => {
    const before = await readTables()
    await migrateToNext()
    await execute('DELETE FROM sign_in_codes')
    await migrateToNext()
    expect((await readdir(folder)).filter((file) => file.includes('before'))).toEqual([COPY])
    expect((await stat(join(folder, COPY))).mode & 0o777).toBe(0o600)
    expect(await readTables(COPY)).toEqual(before)
  })

  it('is refused by this release, and served again once its copy is put back as the message says', async () => {
    await migrateToNext()
    await expect(startTestServer({ data: folder })).rejects.toMatchObject({
      code: 'START_ERROR',
      message: expect.stringContaining(`put the copy from before it (${DATABASE_FILE}.before-…)`) as unknown,
    })
    for (const file of [DATABASE_FILE, `${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`, MARK_FILE])
      await rm(join(folder, file), { force: true })
    await rename(join(folder, COPY), join(folder, DATABASE_FILE))
    const server = await startTestServer({ data: folder })
    expect(await server.getRun(runId)).toMatchObject({ id: runId, attachments: [{}, {}] })
    await server.stop()
  })

  describe('by a migration that fails', () => {
    const change = 'CREATE TABLE added (id bigint)'
    const failBy = (...statements: string[]) =>
      migrate(folder, { migrations: [...MIGRATIONS, { name: '999-failing', statements }] })

    async function expectUnchanged(): Promise<void> {
      expect(await read('SELECT name FROM applied_migrations')).toEqual(MIGRATIONS.map(({ name }) => name))
      expect(await read(`SELECT name FROM sqlite_master WHERE name = 'added'`)).toEqual([])
      expect(await read(`SELECT public_id FROM live_runs WHERE public_id = '${runId}'`)).toEqual([runId])
    }

    it('stays as it was', async () => {
      await expect(failBy(change, 'nonsense')).rejects.toThrow('syntax error')
      await expectUnchanged()
      await migrate(folder)
    })

    it('for want of room stays as it was, and the error says so', async () => {
      const large = 'INSERT INTO added SELECT zeroblob(10000000)'
      await expect(failBy(change, 'PRAGMA max_page_count = 1', large)).rejects.toMatchObject({
        code: 'START_ERROR',
        message: expect.stringMatching(/has no room to bring the database up to .* Nothing was changed\./),
      })
      await expectUnchanged()
    })

    it('because no copy can be made stays as it was, without a part of a copy', async () => {
      const copy = join(folder, COPY)
      await mkdir(join(copy, 'in the way'), { recursive: true })
      await expect(migrateToNext()).rejects.toThrow()
      await expectUnchanged()
      expect(existsSync(`${copy}.unfinished`)).toBe(false)
    })
  })
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
  await migrate(folder)
  await mkdir(join(folder, 'blobs/aa'), { recursive: true })
  const blob = join(folder, 'blobs/aa', `${'a'.repeat(64)}-0123456789abcdef-1`)
  await writeFile(blob, 'the only copy')
  const database = join(folder, DATABASE_FILE)
  await execute(`VACUUM INTO '${database}.whole'`)
  const damaged = await readFile(`${database}.whole`)
  damaged.fill(0xff, 100, 4096)
  for (const bytes of [Buffer.from('no database at all '.repeat(100)), damaged]) {
    // A new file: a connection that is closed late would write its log to the old one.
    for (const file of [database, `${database}-wal`, `${database}-shm`]) await rm(file, { force: true })
    await writeFile(database, bytes)
    await expect(startTestServer({ data: folder })).rejects.toThrow(
      /runledger\.db is damaged, or is not an SQLite database: .*\. No file was touched\. "runledger restore <backup>/,
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
