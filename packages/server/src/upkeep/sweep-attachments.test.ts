import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBlobFile } from '../testing/find-blob-file'
import { createAsk, startTestServer, type TestServer } from '../testing/start-test-server'
import { isWithBucket } from '../testing/test-database'

let data: string
let server: TestServer
const ask = createAsk(() => server)

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'runledger-sweep-'))
  server = await startTestServer({ data })
})

afterEach(async () => {
  await server.stop()
  await rm(data, { recursive: true, force: true })
})

const DAY_SECONDS = 24 * 60 * 60

describe('the sweeper', () => {
  it('deletes nothing at a start with the clock 40 days ahead, and what is old when that is right', async () => {
    const id = await server.upload('new.txt', 'linked soon')
    const status = async () => (await ask('POST', `/v2/attachments/${id}/finalize`)).status
    const startAfter = async (days: number) => {
      await server.running.close()
      const clock = () => (Date.now() + days * DAY_SECONDS * 1000) * 1000
      const ended: string[] = []
      const log = { error: note, warn: note, info: () => undefined }
      function note(message: string) {
        ended.push(message)
      }
      server = await startTestServer({ data }, { clock, log })
      await expect
        .poll(async () => (await server.send('GET', '/metrics')).text(), { timeout: 20_000 })
        .toMatch(/runledger_cleanup_last_end_seconds [1-9]/)
      return ended
    }
    // The service takes the former time from its last clean-up.
    await startAfter(0)
    expect(await startAfter(40)).toEqual([expect.stringContaining('The clock went ahead by more than a day')])
    expect(await status()).toBe(200)
    await startAfter(0)
    expect(await status()).toBe(200)
    await startAfter(1.5)
    expect(await status()).toBe(404)
  })

  it('leaves attachments of units and images of revisions, and takes what belongs to nothing', async () => {
    await server.createRun({ unit_under_test: { serial_number: 'U', part_number: 'P' } })
    const ofUnit = await server.upload('unit.txt', 'of the unit')
    const image = await server.upload('image.png', 'an image')
    const former = await server.upload('former.png', 'a former image')
    const nobodys = await server.upload('nobody.txt', 'of nothing')
    await ask('PATCH', '/v2/units/U', { attachments: [ofUnit] })
    await ask('PATCH', '/v2/parts/P/revisions/A', { image_id: former })
    await ask('PATCH', '/v2/parts/P/revisions/A', { image_id: image })
    await server.running.close()
    server = await startTestServer({ data, unlinkedLifeHours: 0 })
    const status = async (id: string) => (await ask('POST', `/v2/attachments/${id}/finalize`)).status
    await expect.poll(() => Promise.all([former, nobodys].map(status))).toEqual([404, 404])
    expect(await Promise.all([ofUnit, image].map(status))).toEqual([200, 200])
  })

  it.skipIf(isWithBucket)(
    'takes files that an earlier opening left without a record, and no others',
    async () => {
      await server.upload('kept.txt', 'kept')
      await server.running.close()
      const folder = join(data, 'blobs/aa')
      await mkdir(folder, { recursive: true })
      const left = ['a'.repeat(64), `${'a'.repeat(64)}-0123456789abcdef-1`].map((file) => join(folder, file))
      for (const file of left) await writeFile(file, 'left by a kill')
      server = await startTestServer({ data })
      await server.upload('new.txt', 'new')
      await expect.poll(() => left.some(existsSync), { timeout: 20_000 }).toBe(false)
      expect([findBlobFile(data, 'kept'), findBlobFile(data, 'new')]).not.toContain(undefined)
    },
  )
})
