import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { claimFolder, holdClaim, isClaimed, letGoOfClaim, releaseClaim } from './claim'
import { FolderSpool } from './folder-spool'
import { identifyOwnProcess } from './process-identity'
import { dropWaitingRun, type WaitingRun } from './waiting-run'

const ID = '11111111-1111-4111-8111-111111111111'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-claim-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const claimOf = async (over: { host?: string; pid?: number; startedAt?: string }): Promise<string> => {
  const { host, pid, startedAt } = { ...identifyOwnProcess(), ...over }
  const claim = path.join(folder, `claim-${host}-${pid}-${startedAt}-0123456789ab`)
  await writeFile(claim, '')
  return claim
}

it('has one holder, and can be had again when it is given up', async () => {
  const first = await claimFolder(folder)
  expect(first).toBeDefined()
  expect(await claimFolder(folder)).toBeUndefined()
  await releaseClaim(first as string)
  expect(await claimFolder(folder)).toBeDefined()
})

it('has at most one holder when many want it at the same moment', async () => {
  for (let round = 0; round < 20; round += 1) {
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimFolder(folder)))
    const held = claims.filter((claim) => claim !== undefined)
    expect(held.length).toBeLessThanOrEqual(1)
    await Promise.all(held.map(releaseClaim))
    expect(await readdir(folder)).toEqual([])
  }
})

it('counts for nothing when its process has ended', async () => {
  await claimOf({ pid: 999_999_999 })
  expect(await isClaimed(folder)).toBe(false)
  expect(await claimFolder(folder)).toBeDefined()
  expect(await readdir(folder)).toHaveLength(1)
})

it.runIf(process.platform === 'linux')(
  'counts for nothing when another process has the number now',
  async () => {
    await claimOf({ startedAt: '1' })
    expect(await isClaimed(folder)).toBe(false)
  },
)

it('of another machine holds for an hour', async () => {
  const claim = await claimOf({ host: 'abcdef012345' })
  expect(await isClaimed(folder)).toBe(true)
  const before = new Date(Date.now() - 61 * 60 * 1000)
  await utimes(claim, before, before)
  expect(await isClaimed(folder)).toBe(false)
})

it('of a thousand is made new by one timer, which goes with the last of them', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const claims = Array.from({ length: 1_000 }, (_, index) => path.join(folder, `claim-${index}`))
    for (const claim of claims) holdClaim(claim)
    expect(vi.getTimerCount()).toBe(1)
    for (const claim of claims.slice(1)) letGoOfClaim(claim)
    expect(vi.getTimerCount()).toBe(1)
    letGoOfClaim(claims[0] as string)
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

it('of a run that is dropped, or in a folder that does not answer, is held no more', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const spool = new FolderSpool(folder)
    const entry = await spool.create(ID)
    await entry.release()
    expect(await dropWaitingRun(spool, { submissionId: ID, dir: entry.dir } as WaitingRun)).toBe(true)
    expect(await readdir(folder)).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
    const hanging = await spool.create(ID)
    hanging.abandon()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

it('is made new as long as it is held, and keeps no process alive', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  try {
    const claim = (await claimFolder(folder)) as string
    const old = new Date(Date.now() - 59 * 60 * 1000)
    await utimes(claim, old, old)
    holdClaim(claim)
    vi.advanceTimersByTime(10 * 60 * 1000)
    await vi.waitFor(async () => expect((await stat(claim)).mtimeMs).toBeGreaterThan(old.getTime() + 1000))
    await releaseClaim(claim)
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
