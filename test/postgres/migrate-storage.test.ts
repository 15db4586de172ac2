import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { resolveServerConfig } from '../../packages/server/src/base/config/server-config'
import {
  type MigratedStorage,
  migrateStorage,
} from '../../packages/server/src/upkeep/migration/migrate-storage'
import type { StoragePlace } from '../../packages/server/src/upkeep/migration/open-end'
import type { MigrationProgress } from '../../packages/server/src/upkeep/migration/running-migration'
import { type S3StandIn, startS3StandIn } from '../../packages/server/src/testing/s3-stand-in'
import { startTestServer } from '../../packages/server/src/testing/start-test-server'
import { connectToDatabase } from '../../packages/server/src/testing/test-database'
import {
  breakAfter,
  createFullRecord,
  EXACT_NUMBERS,
  type FullRecord,
  openSqlite,
} from '../support/full-record'
import { describeWithPostgres } from './with-postgres'

describeWithPostgres('a record that is moved between SQLite, PostgreSQL, folders and buckets', (postgres) => {
  let store: S3StandIn
  let original: string
  let record: FullRecord
  let folder: string
  let count = 0
  let sqlite: StoragePlace

  beforeAll(async () => {
    store = await startS3StandIn()
    original = await mkdtemp(path.join(os.tmpdir(), 'runledger-original-'))
    record = await createFullRecord(await startTestServer({ data: original, projectDir: original }))
  })

  afterAll(async () => {
    await store.stop()
    await rm(original, { recursive: true, force: true })
  })

  beforeEach(async () => {
    count += 1
    folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-migrate-'))
    sqlite = inFolder('sqlite')
    await cp(original, sqlite.dataDir, { recursive: true })
  })

  afterEach(() => rm(folder, { recursive: true, force: true }))

  const inFolder = (name: string): StoragePlace => ({
    dataDir: path.join(folder, name),
    database: undefined,
    storage: undefined,
  })

  const inPostgres = async (name: string): Promise<StoragePlace> => ({
    ...inFolder(name),
    database: await postgres().createDatabase(`migrate_${count}_${name}`),
  })

  const inBucket = async (name: string): Promise<StoragePlace> => {
    const { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY } = store.credentials
    const { dataDir, database = '' } = await inPostgres(name)
    return resolveServerConfig(
      { data: dataDir, database, storage: store.addressOf(`bucket-${count}-${name}`) },
      { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
    )
  }

  const serve = ({ dataDir, database, storage }: StoragePlace) =>
    startTestServer({ data: dataDir, database, projectDir: folder }, { config: { storage } })

  async function expectServed(place: StoragePlace): Promise<void> {
    const server = await serve(place)
    // The key of the former place, and an address that it signed.
    const { phases } = await server.getRun(record.runId)
    const numbers = phases.flatMap(({ measurements }) => measurements.map((each) => each.measured_value))
    expect(numbers).toEqual(EXACT_NUMBERS)
    expect(await (await fetch(server.url + record.downloadPath)).text()).toBe('what the test printed')
    const found = await server.send('GET', '/v2/runs?search_query=RACK')
    expect(((await found.json()) as { data: unknown[] }).data).toHaveLength(1)
    await server.stop()
    expect(server.logged).toEqual([])
  }

  it('is the same in each, with a row of every table, and served as before', async () => {
    const places = [sqlite, await inBucket('a'), await inPostgres('b'), await inBucket('c'), inFolder('last')]
    const moved: MigratedStorage[] = []
    for (const [index, to] of places.slice(1).entries())
      moved.push(await migrateStorage({ from: places[index] as StoragePlace, to }))
    const [first] = moved as [MigratedStorage]
    expect(first.tables.filter(({ rows }) => rows === 0)).toEqual([])
    for (const { tables, lost, bytes } of moved)
      expect({ tables, lost, bytes }).toEqual({ tables: first.tables, lost: [], bytes: first.bytes })
    expect(await listEqualTables(sqlite.dataDir, inFolder('last').dataDir)).toBe(first.tables.length)
    for (const place of places.slice(1)) await expectServed(place)
  })

  /** Compared by SQLite itself. */
  async function listEqualTables(one: string, other: string): Promise<number> {
    const connection = await openSqlite(one)
    connection.exec(`ATTACH '${path.join(other, 'runledger.db')}' AS other`)
    const tables = connection
      .prepare(
        `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
        AND name NOT LIKE 'sqlite%' AND name <> 'applied_migrations'`,
      )
      .all() as { name: string }[]
    for (const { name } of tables) {
      // Each store has names of its own for the same bytes.
      const columns = name === 'blobs' ? 'sha256, size_bytes, reference_count' : '*'
      for (const [from, to] of [
        ['main', 'other'],
        ['other', 'main'],
      ]) {
        const text = `SELECT ${columns} FROM ${from}.${name} EXCEPT SELECT ${columns} FROM ${to}.${name}`
        expect([name, connection.prepare(text).all()]).toEqual([name, []])
      }
    }
    connection.close()
    return tables.length
  }

  it('goes on where it broke off, wherever that was, and is not served before it is whole', async () => {
    for (const [from, to] of [
      [sqlite, await inBucket('there')],
      [await inBucket('again'), inFolder('back')],
    ] as const) {
      if (from !== sqlite) await migrateStorage({ from: sqlite, to: from })
      let broken = 0
      let moved: MigratedStorage | undefined
      for (let after = 1; moved === undefined; after += 30) {
        moved = await migrateStorage({ from, to, progress: breakAfter(after) }).catch(
          async (error: Error) => {
            expect(error.message).toBe('broken off')
            await expect(serve(to)).rejects.toThrow(/is not complete.*migrate-storage/)
            broken += 1
            return undefined
          },
        )
      }
      expect(broken).toBeGreaterThan(5)
      expect(moved).toMatchObject({ resumed: true, lost: [], copied_rows: 0, blobs: 3 })
      await expectServed(to)
    }
  })

  it('copies no bytes twice, and goes on after the bucket was away', async () => {
    const to = await inBucket('away')
    store.refuse('PUT', 503, 3)
    const isObject = (request: string) => /^PUT .*-away\/[0-9a-f]{2}\//.test(request)
    // The first is database.json.
    await expect(migrateStorage({ from: sqlite, to })).rejects.toThrow(/bucket .* cannot be used: .*503/)
    await expect(migrateStorage({ from: sqlite, to, progress: breakAfter(60) })).rejects.toThrow('broken off')
    store.refuse('GET', 500)
    await expect(migrateStorage({ from: sqlite, to })).rejects.toThrow(/500/)
    store.refuse('GET', 500, 0)
    await migrateStorage({ from: sqlite, to })
    expect(store.requests.filter(isObject)).toHaveLength(3)
    expect([...store.objects.keys()].filter((name) => name.startsWith(`bucket-${count}-away/`))).toHaveLength(
      4,
    )
  })

  it('is refused from a database that a service uses, and blocks writes meanwhile', async () => {
    const from = await inPostgres('served')
    await migrateStorage({ from: sqlite, to: from })
    const server = await serve({ ...from, database: `${from.database}?application_name=of-the-team` })
    // Longer than the driver keeps what nobody uses.
    await sleep(11_000)
    const other = { ...from, dataDir: path.join(folder, 'beside') }
    await cp(path.join(from.dataDir, 'database.json'), path.join(other.dataDir, 'database.json'), {
      recursive: true,
    })
    await expect(migrateStorage({ from: other, to: inFolder('to') })).rejects.toThrow(
      /A Runledger service uses .*--from-database/,
    )
    await server.stop()
    const client = await connectToDatabase(from.database ?? '')
    let writing: Promise<unknown> | undefined
    const progress: MigrationProgress = {
      expect: () => undefined,
      step: () => {
        writing ??= client
          .query(`SET lock_timeout = 50; UPDATE users SET name = 'x'`)
          .catch((error: unknown) => error)
      },
    }
    await migrateStorage({ from, to: inFolder('to'), progress })
    expect(String(await writing)).toMatch(/lock timeout/)
    await client.end()
  })

  it('is refused from and to a database that does not fit', async () => {
    const used = await inPostgres('used')
    await (await serve(used)).stop()
    await expect(migrateStorage({ from: sqlite, to: used })).rejects.toThrow(
      /The target is not empty: .*--to-database/,
    )
    const empty = await inPostgres('empty')
    await expect(migrateStorage({ from: empty, to: inFolder('to') })).rejects.toThrow(/There is no folder/)
    await (await serve(await inBucket('else'))).stop()
    const ofEmpty = { ...empty, dataDir: path.join(folder, 'else') }
    await expect(migrateStorage({ from: ofEmpty, to: inFolder('to') })).rejects.toThrow(
      /no records in the PostgreSQL database.*--from-database/,
    )
    const client = await connectToDatabase(used.database ?? '')
    await client.query(`INSERT INTO applied_migrations (name, applied_at_us) VALUES ('999-future', 1)`)
    await client.end()
    await expect(migrateStorage({ from: used, to: inFolder('to') })).rejects.toThrow(/is newer than this one/)
    expect(await readdir(folder)).not.toContain('to')
  })

  it('is refused into a database to which another migration is under way', async () => {
    const to = await inPostgres('twice')
    const client = await connectToDatabase(to.database ?? '')
    // The number that such a migration locks.
    await client.query('SELECT pg_advisory_lock(73572027)')
    const waiting = migrateStorage({ from: sqlite, to })
    await new Promise((resolve) => setTimeout(resolve, 300))
    await client.end()
    expect((await waiting).lost).toEqual([])
  })
})
