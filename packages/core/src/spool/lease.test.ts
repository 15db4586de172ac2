import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { identifyOwnProcess, isLeased, Lease } from './lease'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-lease-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

async function writeLeaseOf(over: { host?: string; pid?: number; startedAt?: string }): Promise<string> {
  const { host, pid, startedAt } = { ...identifyOwnProcess(), ...over }
  const file = path.join(folder, `lease-${host}-${pid}-${startedAt}-0123456789ab`)
  await writeFile(file, '')
  return file
}

it('has one holder, and can be taken again when it is released', async () => {
  const first = await Lease.take(folder)
  expect(first).toBeDefined()
  expect(await Lease.take(folder)).toBeUndefined()
  await first?.release()
  const second = await Lease.take(folder)
  expect(second).toBeDefined()
  await second?.release()
})

it('has at most one holder when many want it at the same moment', async () => {
  for (let round = 0; round < 20; round += 1) {
    const leases = await Promise.all(Array.from({ length: 8 }, () => Lease.take(folder)))
    const held = leases.filter((lease) => lease !== undefined)
    expect(held.length).toBeLessThanOrEqual(1)
    await Promise.all(held.map((lease) => lease.release()))
    expect(await readdir(folder)).toEqual([])
  }
})

it('counts for nothing when its process has ended', async () => {
  await writeLeaseOf({ pid: 999_999_999 })
  expect(await isLeased(folder)).toBe(false)
  const lease = await Lease.take(folder)
  expect(await readdir(folder)).toHaveLength(1)
  await lease?.release()
})

it.runIf(process.platform === 'linux')(
  'counts for nothing when another process has the number now',
  async () => {
    await writeLeaseOf({ startedAt: '1' })
    expect(await isLeased(folder)).toBe(false)
  },
)

it('is valid for an hour if another machine holds it', async () => {
  const file = await writeLeaseOf({ host: 'abcdef012345' })
  expect(await isLeased(folder)).toBe(true)
  const before = new Date(Date.now() - 61 * 60 * 1000)
  await utimes(file, before, before)
  expect(await isLeased(folder)).toBe(false)
})

it('does not exist for a folder that is gone', async () => {
  expect(await Lease.take(path.join(folder, 'none'))).toBeUndefined()
})

it('is renewed as long as it is held, and keeps no process alive', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  try {
    const lease = await Lease.take(folder)
    const file = path.join(folder, (await readdir(folder))[0] as string)
    const old = new Date(Date.now() - 59 * 60 * 1000)
    await utimes(file, old, old)
    vi.advanceTimersByTime(10 * 60 * 1000)
    await vi.waitFor(async () => expect((await stat(file)).mtimeMs).toBeGreaterThan(old.getTime() + 1000))
    await lease?.release()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
