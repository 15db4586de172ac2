import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readJournal } from './entry-files'
import { Journal } from './journal'
import type { ProgressEvent } from './progress'
import { SpoolDisk } from './spool-disk'

let dir: string
let journal: Journal

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'journal-'))
  journal = open({ isNew: true })
})

afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dir, { recursive: true })
})

const open = (how: { isNew: boolean }): Journal =>
  new Journal(path.join(dir, 'journal.jsonl'), new SpoolDisk(), how)
const received = (attachment: string): ProgressEvent => ({
  event: 'received',
  attachment,
  id: `id of ${attachment}`,
})
const note = (...names: string[]) =>
  Promise.all(
    names.map((name) =>
      journal.note(received(name)).then(
        () => name,
        () => `${name} failed`,
      ),
    ),
  )
const readNames = async () =>
  (await readJournal(dir)).map((event) => (event.event === 'received' ? event.attachment : event.event))

/** The next write comes so far, then the disk is full for a moment. */
function failOnce(writtenLength: number): void {
  const { append } = SpoolDisk.prototype
  vi.spyOn(SpoolDisk.prototype, 'append').mockImplementationOnce(async function (
    this: SpoolDisk,
    file: string,
    text: string,
  ) {
    await append.call(this, file, text.slice(0, writtenLength))
    throw new Error('no space left')
  })
}

/** The next sync takes until it is told to end. */
function holdSync() {
  let finish: () => void = () => undefined
  let fail: () => void = () => undefined
  const held = new Promise<void>((resolve, reject) => {
    finish = resolve
    fail = () => reject(new Error('an input/output error'))
  })
  const sync = vi.spyOn(SpoolDisk.prototype, 'syncFile').mockImplementationOnce(() => held)
  return { sync, finish, fail }
}

it('has every line in its order', async () => {
  expect(await note('a', 'b')).toEqual(['a', 'b'])
  await note('c')
  expect(await readNames()).toEqual(['a', 'b', 'c'])
})

it('tells all whose lines went in the write that failed', async () => {
  failOnce(0)
  expect(await note('a', 'b')).toEqual(['a failed', 'b failed'])
  expect(await note('c')).toEqual(['c'])
  expect(await readNames()).toEqual(['c'])
})

it('does not lose the line after one that was cut short', async () => {
  failOnce(20)
  expect(await note('a')).toEqual(['a failed'])
  expect(await note('b')).toEqual(['b'])
  expect(await readNames()).toEqual(['b'])
})

it('does not lose the first line after what a killed process cut short', async () => {
  failOnce(20)
  await note('a')
  journal = open({ isNew: false })
  await note('b')
  expect(await readNames()).toEqual(['b'])
})

it('is synced when something has been noted since, and again where that failed', async () => {
  const sync = vi.spyOn(SpoolDisk.prototype, 'syncFile')
  await journal.sync()
  expect(sync).toHaveBeenCalledTimes(0)
  await note('a')
  sync.mockRejectedValueOnce(new Error('an input/output error'))
  await expect(journal.sync()).rejects.toThrow('input/output')
  await journal.sync()
  await journal.sync()
  expect(sync).toHaveBeenCalledTimes(2)
})

it('is synced once for two who ask at the same time, both of whom wait for it', async () => {
  await note('a')
  const { sync, finish } = holdSync()
  let isSynced = false
  const both = [journal.sync(), journal.sync().then(() => (isSynced = true))]
  await new Promise((resolve) => setImmediate(resolve))
  expect(isSynced).toBe(false)
  finish()
  await Promise.all(both)
  expect(sync).toHaveBeenCalledTimes(1)
})

it('is synced for the second who asks where that failed for the first', async () => {
  await note('a')
  const { sync, fail } = holdSync()
  const first = journal.sync()
  const second = journal.sync()
  fail()
  await expect(first).rejects.toThrow('input/output')
  await second
  expect(sync).toHaveBeenCalledTimes(2)
})

it('is synced again for a line that came while it was synced', async () => {
  await note('a')
  const { sync, finish } = holdSync()
  const first = journal.sync()
  await expect.poll(() => sync.mock.calls.length).toBe(1)
  await note('b')
  finish()
  await first
  await journal.sync()
  expect(sync).toHaveBeenCalledTimes(2)
})

it('is synced with a line that is still being written', async () => {
  const sync = vi.spyOn(SpoolDisk.prototype, 'syncFile')
  const noted = note('a')
  await journal.sync()
  expect(sync).toHaveBeenCalledTimes(1)
  await noted
})
