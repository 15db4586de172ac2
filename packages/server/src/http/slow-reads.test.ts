import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Database } from '../storage/database/database'
import { startTestServer, type TestServer } from '../testing/start-test-server'

let server: TestServer
let database: Database
let isSlow: boolean
let begun: number
let client: AbortController

beforeEach(async () => {
  isSlow = false
  begun = 0
  client = new AbortController()
  server = await startTestServer({}, { wrapDatabase: slowOnOrder })
  await server.createRun()
})

afterEach(async () => {
  client.abort()
  await server.stop()
})

function slowOnOrder(plain: Database): Database {
  database = plain
  return {
    query: plain.query,
    read: (work, options) =>
      plain.read(async (query) => {
        if (isSlow) {
          begun += 1
          await sql`WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100000000000)
            SELECT count(*) FROM c`.execute(query)
        }
        return work(query)
      }, options),
    write: (work) => plain.write(work),
    stats: () => plain.stats(),
    close: () => plain.close(),
  }
}

/** Requests of which each reads for hours. */
async function startSlowRequests(count: number): Promise<Promise<unknown>[]> {
  isSlow = true
  const headers = { authorization: `Bearer ${server.apiKey}` }
  const requests = Array.from({ length: count }, () =>
    fetch(`${server.url}/v2/runs`, { headers, signal: client.signal }).catch(String),
  )
  await expect.poll(() => begun, { timeout: 5000 }).toBe(count)
  isSlow = false
  return requests
}

async function askQuickRequests(): Promise<void> {
  for (const path of ['/healthz', '/v2/runs', '/v2/units'])
    expect((await server.send('GET', path)).status).toBe(200)
}

it('hold up no other request', async () => {
  const requests = await startSlowRequests(5)
  await askQuickRequests()
  expect((await server.createRun()).message).toBe('Run created')
  client.abort()
  await Promise.all(requests)
})

it('end with their client', async () => {
  const requests = await startSlowRequests(2)
  await expect.poll(() => database.stats().readsUnderWay, { timeout: 5000 }).toBe(2)
  client.abort()
  await Promise.all(requests)
  await expect.poll(() => database.stats()).toMatchObject({ readsUnderWay: 0, cancelledReads: 2 })
  expect(server.logged).toEqual([])
})
