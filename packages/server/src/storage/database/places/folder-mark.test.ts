import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findBlobFile } from '../../../testing/find-blob-file'
import { startTestServer, type TestServer } from '../../../testing/start-test-server'
import { isOnPostgres } from '../../../testing/test-database'

const REFUSED = /^runledger\.db in .* is older than the files there, or comes from another folder/

let folder: string
let data: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-mark-'))
  data = join(folder, 'data')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

/** A time of service; its first clean-up is over when it ends. */
async function serve(dataDir = data, work: (server: TestServer) => Promise<unknown> = async () => undefined) {
  const server = await startTestServer({ data: dataDir })
  try {
    await expect
      .poll(async () => (await server.send('GET', '/metrics')).text(), { timeout: 20_000 })
      .toMatch(/runledger_cleanup_last_end_seconds [1-9]/)
    await work(server)
  } finally {
    await server.stop()
  }
}

describe.skipIf(isOnPostgres)('a database beside files', () => {
  it('that is older is refused, no file is touched, and the message says how to serve it all the same', async () => {
    await serve(data, (server) => server.upload('old.txt', 'old'))
    await copyFile(join(data, 'runledger.db'), join(folder, 'older.db'))
    await serve(data, (server) => server.upload('new.txt', 'new'))
    await copyFile(join(folder, 'older.db'), join(data, 'runledger.db'))
    await expect(startTestServer({ data })).rejects.toThrow(REFUSED)
    expect([findBlobFile(data, 'old'), findBlobFile(data, 'new')]).not.toContain(undefined)
    await rm(join(data, 'database.mark'))
    await serve()
    expect(findBlobFile(data, 'old')).toBeDefined()
  })

  it('that is of another folder is refused', async () => {
    await serve(data, (server) => server.upload('a.txt', 'mine'))
    const other = join(folder, 'other')
    await serve(other)
    await copyFile(join(other, 'runledger.db'), join(data, 'runledger.db'))
    await expect(startTestServer({ data })).rejects.toThrow(REFUSED)
    expect(findBlobFile(data, 'mine')).toBeDefined()
    await rm(join(data, 'blobs'), { recursive: true })
    await serve()
  })

  it('is served where a process ended before the folder had the mark of its database', async () => {
    await serve(data, (server) => server.upload('a.txt', 'mine'))
    const former = await readFile(join(data, 'database.mark'), 'utf8')
    await serve()
    expect(await readFile(join(data, 'database.mark'), 'utf8')).not.toBe(former)
    await writeFile(join(data, 'database.mark'), former)
    await serve()
    expect(findBlobFile(data, 'mine')).toBeDefined()
  })
})
