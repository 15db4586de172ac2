import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type S3StandIn, startS3StandIn } from '../../testing/s3-stand-in'
import type { BlobStore } from './blob-store'
import { S3Bucket } from './s3-bucket'
import { openS3BlobStore } from './s3-blob-store'
import { parseStorageAddress } from '../../base/config/storage-address'

let store: S3StandIn
let folder: string
let blobs: BlobStore
let logged: string[]

beforeAll(async () => {
  store = await startS3StandIn()
})

afterAll(() => store.stop())

beforeEach(async () => {
  for (const method of ['GET', 'PUT', 'HEAD', 'DELETE']) store.refuse(method, 503, 0)
  store.objects.clear()
  store.requests.length = 0
  folder = await mkdtemp(join(tmpdir(), 'runledger-s3-'))
  logged = []
  blobs = await openS3BlobStore(createBucket(), join(folder, 'incoming'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

function createBucket(change: { bucket?: string; secretAccessKey?: string } = {}): S3Bucket {
  const { bucket = 'runs/ci', ...keys } = change
  const address = store.addressOf(bucket)
  const log = {
    error: (message: string, cause: unknown) => void logged.push(`${message}: ${String(cause)}`),
    warn: () => undefined,
    info: () => undefined,
  }
  return new S3Bucket(
    parseStorageAddress(address),
    { ...store.credentials, ...keys },
    { log, limitMs: 2_000 },
  )
}

/** Returns the name of the object. */
async function keep(bytes: Uint8Array | string): Promise<string> {
  const staged = await blobs.stage(Readable.from([Buffer.from(bytes)]), 10_000_000)
  const name = await staged.keep()
  await staged.discard()
  return name
}

async function listSettled(): Promise<string[]> {
  const found: string[] = []
  for await (const some of blobs.listSettled()) found.push(...some)
  return found
}

it('keeps bytes under their digest, reads them whole and in part, and removes them', async () => {
  const bytes = randomBytes(300_000)
  const name = await keep(bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  expect(name.startsWith(`${sha256.slice(0, 2)}/${sha256}-`)).toBe(true)
  expect(store.objects.get(`runs/ci/${name}`)?.equals(bytes)).toBe(true)
  expect(bytes.equals(await buffer(await blobs.read(name)))).toBe(true)
  expect(await buffer(await blobs.read(name, { range: { start: 10, end: 19 } }))).toEqual(
    bytes.subarray(10, 20),
  )
  await blobs.remove(name)
  await blobs.remove(name)
  expect(store.objects.size).toBe(0)
  await expect(blobs.read(name)).rejects.toThrow(/has no .*, which is on record/)
  expect(await readdir(join(folder, 'incoming'))).toEqual([])
})

it('reads no bytes of another size than the one on record', async () => {
  const name = await keep('0123456789')
  for (const range of [undefined, { start: 0, end: 3 }]) {
    expect((await buffer(await blobs.read(name, { range, sizeBytes: 10 }))).length).toBe(range ? 4 : 10)
    await expect(blobs.read(name, { range, sizeBytes: 12 })).rejects.toThrow(
      /has 10 bytes, and 12 are on record/,
    )
  }
})

it('gives equal bytes another name each time, so that none is removed with others', async () => {
  const [first, second] = [await keep('same'), await keep('same')]
  await blobs.remove(first)
  expect((await buffer(await blobs.read(second))).toString()).toBe('same')
  expect(await buffer(await blobs.read(await keep('')))).toEqual(Buffer.alloc(0))
})

it('lists what is a day old by the clock of the store, over several answers, and nothing of its neighbours', async () => {
  const names: string[] = []
  for (let index = 0; index < 25; index += 1) names.push(await keep(`bytes ${index}`))
  const former = `aa/${'a'.repeat(64)}`
  store.objects.set(`runs/ci/${former}`, Buffer.from('named by its digest'))
  store.objects.set(`runs/ci/database.json`, Buffer.from('{}'))
  store.objects.set(`runs/ci/other/aa/${'a'.repeat(64)}`, Buffer.from('x'))
  store.objects.set(`runs/aa/${'a'.repeat(64)}`, Buffer.from('x'))
  for (let index = 0; index < 30; index += 1) store.objects.set(`runs/ci/x&z ${index}`, Buffer.from('x'))
  expect(await listSettled()).toEqual([former])
  store.advance(24 * 3600 + 1)
  await keep('new')
  expect((await listSettled()).toSorted()).toEqual([...names, former].toSorted())
})

it.each([503, 500, 429, 0])('tries again where the store answers %i, or nothing', async (status) => {
  store.refuse('PUT', status, 2)
  store.refuse('GET', status, 2)
  const bytes = randomBytes(2_000_000)
  expect(bytes.equals(await buffer(await blobs.read(await keep(bytes))))).toBe(true)
  expect(logged).toEqual([])
})

it('says so once a minute while the store is away, keeps nothing then, and goes on', async () => {
  store.refuse('PUT', 503)
  const staged = await blobs.stage(Readable.from([Buffer.from('late')]), 100)
  await expect(staged.keep()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 })
  await expect(staged.keep()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  expect(logged).toEqual([expect.stringMatching(/store of attachments cannot be used.*503 SlowDown/)])
  expect(store.objects.size).toBe(0)
  store.refuse('PUT', 503, 0)
  expect((await buffer(await blobs.read(await staged.keep()))).toString()).toBe('late')
  await staged.discard()
})

it('tells of keys that are wrong, without the keys, and tries once', async () => {
  const wrong = createBucket({ secretAccessKey: 'hunter2' })
  await expect(wrong.checkReachable()).rejects.toThrow(/store of attachments/)
  await expect(wrong.readText('any')).rejects.toThrow(/store of attachments/)
  expect(store.requests).toHaveLength(2)
  expect(logged.join()).toMatch(/403/)
  expect(logged.join()).not.toMatch(/hunter2|TESTKEY/)
})

it('makes an object once, and says so when it is there already', async () => {
  const bucket = createBucket()
  await bucket.putNewText('one', 'first')
  // As when the answer was lost, and it is sent again.
  await bucket.putNewText('one', 'first')
  await expect(bucket.putNewText('one', 'second')).rejects.toThrow('another process has just created one')
  expect(await bucket.readText('one')).toBe('first')
})

it('waits for no answer for ever, nor for the end of one', async () => {
  const silent = createServer((request, response) => {
    if (request.url?.includes('begun')) response.write('half of the answer')
  })
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const address = parseStorageAddress(`s3://runs?endpoint=http://127.0.0.1:${port}`)
  const bucket = new S3Bucket(address, store.credentials, { limitMs: 200 })
  for (const key of ['begun', 'nothing'])
    await expect(bucket.readText(key)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      cause: { message: expect.stringContaining('no answer within 0.2 s') as string },
    })
  silent.closeAllConnections()
  silent.close()
})

it('says that the store is away when it breaks off in the middle of what is measured', async () => {
  const broken = createServer((request, response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('half of it', () => request.socket.destroy())
  })
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve))
  const { port } = broken.address() as AddressInfo
  const bucket = new S3Bucket(
    parseStorageAddress(`s3://runs?endpoint=http://127.0.0.1:${port}`),
    store.credentials,
  )
  const cause = expect.objectContaining({ message: expect.stringContaining('GET one: ') as string }) as Error
  await expect(bucket.measure('one')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause })
  broken.close()
})

it('refuses what is too long before the store is asked', async () => {
  const long = blobs.stage(Readable.from([Buffer.alloc(1001)]), 1000)
  await expect(long).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
  expect(store.requests).toEqual([])
})
