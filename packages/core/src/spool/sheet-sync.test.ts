import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RunSheet } from './run-sheet'
import { SpoolDisk } from './spool-disk'
import { SpoolError } from './spool-error'

/** A disk that counts how often it is asked for what was written, and fails when it is told to. */
class CountingDisk extends SpoolDisk {
  syncs = 0
  isBroken = false

  override async syncOpen(descriptor: number): Promise<void> {
    this.syncs += 1
    if (!this.isBroken) return super.syncOpen(descriptor)
    // The system tells of a write that came to nothing once.
    this.isBroken = false
    throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })
  }
}

let dir: string
let disk: CountingDisk
let sheet: RunSheet
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'runledger-sheet-'))
  disk = new CountingDisk()
  sheet = RunSheet.create({ dir, disk })
})
afterEach(async () => {
  await sheet.close()
  await rm(dir, { recursive: true, force: true })
})

const write = (id: string): void => {
  sheet.keepAtOnce(id, [Buffer.from('{}\n')])
  sheet.syncSoon()
}

it('syncs together what was written within a second, also when no suite ends then', async () => {
  write('a')
  write('b')
  expect(disk.syncs).toBe(0)
  await expect.poll(() => disk.syncs, { timeout: 3_000 }).toBe(1)
  write('c')
  expect(disk.syncs).toBe(1)
  await expect.poll(() => disk.syncs, { timeout: 3_000 }).toBe(2)
})

it('takes no later sync for the one that failed behind everybody’s back', async () => {
  disk.isBroken = true
  write('a')
  await expect.poll(() => disk.syncs, { timeout: 3_000 }).toBe(1)
  write('b')
  await expect(sheet.sync()).rejects.toThrow(SpoolError)
})

it('is left alone once it is closed, not even by a timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    write('a')
    write('b')
    expect(vi.getTimerCount()).toBe(1)
    await sheet.close()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
    sheet = RunSheet.create({ dir, disk })
  }
})
