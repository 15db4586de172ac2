import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { CommitUnknownError, type Database } from '../../../storage/database/database'
import { type S3StandIn, startS3StandIn } from '../../../testing/s3-stand-in'
import { startTestServer, type TestServer } from '../../../testing/start-test-server'
import type { StagedBlob } from '../../../storage/blobs/blob-store'
import { keepBlobs } from './keep-blobs'
import { openS3BlobStore } from '../../../storage/blobs/s3-blob-store'
import { S3Bucket } from '../../../storage/blobs/s3-bucket'
import { parseStorageAddress } from '../../../base/config/storage-address'
import { type BlobParts, dropBlobReference, removeBlobs } from './store'

let store: S3StandIn
let folder: string
let server: TestServer
let database: Database
let parts: BlobParts

beforeAll(async () => {
  store = await startS3StandIn()
  server = await startTestServer({}, { wrapDatabase: (plain) => (database = plain) })
})

afterAll(async () => {
  await server.stop()
  await store.stop()
})

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-keep-'))
  const bucket = new S3Bucket(parseStorageAddress(store.addressOf('kept')), store.credentials)
  const log = {
    error: (message: string) => expect.fail(message),
    warn: () => undefined,
    info: () => undefined,
  }
  parts = { database, log, blobs: await openS3BlobStore(bucket, folder) }
})

afterEach(async () => {
  await database.write(({ query }) => query.deleteFrom('blobs').execute())
  store.objects.clear()
  store.requests.length = 0
  await rm(folder, { recursive: true, force: true })
})

const stage = (text: string): Promise<StagedBlob> =>
  parts.blobs.stage(Readable.from([Buffer.from(text)]), 100)

/** Keeps bytes and records them; `before` is called between. */
async function keep(text: string, before: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
  const staged = await stage(text)
  await keepBlobs(parts, [staged], async (count) => {
    await before()
    return database.write(({ query }) => count(query, staged))
  })
  await staged.discard()
}

async function drop(text: string): Promise<void> {
  const { sha256, discard } = await stage(text)
  await discard()
  const name = await database.write(({ query }) => dropBlobReference(query, sha256))
  await removeBlobs(parts, name === undefined ? [] : [name])
}

/** What is on record, and its bytes; every object must be. */
async function readAll(): Promise<[string, number][]> {
  const rows = await database.query.selectFrom('blobs').selectAll().execute()
  expect([...store.objects.keys()].toSorted()).toEqual(
    rows.map((row) => `kept/${row.object_name}`).toSorted(),
  )
  return Promise.all(
    rows.map(async (row): Promise<[string, number]> => {
      const bytes = await buffer(await parts.blobs.read(row.object_name))
      return [bytes.toString(), row.reference_count]
    }),
  )
}

const countPuts = (): number => store.requests.filter((request) => request.startsWith('PUT')).length

it('stores bytes that are on record once, and bytes that are not again, under another name', async () => {
  await keep('same')
  const [first] = store.objects.keys()
  await keep('same')
  expect(await readAll()).toEqual([['same', 2]])
  expect(countPuts()).toBe(1)
  await drop('same')
  await drop('same')
  expect(await readAll()).toEqual([])
  await keep('same')
  expect(await readAll()).toEqual([['same', 1]])
  expect([...store.objects.keys()]).not.toContain(first)
})

it('stores bytes again that the store has lost, for all that are on record with them', async () => {
  await keep('lost')
  store.objects.clear()
  await Promise.all([keep('lost'), keep('lost')])
  expect(await readAll()).toEqual([['lost', 3]])
})

it('keeps one of equal bytes that arrive at once', async () => {
  await Promise.all(Array.from({ length: 5 }, () => keep('at once')))
  expect(await readAll()).toEqual([['at once', 5]])
})

it('keeps bytes again whose last attachment was deleted after they were found on record', async () => {
  await keep('going')
  let deletions = 0
  await keep('going', async () => {
    deletions += 1
    if (deletions === 1) await drop('going')
  })
  expect([deletions, countPuts()]).toEqual([2, 2])
  expect(await readAll()).toEqual([['going', 1]])
})

it('leaves nothing of what could not be recorded, unless it may be recorded', async () => {
  const failing = keep('refused', () => Promise.reject(new Error('refused')))
  await expect(failing).rejects.toThrow('refused')
  expect(store.objects.size).toBe(0)
  const unknown = keep('unknown', () => Promise.reject(new CommitUnknownError(new Error('gone'))))
  await expect(unknown).rejects.toThrow('may be stored or not')
  expect(store.objects.size).toBe(1)
})
