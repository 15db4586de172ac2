import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { boundSpool } from './bound-spool'
import { FolderSpool } from './folder-spool'

const ids = [1, 2, 3].map((digit) => `${String(digit).repeat(8)}-1111-4111-8111-111111111111`)
const HOUR_MS = 60 * 60 * 1000

let spool: FolderSpool

beforeEach(async () => {
  spool = new FolderSpool(await mkdtemp(path.join(os.tmpdir(), 'runledger-bound-')))
})

afterEach(() => rm(spool.dir, { recursive: true, force: true }))

/** An entry of 1000 bytes, written some hours ago. */
async function addEntry(id: string, hoursAgo: number) {
  const entry = await spool.create(id)
  const file = path.join(entry.dir, 'entry.json')
  await writeFile(file, ' '.repeat(1000))
  const then = new Date(Date.now() - hoursAgo * HOUR_MS)
  await utimes(file, then, then)
  return entry
}

it('drops what is too old, then the oldest until the rest fits', async () => {
  for (const [index, id] of ids.entries()) await (await addEntry(id, [50, 9, 1][index] as number)).release()
  const dropped = await boundSpool(spool, { maxAgeMs: 40 * HOUR_MS, maxBytes: 1500 })
  expect(dropped).toMatchObject([
    { submissionId: ids[0], reason: 'age' },
    { submissionId: ids[1], reason: 'size' },
  ])
  expect((await spool.list()).map(({ submissionId }) => submissionId)).toEqual([ids[2]])
})

it('never drops what an execution has', async () => {
  await addEntry(ids[0] as string, 50)
  await (await addEntry(ids[1] as string, 1)).release()
  expect(await boundSpool(spool, { maxAgeMs: 40 * HOUR_MS, maxBytes: 2500 })).toEqual([])
  expect(await spool.list()).toHaveLength(2)
})

it('counts and drops what was set aside', async () => {
  await (await addEntry(ids[0] as string, 50)).release()
  await spool.setAside(ids[0] as string)
  expect(await boundSpool(spool, { maxAgeMs: 40 * HOUR_MS, maxBytes: 10_000 })).toMatchObject([
    { reason: 'age' },
  ])
  expect(await spool.listSetAside()).toEqual([])
})
