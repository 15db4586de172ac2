import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { loadSqlite, lockDataFolder } from '../storage/database/sqlite/sqlite-driver'
import { StartError } from '../base/errors'
import { startTestServer, type TestServer } from '../testing/start-test-server'
import { backUp } from './back-up'
import { checkData } from './check-data'
import { DamagedBackupError, restore } from './restore'

let folder: string
let data: string
let target: string
let servers: TestServer[]
let server: TestServer

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-backup-'))
  data = join(folder, 'data')
  target = join(folder, 'backup')
  servers = []
  server = await start(data)
})

afterEach(async () => {
  await Promise.all(servers.map((each) => each.stop()))
  await rm(folder, { recursive: true, force: true })
})

async function start(dataDir: string): Promise<TestServer> {
  const started = await startTestServer({ data: dataDir, projectDir: folder })
  servers.push(started)
  return started
}

async function createRun(serialNumber = 'UNIT-1'): Promise<string> {
  const unit_under_test = { serial_number: serialNumber, part_number: 'PART-1' }
  return (await server.createRun({ unit_under_test })).id as string
}

async function attach(runId: string, bytes: string): Promise<void> {
  const id = await server.upload(`${bytes}.txt`, bytes)
  await server.send('PATCH', `/v2/runs/${runId}`, { attachments: [id] })
}

async function listFiles(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

describe('a backup', () => {
  it('is made while the service serves, holds what is on record, and is its owner’s alone', async () => {
    const run = await createRun()
    await attach(run, 'first')
    await attach(run, 'second')
    const made = await backUp(data, target)
    expect(made).toMatchObject({ runs: 1, attachments: 2, blobs: 2, bytes: 11, copied_blobs: 2, missing: [] })
    expect(await checkData(target, { bytes: true })).toMatchObject({ ok: true, runs: 1, leftover_files: 0 })
    expect((await stat(target)).mode & 0o777).toBe(0o700)
    for (const path of await listFiles(target))
      expect([path, (await stat(path)).mode & 0o777]).toEqual([path, 0o600])
    expect(await createRun()).not.toBe(run)
  })

  it('lets nobody in: it has no key, no session and no secret that signs addresses', async () => {
    const { searchParams } = new URL(await server.running.createSignInLink())
    const signedIn = await server.send('POST', '/session', { code: searchParams.get('code') })
    expect(signedIn.status).toBe(200)
    await server.running.createSignInLink()
    await backUp(data, target)
    const { DatabaseSync } = await loadSqlite()
    const live = new DatabaseSync(join(data, 'runledger.db'), { readOnly: true })
    const [{ value }] = live
      .prepare("SELECT value FROM settings WHERE name = 'internal.signing_secret'")
      .all() as [{ value: string }]
    const hashes = live.prepare('SELECT hash FROM sessions UNION ALL SELECT hash FROM sign_in_codes').all()
    live.close()
    expect(hashes).toHaveLength(2)
    const secrets = [
      server.apiKey,
      JSON.parse(value) as string,
      ...hashes.map((row) => (row as { hash: string }).hash),
    ]
    for (const path of await listFiles(target)) {
      const bytes = await readFile(path)
      for (const secret of secrets) expect(bytes.includes(secret)).toBe(false)
    }
  })

  it('has all bytes that it names, although runs come and go meanwhile', async () => {
    const over = new AbortController()
    const work = async (worker: number) => {
      for (let count = 0; !over.signal.aborted; count += 1) {
        const run = await createRun(`UNIT-${worker}`)
        await attach(run, `${worker} ${count}`)
        if (count % 2 === 0) await server.send('DELETE', `/v2/runs?ids=${run}`)
      }
    }
    const working = Promise.all([1, 2].map(work))
    for (let count = 0; count < 3; count += 1) {
      const { missing } = await backUp(data, target)
      expect(missing).toEqual([])
      expect(await checkData(target, { bytes: true })).toMatchObject({ problems: [], leftover_files: 0 })
    }
    over.abort()
    await working
  })

  it('takes what is new into a former one, and leaves out what was deleted', async () => {
    const first = await createRun()
    await attach(first, 'first')
    await backUp(data, target)
    await attach(await createRun('UNIT-2'), 'second')
    await server.send('DELETE', `/v2/runs?ids=${first}`)
    expect(await backUp(data, target)).toMatchObject({ runs: 1, blobs: 1, copied_blobs: 1, copied_bytes: 6 })
    expect(await checkData(target, { bytes: true })).toMatchObject({ ok: true, runs: 1, leftover_files: 0 })
  })

  it('copies bytes again that are cut short in the former one', async () => {
    await attach(await createRun(), 'first')
    await backUp(data, target)
    const [path] = await listFiles(join(target, 'blobs'))
    await truncate(path as string, 1)
    expect(await backUp(data, target)).toMatchObject({ copied_blobs: 1 })
    expect(await checkData(target, { bytes: true })).toMatchObject({ ok: true })
  })

  it('says which bytes the service has lost, and keeps the rest', async () => {
    const run = await createRun()
    await attach(run, 'kept')
    await attach(run, 'lost')
    const paths = await listFiles(join(data, 'blobs'))
    const lost = (await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')]))).find(
      ([, text]) => text === 'lost',
    )?.[0] as string
    await rm(lost)
    const { missing, copied_blobs } = await backUp(data, target)
    expect(missing).toEqual([relative(join(data, 'blobs'), lost)])
    expect(copied_blobs).toBe(1)
  })

  it('is put into no folder with something else in it, nor into the data folder', async () => {
    await mkdir(target)
    await writeFile(join(target, 'mine.txt'), '')
    await expect(backUp(data, target)).rejects.toThrow(/is not empty, and is not a backup/)
    await expect(backUp(data, join(data, 'backup'))).rejects.toThrow(/are in each other/)
    await expect(backUp(join(folder, 'none'), join(folder, 'new'))).rejects.toThrow(/no Runledger data/)
    expect(await readdir(folder)).not.toContain('new')
  })

  it('says in one line that the database is damaged', async () => {
    await createRun()
    await server.running.close()
    const { DatabaseSync } = await loadSqlite()
    const connection = new DatabaseSync(join(data, 'runledger.db'))
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    connection.close()
    await truncate(join(data, 'runledger.db'), 40_000)
    const failed = backUp(data, target)
    await expect(failed).rejects.toBeInstanceOf(StartError)
    await expect(failed).rejects.toThrow(
      /^The database cannot be copied: .*"runledger check --data .*" tells/,
    )
  })

  it('begins anew where one broke off before it was told from another folder', async () => {
    await mkdir(target)
    for (const name of ['lock.db', 'backup.json.new']) await writeFile(join(target, name), '')
    await backUp(data, target)
    expect(await checkData(target)).toMatchObject({ ok: true })
  })

  it('is not made twice at a time', async () => {
    const [first, second] = await Promise.allSettled([backUp(data, target), backUp(data, target)])
    const refused = [first, second].find(({ status }) => status === 'rejected') as PromiseRejectedResult
    expect(String(refused.reason)).toMatch(/Another backup to .* is under way|is not empty/)
    await backUp(data, target)
    expect(await checkData(target)).toMatchObject({ ok: true })
  })
})

describe('a restored backup', () => {
  it('serves what was on record, to keys that were issued before, with a new credentials file', async () => {
    const run = await createRun()
    await attach(run, 'first')
    await backUp(data, target)
    const other = join(folder, 'other')
    expect(await restore(target, other)).toMatchObject({ check: { ok: true, runs: 1 } })
    expect((await stat(other)).mode & 0o777).toBe(0o700)
    expect((await stat(join(other, 'runledger.db'))).mode & 0o777).toBe(0o600)
    const restored = await start(other)
    expect(restored.apiKey).not.toBe(server.apiKey)
    const headers = { authorization: `Bearer ${server.apiKey}` }
    const response = await restored.send('GET', `/v2/runs/${run}`, undefined, headers)
    expect(response.status).toBe(200)
    const { attachments } = await restored.getRun(run)
    expect(await (await fetch(attachments[0]?.download_url ?? '')).text()).toBe('first')
  })

  it('is whole after a backup broke off that should have renewed it', async () => {
    await attach(await createRun(), 'first')
    await backUp(data, target)
    await mkdir(join(target, 'blobs/incoming'), { recursive: true })
    await writeFile(join(target, 'blobs/incoming/half'), 'half')
    await writeFile(join(target, 'runledger.db.new'), 'half')
    await restore(target, join(folder, 'other'))
    expect(await checkData(join(folder, 'other'), { bytes: true })).toMatchObject({ ok: true, runs: 1 })
  })

  it('goes into an empty folder alone, and only when it is whole', async () => {
    await backUp(data, target)
    await expect(restore(target, data)).rejects.toThrow(/is not empty/)
    await expect(restore(data, join(folder, 'other'))).rejects.toThrow(/There is no backup in/)
    const manifest = join(target, 'backup.json')
    const unfinished = { ...(JSON.parse(await readFile(manifest, 'utf8')) as object), taken_at: null }
    await writeFile(manifest, JSON.stringify(unfinished))
    await expect(restore(target, join(folder, 'other'))).rejects.toThrow(/broke off before it was whole/)
  })

  it('is refused when it is damaged, unless what is there of it is wanted', async () => {
    const run = await createRun()
    await attach(run, 'first')
    await attach(run, 'second')
    await backUp(data, target)
    const [path] = await listFiles(join(target, 'blobs'))
    await writeFile(path as string, 'x')
    const other = join(folder, 'other')
    const refused = restore(target, other)
    await expect(refused).rejects.toBeInstanceOf(DamagedBackupError)
    await expect(refused).rejects.toMatchObject({ check: { problem_count: 1 } })
    expect(await restore(target, other, { force: true })).toMatchObject({ check: { ok: false } })
    const restored = await start(other)
    expect((await restored.getRun(run)).attachments).toHaveLength(2)
  })

  it('is not made while a backup to the same folder is under way, nor a backup meanwhile', async () => {
    await attach(await createRun(), 'first')
    await backUp(data, target)
    const unlock = await lockDataFolder(target)
    const other = join(folder, 'other')
    await expect(restore(target, other)).rejects.toThrow(/A backup to .* is under way/)
    unlock()
    const [restored, backedUp] = await Promise.allSettled([restore(target, other), backUp(data, target)])
    expect([restored.status, backedUp.status].toSorted()).toEqual(['fulfilled', 'rejected'])
    if (restored.status === 'rejected') await restore(target, other)
    expect(await checkData(other, { bytes: true })).toMatchObject({ ok: true, runs: 1, blobs: 1 })
  })

  it('fails when bytes go meanwhile, and takes away what it made and nothing else', async () => {
    await attach(await createRun(), 'first')
    await backUp(data, target)
    const other = join(folder, 'other')
    const [path] = await listFiles(join(target, 'blobs'))
    const restoring = restore(target, other)
    const ended = Promise.allSettled([restoring])
    await vi.waitUntil(() => existsSync(join(other, 'restore.unfinished')), { timeout: 20_000, interval: 1 })
    await rm(path as string, { force: true })
    const [{ status }] = await ended
    if (status === 'rejected') expect(await readdir(other)).toEqual([])
    else expect(await checkData(other, { bytes: true })).toMatchObject({ ok: true })
  })

  it('is not served before it is whole, nor is a backup itself', async () => {
    await backUp(data, target)
    await expect(start(target)).rejects.toThrow(/holds a backup. Restore it: runledger restore/)
    const half = join(folder, 'half')
    await cp(data, half, { recursive: true })
    await writeFile(join(half, 'restore.unfinished'), '')
    await expect(start(half)).rejects.toThrow(/holds a part of a backup/)
  })
})
