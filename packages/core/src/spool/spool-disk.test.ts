import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SpoolDisk } from './spool-disk'

vi.mock('node:fs/promises', { spy: true })

let dir: string

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'spool-disk-'))
})

afterEach(() => {
  vi.resetAllMocks()
  rmSync(dir, { recursive: true })
})

function createError(syscall: string, code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${syscall}`), { syscall, code })
}

/** Opens files as the system would (the tests' user may do anything): `codes` has the error for some flags. */
function answer(codes: Partial<Record<string, string>>): { synced: string[] } {
  const synced: string[] = []
  vi.mocked(open).mockImplementation((async (_file: string, flags: string) => {
    if (codes[flags] !== undefined) throw createError('open', codes[flags])
    const sync = async (): Promise<void> => {
      if (codes['fsync'] !== undefined) throw createError('fsync', codes['fsync'])
      synced.push(flags)
    }
    return { sync, close: async () => undefined }
  }) as never)
  return { synced }
}

const syncLeft = (): Promise<void> => new SpoolDisk().syncLeftFile('1.webm')

it.each([undefined, 'EACCES', 'EPERM', 'EROFS'])(
  'syncs a file that was left by what it may be opened for: %s',
  async (code) => {
    const { synced } = answer({ 'r+': code })
    await syncLeft()
    expect(synced).toEqual([code === undefined ? 'r+' : 'r'])
  },
)

it.each(['EACCES', 'ENOENT', 'ELOOP'])(
  'passes over a file that was left and cannot be opened: %s',
  async (code) => {
    const { synced } = answer({ 'r+': code, r: code })
    await syncLeft()
    expect(synced).toEqual([])
  },
)

it.each([
  ['the sync fails', { fsync: 'EIO' }],
  ['the sync of one that may only be read fails', { 'r+': 'EACCES', fsync: 'EIO' }],
  ['too many files are open', { 'r+': 'EMFILE' }],
])('tells when %s', async (_, codes) => {
  answer(codes)
  await expect(syncLeft()).rejects.toThrow(/EIO|EMFILE/)
})

it.each(['quick', 'slow'])(
  'takes a folder in the place of a file that was left for no trouble: a %s disk',
  async (pace) => {
    const disk = new SpoolDisk()
    if (pace === 'quick') await disk.open(dir)
    expect(disk.isQuick).toBe(pace === 'quick')
    await disk.syncLeftFile(dir)
    await expect(disk.syncFile(dir)).rejects.toThrow('EISDIR')
  },
)
