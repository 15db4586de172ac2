import { expect, it } from 'vitest'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../storage/database/database'
import { startTestServer } from '../testing/start-test-server'

it('is 503 while nothing can be written, and 200 again afterwards', async () => {
  let fails = false
  const wrapDatabase = (plain: Database): Database => ({
    ...plain,
    query: plain.query,
    read: (work, options) => plain.read(work, options),
    write: (work) =>
      fails ? Promise.reject(new Error('database disk image is malformed')) : plain.write(work),
    stats: () => plain.stats(),
    close: () => plain.close(),
  })
  const server = await startTestServer({}, { wrapDatabase })
  const ask = async () => (await fetch(`${server.url}/readyz`)).status
  expect(await ask()).toBe(200)
  fails = true
  await expect.poll(ask, { timeout: 3_000 }).toBe(503)
  fails = false
  await expect.poll(ask, { timeout: 3_000 }).toBe(200)
  await server.stop()
})

it('is 503 where no file can be stored', async () => {
  const server = await startTestServer()
  const staging = join(server.dataDir, 'blobs', 'incoming')
  await rm(staging, { recursive: true })
  await writeFile(staging, 'in its place')
  const response = await fetch(`${server.url}/readyz`)
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ message: 'No file can be stored.' })
  await server.stop()
})

it('writes once a second at most, however many ask', async () => {
  let writes = 0
  const wrapDatabase = (plain: Database): Database => ({
    ...plain,
    query: plain.query,
    read: (work, options) => plain.read(work, options),
    write: (work) => {
      writes += 1
      return plain.write(work)
    },
    stats: () => plain.stats(),
    close: () => plain.close(),
  })
  const server = await startTestServer({}, { wrapDatabase })
  writes = 0
  await Promise.all(Array.from({ length: 20 }, () => fetch(`${server.url}/readyz`)))
  // The clean-up at the start writes a few times too.
  expect(writes).toBeLessThan(12)
  await server.stop()
})
