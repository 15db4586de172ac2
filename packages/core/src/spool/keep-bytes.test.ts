import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FilePace } from '../file-pace'
import { keepFile, type FileToKeep } from './keep-bytes'
import { SpoolDisk } from './spool-disk'

let dir: string

beforeEach(() => void (dir = mkdtempSync(path.join(tmpdir(), 'keep-bytes-'))))
afterEach(() => rmSync(dir, { recursive: true }))

class CountingPace extends FilePace {
  atOnce = 0

  override doAtOnce<Result>(action: () => Result): Result {
    this.atOnce += 1
    return super.doAtOnce(action)
  }
}

/** Keeps a file of these bytes where disks are quick; `sizeBytes` is what it had when it was looked at. */
async function keep(bytes: Buffer, { sizeBytes = bytes.byteLength, mask, expected = bytes }: Keeping = {}) {
  const from = path.join(dir, 'shot.png')
  writeFileSync(from, bytes, { mode: 0o644 })
  const pace = new CountingPace()
  await pace.find(async () => undefined)
  const disk = new SpoolDisk()
  await disk.open(path.join(dir, 'spool'))
  const to = path.join(dir, 'spool', '1.png')
  const kept = await keepFile({ path: from, mask, found: { sizeBytes, pace } }, to, disk)
  return {
    kept,
    isSame: readFileSync(to).equals(expected),
    mode: statSync(to).mode & 0o777,
    atOnce: pace.atOnce,
  }
}

interface Keeping {
  sizeBytes?: number
  expected?: Buffer
  mask?: FileToKeep['mask']
}

const factsOf = (bytes: Buffer) => ({
  path: path.join(dir, 'spool', '1.png'),
  sizeBytes: bytes.byteLength,
  sha256: createHash('sha256').update(bytes).digest('hex'),
})

it.each([
  ['an empty file', 0, 1],
  ['a small one', 100_000, 1],
  ['the largest that is small', 256 * 1024, 1],
  ['the smallest that is not', 256 * 1024 + 1, 0],
  ['a large one', 3_000_000, 0],
])('keeps %s, private', async (_, sizeBytes, atOnce) => {
  const bytes = Buffer.alloc(sizeBytes, 'a screenshot')
  expect(await keep(bytes)).toEqual({ kept: factsOf(bytes), isSame: true, mode: 0o600, atOnce })
})

it('keeps all of a file that has grown since it was looked at', async () => {
  const bytes = Buffer.alloc(700_000, 'a log')
  expect(await keep(bytes, { sizeBytes: 10 })).toMatchObject({ kept: factsOf(bytes), isSame: true })
})

it('keeps what a mask makes of a small file, and the file itself where there is nothing to mask', async () => {
  const masked = Buffer.from('token=***')
  const mask = (found: Buffer | undefined): FileToKeep['mask'] => ({
    copy: () => Promise.reject(new Error('it was not asked for')),
    readAtOnce: () => found,
  })
  const bytes = Buffer.from('token=secret')
  expect(await keep(bytes, { mask: mask(masked), expected: masked })).toMatchObject({
    kept: factsOf(masked),
    isSame: true,
  })
  expect(await keep(bytes, { mask: mask(undefined) })).toMatchObject({ kept: factsOf(bytes), isSame: true })
})
