import { sql } from 'kysely'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Database, Query } from '../database'
import { openSqliteDatabase } from './sqlite-database'

let folder: string
let database: Database

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-readers-'))
  database = await openSqliteDatabase(folder, { readLimitMs: 3000 })
  await database.write(({ run }) => run('CREATE TABLE things (id bigint PRIMARY KEY)', []))
})

afterEach(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

/** Counts to 10^11: hours. The comment makes it another text. */
function readForHours(query: Query, comment: unknown = ''): Promise<unknown> {
  return sql`WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100000000000)
    SELECT count(*) FROM c ${sql.raw(`/* ${comment} */`)}`.execute(query)
}

async function countThings(query: Query): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM things`.execute(query)
  return rows[0]?.count ?? -1
}

/** The processes that read: the only ones that this one has started. */
async function listChildren(): Promise<number[]> {
  const tasks = await readdir('/proc/self/task')
  const lists = await Promise.all(tasks.map((task) => readFile(`/proc/self/task/${task}/children`, 'utf8')))
  return lists.join(' ').split(' ').filter(Boolean).map(Number)
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}

it('refuses reads at once when very many wait already, and serves those that do in a short time', async () => {
  await countThings(database.query)
  const startedAt = performance.now()
  const ended = await Promise.allSettled(Array.from({ length: 3000 }, () => countThings(database.query)))
  // Those that wait may do so for ten seconds.
  expect(performance.now() - startedAt).toBeLessThan(8_000)
  const refused = ended.filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThan(1900)
  expect(refused.length).toBeLessThanOrEqual(2000)
  expect(refused[0]).toMatchObject({ reason: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 } })
})

it('reads again when the process that read was killed', async () => {
  const ways = [() => countThings(database.query), () => database.read(countThings)]
  for (const read of ways) {
    await countThings(database.query)
    const [pid = 0] = await listChildren()
    process.kill(pid, 'SIGKILL')
    expect(await read()).toBe(0)
  }
})

describe('a read that takes too long', () => {
  it('is stopped, and its connection reads again', async () => {
    await expect(readForHours(database.query)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: 10,
      message: expect.stringContaining('longer than 3 s'),
    })
    expect(database.stats()).toMatchObject({ readsUnderWay: 0, cancelledReads: 1 })
    expect(await countThings(database.query)).toBe(0)
  })

  it('is stopped as a part of several, and so is what comes after it', async () => {
    const reading = database.read(async (query) => {
      await countThings(query)
      await readForHours(query).catch(() => undefined)
      return countThings(query)
    })
    await expect(reading).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })

  it('holds up no other, however many they are and whatever they read', async () => {
    await database.close()
    database = await openSqliteDatabase(folder, { readLimitMs: 4000 })
    const readMany = () =>
      ['a', 'a', 'b', 'b', 'c', 'c'].map((text) => readForHours(database.query, text).catch(String))
    await Promise.all(readMany())
    const long = readMany()
    await expect
      .poll(() => database.stats(), { timeout: 5000 })
      .toMatchObject({ readsUnderWay: 2, readsQueued: 4 })
    const startedAt = performance.now()
    for (let count = 0; count < 20; count += 1) await countThings(database.query)
    expect(performance.now() - startedAt).toBeLessThan(3000)
    await database.close()
    await Promise.all(long)
  })
})

describe('a read whose client has gone', () => {
  it('is stopped at once, and uses no processor any more', async () => {
    const client = new AbortController()
    const reading = database.read(readForHours, { signal: client.signal })
    await expect.poll(() => database.stats().readsUnderWay, { timeout: 5000 }).toBe(1)
    const pids = await listChildren()
    client.abort()
    await expect(reading).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    expect(database.stats().readsUnderWay).toBe(0)
    await expect.poll(listChildren, { timeout: 5000 }).not.toEqual(expect.arrayContaining(pids))
    expect(await countThings(database.query)).toBe(0)
  })

  it('is not begun when it has gone before, or while it waits', async () => {
    const client = new AbortController()
    const endless = [1, 2, 3, 4].map((text) => readForHours(database.query, `${text}`).catch(String))
    const waiting = database.read(countThings, { signal: client.signal })
    client.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await expect(database.read(countThings, { signal: client.signal })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
    await database.close()
    expect(new Set(await Promise.all(endless))).toEqual(new Set(['HttpError: The service is shutting down.']))
  })
})

it('reads of one kind see one state, whatever is written between them', async () => {
  const counts = await database.read(async (query) => {
    const before = await countThings(query)
    await database.write(({ run }) => run('INSERT INTO things VALUES (1)', []))
    return [before, await countThings(query), await countThings(database.query)]
  })
  expect(counts).toEqual([0, 0, 1])
  expect(await database.read(countThings)).toBe(1)
})

it('a process that dies is replaced', async () => {
  await countThings(database.query)
  for (const pid of await listChildren()) process.kill(pid, 'SIGKILL')
  await pause(200)
  expect(await countThings(database.query)).toBe(0)
})

it('a read changes nothing', async () => {
  await expect(sql`DELETE FROM things`.execute(database.query)).rejects.toThrow('readonly')
})
