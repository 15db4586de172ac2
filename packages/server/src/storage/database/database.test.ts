import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase, dropTestDatabase, isOnPostgres } from '../../testing/test-database'
import type { Database, Query, Transaction } from './database'
import { insertRows } from './rows'
import { createKeyGenerator, deriveUuid, findHighestKey, firstKeyAt, parseDerivedUuid } from './keys'
import { migrate } from './sqlite/migrate'
import { onlyIf } from '../../../../../test/support/only-if'
import { openPostgresDatabase } from './postgres/postgres-database'
import { openSqliteDatabase } from './sqlite/sqlite-database'
import { loadSqlite, sqliteModuleName } from './sqlite/sqlite-driver'
import { startThread } from './sqlite/sqlite-peer'
import { DATABASE_FILE } from '../folder/data-folder'

let folder: string
let database: Database

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-database-'))
  database = await open()
})

afterEach(async () => {
  await database.close()
  await dropTestDatabase(folder)
  await rm(folder, { recursive: true, force: true })
})

/** The database of the folder, on whatever the tests run. */
async function open(limits: { writeLimitMs?: number; closeLimitMs?: number } = {}): Promise<Database> {
  const url = await createTestDatabase(folder)
  return url === undefined ? openSqliteDatabase(folder, limits) : openPostgresDatabase(url, limits)
}

function insertKeys(transaction: Transaction, keys: number[]): Promise<void> {
  return insertRows(transaction, {
    table: 'things',
    columns: ['id', 'name'],
    rows: keys.map((key) => [key, `n${key}`]),
  })
}

async function readKeys(transaction: Transaction): Promise<number[]> {
  const rows = await transaction.all<{ id: number }>('SELECT id FROM things ORDER BY id', [])
  return rows.map(({ id }) => id)
}

async function readThings(query: Query): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`SELECT id FROM things ORDER BY id`.execute(query)
  return rows.map(({ id }) => id)
}

describe('transactions', () => {
  beforeEach(() =>
    database.write((transaction) =>
      transaction.run('CREATE TABLE things (id bigint PRIMARY KEY, name text)', []),
    ),
  )

  it('store nothing of work that fails', async () => {
    const failing = database.write(async (transaction) => {
      await insertKeys(transaction, [1, 2])
      throw new Error('half way')
    })
    await expect(failing).rejects.toThrow('half way')
    expect(await database.write(readKeys)).toEqual([])
  })

  it('keep every number as it is, however little above 0', async () => {
    const numbers = [1e-17, 2.2e-16, 5e-324, 2.2250738585072014e-308, -1e-17, 0, 1 + Number.EPSILON, 0.1]
    await database.write(async ({ run }) => {
      await run('CREATE TABLE numbers (id bigint PRIMARY KEY, value double precision)', [])
      for (const [id, value] of numbers.entries()) await run('INSERT INTO numbers VALUES (?, ?)', [id, value])
    })
    const rows = await database.write(({ all }) =>
      all<{ value: number }>('SELECT value FROM numbers ORDER BY id', []),
    )
    expect(rows.map(({ value }) => value)).toEqual(numbers)
    const { rows: found } = await sql<{ id: number }>`SELECT id FROM numbers WHERE value = ${1e-17}`.execute(
      database.query,
    )
    expect(found).toEqual([{ id: 0 }])
  })

  it('wait for the writer to keep up, and let others have their turn', async () => {
    let turns = 0
    const timer = setInterval(() => (turns += 1), 1)
    await database.write(async (transaction) => {
      for (let key = 0; key < 50_000; key += 500)
        await insertKeys(
          transaction,
          Array.from({ length: 500 }, (_, index) => key + index),
        )
    })
    clearInterval(timer)
    expect(turns).toBeGreaterThan(5)
    expect(await database.write(readKeys)).toHaveLength(50_000)
  })

  it('run one after another, each on what the one before committed', async () => {
    const sizes = await Promise.all(
      [1, 2, 3, 4].map((key) =>
        database.write(async (transaction) => {
          await insertKeys(transaction, [key])
          await new Promise((resolve) => setTimeout(resolve, 5))
          return (await readKeys(transaction)).length
        }),
      ),
    )
    expect(sizes).toEqual([1, 2, 3, 4])
  })

  it('are done again with fresh keys when a key exists already', async () => {
    await database.write((transaction) => insertKeys(transaction, [7]))
    let key = 6
    await database.write((transaction) => insertKeys(transaction, [++key]))
    expect(await database.write(readKeys)).toEqual([7, 8])
  })

  it('that wait for each other and fail are undone alone, the first of them too', async () => {
    const writes = [1, 2, 3, 4, 5].map((key) =>
      database.write(async (transaction) => {
        await insertKeys(transaction, [key])
        if (key === 1 || key === 3) throw new Error(`refused ${key}`)
        if (key === 4) await transaction.run('INSERT INTO nowhere VALUES (1)', [])
        return key
      }),
    )
    const outcomes = await Promise.allSettled(writes)
    expect(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
    ).toEqual(['refused 1', 2, 'refused 3', expect.stringContaining('nowhere'), 5])
    expect(await database.write(readKeys)).toEqual([2, 5])
  })

  it('fail by the statement that failed, not by what was made of it', async () => {
    const failing = database.write(async (transaction) => {
      await transaction.run('INSERT INTO nowhere VALUES (1)', [])
      await transaction.all('SELECT 1', []).catch(() => undefined)
      return 'done'
    })
    await expect(failing).rejects.toThrow('nowhere')
  })

  it('are on disk when they resolve, also for those who read', async () => {
    await Promise.all(
      [1, 2, 3].map(async (key) => {
        await database.write((transaction) => insertKeys(transaction, [key]))
        expect(await readThings(database.query)).toContain(key)
      }),
    )
  })

  it('end after a while when their work does not, and hold up no other', async () => {
    await database.close()
    database = await open({ writeLimitMs: 200 })
    const endless = database.write(async (transaction) => {
      await insertKeys(transaction, [1])
      await new Promise(() => undefined)
    })
    const next = database.write((transaction) => insertKeys(transaction, [2]))
    await expect(endless).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 })
    await next
    expect(await readThings(database.query)).toEqual([2])
  })

  it(
    'end after a while when one statement takes long, or their work goes on after a clash',
    onlyIf(isOnPostgres, 'npm run test:postgres runs it'),
    async () => {
      await database.close()
      database = await open({ writeLimitMs: 200 })
      let attempts = 0
      const slow = database.write(({ query }) => {
        attempts += 1
        return sql`SELECT pg_sleep(60)`.execute(query)
      })
      await expect(slow).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 })
      const clashing = database.write(async (transaction) => {
        attempts += 1
        await insertKeys(transaction, [1, 1])
        await new Promise(() => undefined)
      })
      await expect(clashing).rejects.toThrow(/took longer/)
      expect(attempts).toBe(2)
    },
  )

  it('are finished before the database closes', async () => {
    const writes = [1, 2, 3].map((key) => database.write((transaction) => insertKeys(transaction, [key])))
    await database.close()
    await Promise.all(writes)
    database = await open()
    expect(await readThings(database.query)).toEqual([1, 2, 3])
  })

  it('that get no turn in time are refused when the database closes', async () => {
    await database.close()
    database = await open({ writeLimitMs: 500, closeLimitMs: 100 })
    const endless = database.write(() => new Promise(() => undefined))
    const waiting = database.write((transaction) => insertKeys(transaction, [1]))
    const ended = Promise.allSettled([endless, waiting])
    await database.close()
    expect((await ended).map((each) => each.status)).toEqual(['rejected', 'rejected'])
  })

  it('insert any number of rows in order', async () => {
    const keys = Array.from({ length: 299 }, (_, index) => index)
    await database.write((transaction) => insertKeys(transaction, keys))
    expect(await database.write(readKeys)).toEqual(keys)
  })
})

describe.skipIf(isOnPostgres)('a database of SQLite', () => {
  it('opens although somebody holds the database for a moment, as readers of a killed service do when they end', async () => {
    await database.close()
    const { DatabaseSync } = await loadSqlite()
    const other = new DatabaseSync(join(folder, DATABASE_FILE))
    other.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN IMMEDIATE; CREATE TABLE things (id bigint); COMMIT')
    setTimeout(() => other.close(), 500)
    database = await openSqliteDatabase(folder)
    expect(await readThings(database.query)).toEqual([])
  })

  it('tells of a thread that ends by itself, and not of one that was closed', async () => {
    const start = (module: string) => startThread({ module, path: join(folder, 'other.db'), pragmas: [] })
    const [closed, ended] = [start(sqliteModuleName()), start('./no-such-module')]
    let wasTold = false
    void closed.ended.then(() => (wasTold = true))
    await closed.kill()
    expect(await ended.ended).toBeInstanceOf(Error)
    await expect(ended.ask({ do: 'optimize' })).rejects.toBe(await ended.ended)
    expect(wasTold).toBe(false)
  })

  it('keeps its write-ahead log small although somebody always reads', async () => {
    await database.close()
    database = await openSqliteDatabase(folder, { maxWalBytes: 1_000_000 })
    await database.write(({ run }) => run('CREATE TABLE things (id integer PRIMARY KEY, bytes blob)', []))
    const over = new AbortController()
    // However many rows there are by then, a read is short beside the 200 ms that a checkpoint waits for it.
    const readOne = (query: Query) => sql`SELECT id FROM things LIMIT 1`.execute(query)
    const reading = [1, 2].map(async () => {
      while (!over.signal.aborted) {
        await database.read(async (query) => {
          await readOne(query)
          await new Promise((resolve) => setTimeout(resolve, 20))
          await readOne(query)
        })
      }
    })
    let largest = 0
    let hasShrunk = false
    const endsAt = performance.now() + 20_000
    while (!hasShrunk && performance.now() < endsAt) {
      await database.write(({ run }) => run('INSERT INTO things (bytes) VALUES (zeroblob(20000))', []))
      const { walBytes } = database.stats()
      largest = Math.max(largest, walBytes)
      hasShrunk = largest > 1_000_000 && walBytes < largest / 2
    }
    over.abort()
    await Promise.all(reading)
    expect(hasShrunk).toBe(true)
    await expect.poll(() => database.stats().walBytes, { timeout: 5000 }).toBeLessThanOrEqual(1_000_000)
  }, 30_000)

  it('has keys above all that are stored, records of runs and rows of the search index looked through', async () => {
    await migrate(folder)
    const highest = firstKeyAt(Date.UTC(2090, 0, 1))
    await database.write(async ({ run }) => {
      await run(`INSERT INTO users (id, public_id, created_at_us) VALUES (1, 'u', 1)`, [])
      await run('CREATE TABLE records (run_id bigint, id bigint, PRIMARY KEY (run_id, id)) WITHOUT ROWID', [])
      await run('INSERT INTO records VALUES (1, 2), (1, ?)', [highest])
      await run('CREATE TABLE positions (run_id bigint, position bigint, PRIMARY KEY (run_id, position))', [])
      await run('INSERT INTO positions VALUES (1, 9000000000000000)', [])
      await run('INSERT INTO search_index (rowid, text) VALUES (1, ?)', ['a text '.repeat(1000)])
    })
    const stored = await database.read(findHighestKey)
    expect(stored).toBe(highest)
    expect(createKeyGenerator(stored, () => Date.UTC(2026, 0, 1))()).toBe(highest + 1)
  })
})

describe('keys', () => {
  it('rise strictly, also when the clock stands still or goes back', () => {
    let nowMs = Date.UTC(2026, 0, 1)
    const nextKey = createKeyGenerator(0, () => (nowMs -= 1))
    const keys = Array.from({ length: 5000 }, () => nextKey())
    expect(keys.every((key, index) => index === 0 || key > (keys[index - 1] ?? 0))).toBe(true)
    expect(createKeyGenerator(0, () => Date.UTC(2125, 0, 1))()).toBeLessThan(Number.MAX_SAFE_INTEGER)
  })

  it('are found again in the UUIDs derived from them', () => {
    for (const runId of [0, 1, 120_000_000_000_001, Number.MAX_SAFE_INTEGER - 4000]) {
      const keys = { run_id: runId, id: runId + 4000 }
      const uuid = deriveUuid('phase', keys)
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(parseDerivedUuid('phase', uuid)).toEqual(keys)
      expect(parseDerivedUuid('measurement', uuid)).toBeUndefined()
    }
    expect(parseDerivedUuid('phase', 'no-uuid')).toBeUndefined()
  })
})
