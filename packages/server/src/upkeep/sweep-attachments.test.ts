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

describe('the sweeper', () => {
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
