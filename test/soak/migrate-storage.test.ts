import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadSqlite } from '../../packages/server/src/storage/database/sqlite/sqlite-driver'
import type { MigratedStorage } from '../../packages/server/src/index'
import { type S3StandIn, startS3StandIn } from '../../packages/server/src/testing/s3-stand-in'
import { connectToDatabase } from '../../packages/server/src/testing/test-database'
import { makeDataFolder } from '../bench/service-fill.mjs'
import { describeWithPostgres } from '../postgres/with-postgres'
import { Random, SOAK_SEED } from '../support/random'
import { REPOSITORY } from '../support/repository'

// `npm run soak -- migrate-storage` sets these.
const { SOAK_RUNS = '200', SOAK_MEGABYTES = '20' } = process.env
const SIZES = {
  runs: Number(SOAK_RUNS),
  steps: 10,
  attachments: 1,
  seed: 1,
  megabytes: Number(SOAK_MEGABYTES),
}
const BUCKET = 'runs'

/** How much of all rows has come when each call is killed, at least; the last while it compares both sides. */
const KILLED_AT = [0.05, 0.25, 0.5, 0.75, 1]

describeWithPostgres('a data folder', (postgres) => {
  let folder: string
  let store: S3StandIn
  let url: string

  beforeAll(async () => {
    // Beside the folders that were filled before, so that a copy can share its files.
    await mkdir(path.join(REPOSITORY, '.cache'), { recursive: true })
    folder = await mkdtemp(path.join(REPOSITORY, '.cache/migrate-'))
    store = await startS3StandIn({ folder: path.join(folder, 'bucket') })
    url = await postgres().createDatabase('moved')
  })

  afterAll(async () => {
    await store.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it(
    `of ${SIZES.runs} runs and ${SIZES.megabytes} MB moves to PostgreSQL and S3 and back, killed ${KILLED_AT.length} times each way (seed ${SOAK_SEED})`,
    async () => {
      const first = await makeDataFolder(path.join(folder, 'first'), SIZES)
      const beside = path.join(folder, 'beside')
      const last = path.join(folder, 'last')
      const inStore = (side: 'from' | 'to') => [
        `--${side}-data=${beside}`,
        `--${side}-database=${url}`,
        `--${side}-storage=${store.addressOf(BUCKET)}`,
      ]
      const all = await countSqliteRows(first)
      const there = await migrateKilled([`--from-data=${first}`, ...inStore('to')], {
        all,
        count: countPostgresRows,
      })
      const back = await migrateKilled([...inStore('from'), `--to-data=${last}`], {
        all,
        count: () => countSqliteRows(last),
      })
      for (const { lost, resumed } of [there, back])
        expect({ lost, resumed }).toEqual({ lost: [], resumed: true })
      expect(back.tables).toEqual(there.tables)
      await expectEqualRows(first, last)
      await expectEqualFiles(first, last, there.blobs)
      expect(await readCredentials(last)).toEqual(await readCredentials(first))
    },
    300_000 + SIZES.runs * 100 + SIZES.megabytes * 1000,
  )

  interface Way {
    /** How many rows there are in the end. */
    all: number
    /** How many have come. */
    count: () => Promise<number>
  }

  async function migrateKilled(args: readonly string[], { all, count }: Way): Promise<MigratedStorage> {
    const random = new Random(SOAK_SEED)
    const startedAt = performance.now()
    for (const share of KILLED_AT) {
      const least = share === 1 ? all : all * (share + random.next() * 0.15)
      const call = startMigration(args)
      await waitFor(least, count, call.ended)
      await sleep(share === 1 ? random.between(0, 50) : 0)
      expect(call.kill(), `the call ended before it was killed: ${await call.readText()}`).toBe(true)
      await call.ended
    }
    const call = startMigration(args)
    expect(await call.ended, await call.readText()).toBe(0)
    const moved = JSON.parse(await call.readText()) as MigratedStorage
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const { tables, ...rest } = moved
    console.log(`${seconds} s, ${tables.length} tables, the last call ${JSON.stringify(rest)}`)
    return moved
  }

  function startMigration(args: readonly string[]) {
    const cli = path.join(REPOSITORY, 'packages/cli/dist/bin.js')
    const env = {
      ...process.env,
      AWS_ACCESS_KEY_ID: store.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.credentials.secretAccessKey,
    }
    const child = spawn(process.execPath, [cli, 'migrate-storage', '--json', ...args], { env })
    const written = buffer(child.stdout)
    child.stderr.resume()
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    return {
      ended,
      kill: () => child.exitCode === null && child.kill('SIGKILL'),
      readText: async () => (child.exitCode === null ? '' : String(await written)),
    }
  }

  async function countPostgresRows(): Promise<number> {
    const client = await connectToDatabase(url)
    try {
      const { rows: tables } = await client.query<{ name: string }>(
        'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
      )
      const { rows } = await client.query<{ count: string }>(selectCount(tables))
      return Number(rows[0]?.count)
    } finally {
      await client.end()
    }
  }
})

/** Until so many rows have come, or the call has ended, which it should not. */
async function waitFor(rows: number, count: () => Promise<number>, ended: Promise<unknown>): Promise<void> {
  for (;;) {
    const startedAt = performance.now()
    const found = await count().catch(() => 0)
    if (found >= rows) return
    // Counting takes longer the more there is.
    const pause = sleep(20 + 3 * (performance.now() - startedAt))
    if ((await Promise.race([pause, ended.then(() => 'ended')])) === 'ended') return
  }
}

/** All but what each database notes of itself. */
function selectCount(tables: readonly { name: string }[]): string {
  const counts = tables
    .filter(({ name }) => name !== 'applied_migrations' && name !== 'settings')
    .map(({ name }) => `(SELECT count(*) FROM "${name}")`)
  return `SELECT ${counts.join(' + ')} AS count`
}

const SELECT_TABLES = `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
  AND name NOT LIKE 'sqlite%' AND name <> 'applied_migrations'`

async function countSqliteRows(dataDir: string): Promise<number> {
  const file = path.join(dataDir, 'runledger.db')
  if (!existsSync(file)) return 0
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = connection.prepare(SELECT_TABLES).all() as { name: string }[]
    return (connection.prepare(selectCount(tables)).all()[0] as { count: number }).count
  } finally {
    connection.close()
  }
}

/** By SQLite, which compares the rows of both databases itself. */
async function expectEqualRows(first: string, last: string): Promise<void> {
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(path.join(first, 'runledger.db'))
  connection.exec(`ATTACH '${path.join(last, 'runledger.db')}' AS last`)
  const tables = connection.prepare(SELECT_TABLES).all() as { name: string }[]
  expect(tables.length).toBeGreaterThan(30)
  for (const { name } of tables) {
    for (const [one, other] of [
      ['main', 'last'],
      ['last', 'main'],
    ]) {
      // Each store has names of its own for the same bytes.
      const columns = name === 'blobs' ? 'sha256, size_bytes, reference_count' : '*'
      const text = `SELECT ${columns} FROM ${one}.${name} EXCEPT SELECT ${columns} FROM ${other}.${name} LIMIT 5`
      expect([name, connection.prepare(text).all()]).toEqual([name, []])
    }
  }
  connection.close()
}

/** Each with the bytes that its name begins with the digest of. */
async function expectEqualFiles(first: string, last: string, count: number): Promise<void> {
  const digests = await hashFiles(last)
  expect(digests).toHaveLength(count)
  expect(digests).toEqual(await hashFiles(first))
}

async function hashFiles(dataDir: string): Promise<string[]> {
  const files = await readdir(path.join(dataDir, 'blobs'), { recursive: true })
  const digests = new Set<string>()
  for (const file of files.filter((name) => /^[0-9a-f]{2}\/[0-9a-f]{64}/.test(name))) {
    const hash = createHash('sha256')
    for await (const bytes of createReadStream(path.join(dataDir, 'blobs', file)))
      hash.update(bytes as Buffer)
    const digest = hash.digest('hex')
    expect(path.basename(file).startsWith(digest), file).toBe(true)
    // A file that was copied when the migration was killed is there twice, until the service cleans up.
    digests.add(digest)
  }
  return [...digests].toSorted()
}

async function readCredentials(dataDir: string): Promise<unknown> {
  return JSON.parse(await readFile(path.join(dataDir, 'credentials.json'), 'utf8')) as unknown
}
