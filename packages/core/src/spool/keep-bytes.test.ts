import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FilePace } from '../file-pace'
import { keepAtOnce, keepFile, type FileToKeep, type FreshCopy } from './keep-bytes'
import { EntryFolder } from './entry-folder'
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
    isDiskQuick: disk.isQuick,
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
  expect(await keep(bytes)).toMatchObject({ kept: factsOf(bytes), isSame: true, mode: 0o600, atOnce })
})

it('keeps all of a file that has grown since it was looked at', async () => {
  const bytes = Buffer.alloc(700_000, 'a log')
  expect(await keep(bytes, { sizeBytes: 10 })).toMatchObject({ kept: factsOf(bytes), isSame: true })
})

const maskWith = (maskBytes: (bytes: Uint8Array) => Uint8Array) => ({
  copy: () => Promise.reject(new Error('it was not asked for')),
  maskBytes,
})

it('keeps what a mask makes of a small file, and the file itself where there is nothing to mask', async () => {
  const masked = Buffer.from('token=***')
  const bytes = Buffer.from('token=secret')
  expect(await keep(bytes, { mask: maskWith(() => masked), expected: masked })).toMatchObject({
    kept: factsOf(masked),
    isSame: true,
  })
  const mask = maskWith((read) => read)
  expect(await keep(bytes, { mask })).toMatchObject({ kept: factsOf(bytes), isSame: true })
})

/** Finds nothing to mask, and a secret is in the file the moment after. */
const maskTooEarly = maskWith((read) => {
  writeFileSync(path.join(dir, 'shot.png'), 'token=secret')
  return read
})

it('keeps the bytes that secrets were looked for in, whatever is in the file since', async () => {
  const bytes = Buffer.from('nothing yet')
  expect(await keep(bytes, { mask: maskTooEarly })).toMatchObject({ kept: factsOf(bytes), isSame: true })
})

it.each([100, 700_000])('keeps them at once too, of a file of %d bytes', async (sizeBytes) => {
  const bytes = Buffer.alloc(sizeBytes, 'nothing yet')
  const [from, to] = [path.join(dir, 'shot.png'), path.join(dir, '1.png')]
  writeFileSync(from, bytes)
  const kept = keepAtOnce({ path: from, mask: maskTooEarly, sizeBytes }, to, new SpoolDisk())
  expect(kept).toEqual({ ...factsOf(bytes), path: to })
  expect(readFileSync(to).equals(bytes)).toBe(true)
})

it('does not take the spool for slow because a mask is', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const mask = maskWith((read) => {
      vi.advanceTimersByTime(1_000)
      return read
    })
    expect(await keep(Buffer.from('a text'), { mask })).toMatchObject({ atOnce: 1, isDiskQuick: true })
  } finally {
    vi.useRealTimers()
  }
})

it('leaves no half of what could not be kept: the disk may be full', async () => {
  const entry = EntryFolder.createAtOnce({ dir, disk: new SpoolDisk() }, 'a-run')
  const log = path.join(dir, 'a.log')
  writeFileSync(log, 'a log')
  const failHalfway = (to: string): never => {
    writeFileSync(to, 'half')
    throw new Error('no space left')
  }
  const mask = {
    copy: async (to: string) => failHalfway(to),
    maskBytes: () => failHalfway(entry.pathOf('1.log')),
  }
  expect(() => entry.keepAtOnce({ path: log, mask, sizeBytes: 5 })).toThrow('no space')
  await expect(entry.keep({ path: log, mask })).rejects.toThrow('no space')
  expect(readdirSync(path.dirname(entry.pathOf('1.log')))).toEqual([])
  await entry.release()
})

it('keeps a large file where an upload that was cut short left one', async () => {
  const from = path.join(dir, 'video.webm')
  const bytes = Buffer.alloc(400_000, 7)
  writeFileSync(from, bytes)
  const disk = new SpoolDisk()
  await disk.open(path.join(dir, 'spool'))
  const { path: to } = factsOf(bytes)
  writeFileSync(to, Buffer.alloc(500_000, 'longer'))
  expect(await keepFile({ path: from }, to, disk)).toEqual(factsOf(bytes))
  writeFileSync(to, Buffer.alloc(500_000, 'longer'))
  expect(keepAtOnce({ path: from, mask: undefined, sizeBytes: bytes.byteLength }, to, disk)).toEqual({
    path: to,
  })
  expect(readFileSync(to).equals(bytes)).toBe(true)
})

it.each([
  ['a large file', 400_000, 1],
  ['not of a small one', 100_000, 0],
])('tells of a copy before it is digested: %s', async (_, sizeBytes, count) => {
  const from = path.join(dir, 'video.webm')
  const bytes = Buffer.alloc(sizeBytes, 7)
  writeFileSync(from, bytes)
  const copies: FreshCopy[] = []
  const disk = new SpoolDisk()
  await disk.open(path.join(dir, 'spool'))
  const to = path.join(dir, 'spool', '1.png')
  let isKept = false
  const onCopied = (copy: FreshCopy): void => {
    expect([isKept, readFileSync(copy.path).equals(bytes)]).toEqual([false, true])
    copies.push(copy)
  }
  const kept = await keepFile({ path: from, found: { sizeBytes, pace: new FilePace() }, onCopied }, to, disk)
  isKept = true
  expect(kept).toEqual(factsOf(bytes))
  expect(copies.map(({ path: place, sizeBytes: size }) => [place, size])).toEqual(
    Array.from({ length: count }, () => [to, sizeBytes]),
  )
  for (const { digest } of copies) expect(await digest).toMatchObject({ sha256: kept.sha256 })
})
