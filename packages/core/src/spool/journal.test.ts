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
