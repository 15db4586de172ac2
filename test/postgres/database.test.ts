import { sql } from 'kysely'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Database, Query } from '../../packages/server/src/storage/database/database'
import { openPostgresDatabase } from '../../packages/server/src/storage/database/postgres/postgres-database'
import { numberPlaceholders } from '../../packages/server/src/storage/database/postgres/postgres-writer'
import { connectToDatabase } from '../../packages/server/src/testing/test-database'
import { describeWithPostgres, whileGone } from './with-postgres'

async function countThings(query: Query): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM things`.execute(query)
  return rows[0]?.count ?? -1
}

function sleepIn(query: Query, seconds: number): Promise<unknown> {
  return sql`SELECT pg_sleep(${seconds})`.execute(query)
}

describeWithPostgres('a database of PostgreSQL', (postgres) => {
  let databases = 0
  let url: string
  let database: Database

  beforeEach(async () => {
    url = await postgres().createDatabase(`database_${(databases += 1)}`)
    database = await openPostgresDatabase(url, { readLimitMs: 3_000 })
    await database.write(({ run }) =>
      run('CREATE TABLE things (id bigint PRIMARY KEY, name text, size double precision)', []),
    )
  })

  afterEach(() => database.close())

  const insert = (id: number, name = 'thing') =>
    database.write(({ run }) => run('INSERT INTO things (id, name, size) VALUES (?, ?, ?)', [id, name, 0.1]))

  /** What the server is doing for this database, asked from outside of it. */
  async function countActive(): Promise<number> {
    const client = await connectToDatabase(postgres().urlOf('postgres'))
    const { rows } = await client.query<{ count: string }>(
      `SELECT count(*) FROM pg_stat_activity WHERE datname = $1 AND query LIKE '%pg_sleep%' AND state = 'active'`,
      [new URL(url).pathname.slice(1)],
    )
    await client.end()
    return Number(rows[0]?.count)
  }

  async function endConnections(): Promise<void> {
    const client = await connectToDatabase(postgres().urlOf('postgres'))
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
      new URL(url).pathname.slice(1),
    ])
    await client.end()
  }

  it('gives numbers as they were stored', async () => {
    await insert(Number.MAX_SAFE_INTEGER)
    const { rows } = await sql`SELECT id, size, sum(id) AS sum FROM things GROUP BY id, size`.execute(
      database.query,
    )
    expect(rows).toEqual([{ id: Number.MAX_SAFE_INTEGER, size: 0.1, sum: Number.MAX_SAFE_INTEGER }])
  })

  it('finds nothing for a text with a NUL character, and for one of no values', async () => {
    await insert(1, 'a')
    const named = await sql`SELECT id FROM things WHERE name = ${'a\0'}`.execute(database.query)
    const runs = (database.query as unknown as Query).selectFrom('things' as never)
    expect(named.rows).toEqual([])
    expect(
      await runs
        .selectAll()
        .where('id' as never, 'in', [])
        .execute(),
    ).toEqual([])
    expect(
      await runs
        .selectAll()
        .where('id' as never, 'not in', [])
        .execute(),
    ).toHaveLength(1)
  })

  it('does work again whose reads another process has made wrong meanwhile', async () => {
    const other = await openPostgresDatabase(url)
    let attempts = 0
    const written = database.write(async ({ query, run }) => {
      attempts += 1
      const count = await countThings(query)
      if (attempts === 1)
        await other.write(async (transaction) => {
          const seen = await countThings(transaction.query)
          await transaction.run('INSERT INTO things (id) VALUES (?)', [100 + seen])
        })
      await run('INSERT INTO things (id) VALUES (?)', [200 + count])
      return count
    })
    expect(await written).toBe(1)
    expect(attempts).toBe(2)
    await other.close()
  })

  it('retries a read that PostgreSQL cancelled for a deadlock', async () => {
    const other = await connectToDatabase(url)
    await other.query(`CREATE TABLE more_things (id bigint)`)
    // So that PostgreSQL undoes the read, not this.
    await other.query(`SET deadlock_timeout = '1min'; BEGIN; LOCK TABLE things`)
    let attempts = 0
    let committed: Promise<unknown> | undefined
    const reading = database.read(async (query) => {
      attempts += 1
      await sql`SELECT count(*) FROM more_things`.execute(query)
      committed ??= other.query('LOCK TABLE more_things').then(() => other.query('COMMIT'))
      return countThings(query)
    })
    expect([await reading, attempts]).toEqual([0, 2])
    await committed
    await other.end()
  })

  it('reads on one snapshot, and changes nothing by reading', async () => {
    const counts = await database.read(async (query) => {
      const before = await countThings(query)
      await insert(1)
      return [before, await countThings(query)]
    })
    expect(counts).toEqual([0, 0])
    for (const query of [database.query, undefined]) {
      const deleting = (one: Query) => sql`DELETE FROM things`.execute(one)
      const deletion = query ? deleting(query) : database.read(deleting)
      await expect(deletion).rejects.toThrow(/read-only/)
    }
    expect(await countThings(database.query)).toBe(1)
  })

  it('stops what is read, in the server too, when its client has gone or its time is over', async () => {
    const client = new AbortController()
    const broken = database.read((query) => sleepIn(query, 60), { signal: client.signal })
    const slow = database.read((query) => sleepIn(query, 60))
    const outcomes = Promise.allSettled([broken, slow])
    await expect.poll(countActive, { timeout: 2_000 }).toBe(2)
    client.abort()
    await expect.poll(countActive, { timeout: 1_000 }).toBe(1)
    expect(await outcomes).toMatchObject([
      { reason: { code: 'BAD_REQUEST' } },
      { reason: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 10 } },
    ])
    await expect.poll(countActive, { timeout: 1_000 }).toBe(0)
    expect(database.stats()).toMatchObject({ readsUnderWay: 0, readsQueued: 0, cancelledReads: 2 })
    expect(await countThings(database.query)).toBe(0)
  })

  it('lets reads wait for a connection, and gives up those that close', async () => {
    const reads = Array.from({ length: 10 }, () => database.read((query) => sleepIn(query, 60)))
    const outcomes = Promise.allSettled(reads)
    // One whose statement was not yet sent would not be broken off by PostgreSQL.
    await expect.poll(countActive).toBe(8)
    expect(database.stats()).toMatchObject({ readsUnderWay: 8, readsQueued: 2 })
    await database.close()
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } })
    await expect.poll(countActive, { timeout: 1_000 }).toBe(0)
    await expect(database.write(() => Promise.resolve())).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    })
  })

  it('goes on by itself when its connections were ended', async () => {
    await insert(1)
    await countThings(database.query)
    await endConnections()
    await insert(2)
    expect(await countThings(database.query)).toBe(2)
    expect(await database.read(countThings)).toBe(2)
  })

  it('refuses with 503 while the server is gone, also what is under way, and goes on when it is back', async () => {
    await insert(1)
    const unavailable = { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 }
    const underWay = Promise.allSettled([
      database.read((query) => sleepIn(query, 60)),
      database.write(({ query }) => sleepIn(query, 60)),
    ])
    await expect.poll(countActive).toBe(2)
    await whileGone(postgres(), async () => {
      expect(await underWay).toMatchObject([{ reason: unavailable }, { reason: unavailable }])
      await expect(insert(2)).rejects.toMatchObject(unavailable)
      await expect(countThings(database.query)).rejects.toMatchObject(unavailable)
      await expect(database.read(countThings)).rejects.toMatchObject(unavailable)
    })
    await insert(3)
    expect(await countThings(database.query)).toBe(2)
  })

  it('refuses all writes that wait when the server says nothing', async () => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => void sockets.push(socket))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const other = await openPostgresDatabase(`postgres://user@127.0.0.1:${port}/name`)
    const startedAt = performance.now()
    const writes = [1, 2, 3].map(() => other.write(() => Promise.resolve()))
    for (const outcome of await Promise.allSettled(writes))
      expect(outcome).toMatchObject({ reason: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 } })
    expect(performance.now() - startedAt).toBeLessThan(9_000)
    expect(sockets).toHaveLength(1)
    await other.close()
    silent.close()
  }, 20_000)

  it('limits how long it waits for a lock and how long it holds one', async () => {
    const settings = await database.write(({ all }) =>
      all(
        `SELECT name, setting FROM pg_settings WHERE name IN ('lock_timeout', 'idle_in_transaction_session_timeout') ORDER BY name`,
        [],
      ),
    )
    expect(settings).toEqual([
      { name: 'idle_in_transaction_session_timeout', setting: '32000' },
      { name: 'lock_timeout', setting: '15000' },
    ])
    await database.close()
    database = await openPostgresDatabase(url, { writeLimitMs: 1_000 })
    const other = await connectToDatabase(url)
    await other.query('BEGIN; LOCK TABLE things')
    await expect(insert(1)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('broke this off') as string,
    })
    await other.end()
    await insert(1)
  })

  it('numbers placeholders, and leaves what is quoted as it is', () => {
    expect(numberPlaceholders(`SELECT ?, 'it''s ?', "a" FROM t WHERE b = ? AND c = '?'`)).toBe(
      `SELECT $1, 'it''s ?', "a" FROM t WHERE b = $2 AND c = '?'`,
    )
  })
})
