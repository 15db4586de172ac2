import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  breakAfter,
  createFullRecord,
  type FullRecord,
  openSqlite,
} from '../../../../../test/support/full-record'
import { lockDataFolder } from '../../storage/database/sqlite/sqlite-driver'
import { startTestServer } from '../../testing/start-test-server'
import { backUp } from '../back-up'
import { checkData } from '../check-data'
import { migrateStorage } from './migrate-storage'
import type { MigrationProgress } from './running-migration'
import { resolveStoragePlace } from './resolve-places'
import { openSqliteTables } from './sqlite-table-store'
import { readRows, type Table, type TableStore } from './table-store'

let original: string
let record: FullRecord
let folder: string
let from: string
let to: string

beforeAll(async () => {
  original = await mkdtemp(join(tmpdir(), 'runledger-original-'))
  record = await createFullRecord(await startTestServer({ data: original, projectDir: original }))
  return () => rm(original, { recursive: true, force: true })
})

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-migrate-'))
  from = join(folder, 'from')
  to = join(folder, 'to')
  await cp(original, from, { recursive: true })
})

afterEach(() => rm(folder, { recursive: true, force: true }))

function placeIn(dataDir: string) {
  return { dataDir, database: undefined, storage: undefined }
}

function migrate(progress?: MigrationProgress) {
  return migrateStorage({ from: placeIn(from), to: placeIn(to), progress })
}

async function execute(dataDir: string, sql: string): Promise<void> {
  const connection = await openSqlite(dataDir)
  connection.exec(sql)
  connection.close()
}

describe('a record in a folder that is moved to another', () => {
  it('is there with a row of every table, and served as before', async () => {
    const moved = await migrate()
    expect(moved.tables.filter(({ rows }) => rows === 0)).toEqual([])
    expect(moved).toMatchObject({ resumed: false, lost: [], blobs: 3, copied_rows: moved.rows })
    expect(await checkData(to, { bytes: true })).toMatchObject({ ok: true, leftover_files: 0 })
    const read = (dataDir: string) => readFile(join(dataDir, 'credentials.json'), 'utf8')
    expect(await read(to)).toBe(await read(from))
    const server = await startTestServer({ data: to, projectDir: folder })
    expect(await (await fetch(server.url + record.downloadPath)).text()).toBe('what the test printed')
    expect((await server.getRun(record.runId)).phases.length).toBeGreaterThan(5)
    const units = await server.send('GET', '/v2/units/CARD')
    expect(await units.json()).toMatchObject({ parent: { serial_number: 'RACK' } })
    await server.stop()
  })

  it('goes on where it broke off, wherever that was, and is not served before it is whole', async () => {
    const whole = await migrateStorage({ from: placeIn(from), to: placeIn(join(folder, 'at-once')) })
    let copied = 0
    for (let after = 0; after < 2 * whole.rows; after += 40) {
      await expect(migrate(breakAfter(after))).rejects.toThrow('broken off')
      await expect(startTestServer({ data: to })).rejects.toThrow(/is not complete.*migrate-storage/)
      const { problems } = await checkData(to)
      expect(problems).toContainEqual({
        kind: 'database',
        message: expect.stringContaining('is not complete') as string,
      })
      copied += 1
    }
    expect(copied).toBeGreaterThan(5)
    const moved = await migrate()
    expect(moved.resumed).toBe(true)
    expect(moved.tables).toEqual(whole.tables)
    await (await startTestServer({ data: to, projectDir: folder })).stop()
  })

  it('is refused when something changed between two calls', async () => {
    await expect(migrate(breakAfter(60))).rejects.toThrow('broken off')
    await execute(from, `UPDATE users SET name = 'Somebody else'`)
    await expect(migrate()).rejects.toThrow(/The table users of source and target differ.*begin anew/)
  })

  it('is read few rows at once where they are long', async () => {
    await execute(from, `UPDATE run_logs SET message = replace(hex(zeroblob(1500000)), '00', 'ab')`)
    await execute(
      from,
      `INSERT INTO run_logs SELECT run_id, log.id + number.value, level, timestamp_us, message, source_file, line_number
        FROM (SELECT * FROM run_logs LIMIT 1) AS log, json_each('[1001, 1002, 1003, 1004, 1005, 1006]') AS number`,
    )
    const tables = await openSqliteTables(from)
    const logs = (await tables.listTables()).find(({ name }) => name === 'run_logs') as Table
    const limits: number[] = []
    const watched: Pick<TableStore, 'read'> = {
      read: (sql, values) => {
        limits.push(Number(/ LIMIT (\d+)/.exec(sql)?.[1]))
        return tables.read(sql, values)
      },
    }
    const pages: number[] = []
    for await (const rows of readRows(watched, logs, { atOnce: 2_000 })) pages.push(rows.length)
    await tables.close()
    expect(Math.max(...pages)).toBe(3)
    // Few are measured too, once it is known that they are long.
    expect(Math.max(...limits.slice(1))).toBe(6)
    expect((await migrate()).tables.find(({ name }) => name === 'run_logs')?.rows).toBe(
      pages.reduce((sum, rows) => sum + rows, 0),
    )
  })

  it('lacks what the source has lost, and says so', async () => {
    const [lost, damaged] = (await listBlobs(from)) as [Blob, Blob]
    await rm(join(from, 'blobs', lost.object_name))
    await writeFile(join(from, 'blobs', damaged.object_name), 'something else')
    expect((await migrate()).lost).toEqual([lost.sha256, damaged.sha256].toSorted())
    const files = (await readdir(join(to, 'blobs'), { recursive: true })).join()
    expect(files).not.toContain(lost.sha256)
    expect(files).not.toContain(damaged.sha256)
  })

  it('has its bytes copied again where they were damaged on the way', async () => {
    await expect(migrate(breakAfter(150))).rejects.toThrow('broken off')
    const [first] = (await listBlobs(to)) as [Blob]
    await writeFile(join(to, 'blobs', first.object_name), 'something else')
    expect((await migrate()).lost).toEqual([])
    expect(await checkData(to, { bytes: true })).toMatchObject({ ok: true })
  })

  interface Blob {
    sha256: string
    object_name: string
  }

  async function listBlobs(dataDir: string): Promise<Blob[]> {
    const connection = await openSqlite(dataDir)
    const rows = connection.prepare('SELECT sha256, object_name FROM blobs ORDER BY sha256').all()
    connection.close()
    return rows as Blob[]
  }
})

describe('a migration is refused', () => {
  it('from and to a folder that a service uses', async () => {
    const unlock = await lockDataFolder(from)
    await expect(migrate()).rejects.toThrow(/service uses the data folder .*from\..*--from-data/)
    unlock()
    await (await startTestServer({ data: to, projectDir: folder })).stop()
    const unlockTarget = await lockDataFolder(to)
    await expect(migrate()).rejects.toThrow(/service uses the data folder .*to\..*--to-data/)
    unlockTarget()
  })

  it('to a folder that is not empty, or to which another record is being moved', async () => {
    await (await startTestServer({ data: to, projectDir: folder })).stop()
    await expect(migrate()).rejects.toThrow(/The target is not empty: the table .* has rows.*--to-data/)
    const other = join(folder, 'other')
    await (await startTestServer({ data: other, projectDir: folder })).stop()
    to = join(folder, 'third')
    await expect(migrate(breakAfter(60))).rejects.toThrow('broken off')
    await expect(migrateStorage({ from: placeIn(other), to: placeIn(to) })).rejects.toThrow(
      /The move of another record/,
    )
    await expect(migrateStorage({ from: placeIn(to), to: placeIn(join(folder, 'x')) })).rejects.toThrow(
      /is not complete/,
    )
  })

  it('to a folder with files that no record names, or to itself', async () => {
    await cp(join(from, 'blobs'), join(to, 'blobs'), { recursive: true })
    await expect(migrate()).rejects.toThrow(/has files in blobs.*--to-data/)
    to = from
    await expect(migrate()).rejects.toThrow(/are in each other/)
  })

  it('from a newer release, from a backup and from a place without records', async () => {
    await execute(from, `INSERT INTO applied_migrations (name, applied_at_us) VALUES ('999-future', 1)`)
    await expect(migrate()).rejects.toThrow(/is newer than this one/)
    const backup = join(folder, 'backup')
    await backUp(original, backup)
    await expect(migrateStorage({ from: placeIn(backup), to: placeIn(to) })).rejects.toThrow(/holds a backup/)
    const empty = placeIn(join(folder, 'empty'))
    await expect(migrateStorage({ from: empty, to: placeIn(to) })).rejects.toThrow(
      /There is no folder .*--from-data/,
    )
    await mkdir(empty.dataDir)
    await expect(migrateStorage({ from: empty, to: placeIn(to) })).rejects.toThrow(
      /There are no records .*--from-data.*--from-database \(RUNLEDGER_FROM_DATABASE\)/,
    )
  })

  it('with settings that make no sense, in the names of its side', async () => {
    await expect(resolveStoragePlace('from', {}, {})).rejects.toThrow(
      '--from-data (RUNLEDGER_FROM_DATA) is missing',
    )
    const withoutDatabase = { data: to, storage: 's3://runs' }
    await expect(resolveStoragePlace('to', withoutDatabase, {})).rejects.toThrow(
      /^--to-storage \(RUNLEDGER_TO_STORAGE\) needs --to-database/,
    )
    const env = { RUNLEDGER_TO_DATA: to, RUNLEDGER_TO_DATABASE: 'mysql://u:hunter2@h' }
    const refusal = await resolveStoragePlace('to', {}, env).catch(String)
    expect(refusal).toMatch(/--to-database \(RUNLEDGER_TO_DATABASE\) must be/)
    expect(refusal).not.toMatch('hunter2')
    expect(await resolveStoragePlace('to', {}, { RUNLEDGER_TO_DATA: to })).toEqual(placeIn(to))
  })
})
