import { spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { mkdir, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RunDetailSchema } from '@runledger/protocol'
import { sha256 } from '../support/digest'
import { runCommand } from '../support/project'
import { REPOSITORY } from '../support/repository'
import { type Service, startService } from '../support/service'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')
const DISK_MB = 64
const CLIENTS = 6

/** A file system of its own, where this process may mount one. */
const disk = mountDisk()

function mountDisk(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined
  const folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder])
  return status === 0 ? folder : undefined
}

let service: Service

beforeAll(async () => {
  if (disk !== undefined) service = await startService({ folder: disk })
})

afterAll(async () => {
  if (disk === undefined) return
  await service.stop()
  spawnSync('umount', [disk])
  await rm(disk, { recursive: true, force: true })
})

interface Answer {
  status: number
  retryAfter: string | null
  body: { id?: string; upload_url?: string; code?: string; message?: string }
}

async function send(method: string, pathname: string, body?: unknown): Promise<Answer> {
  const response = await fetch(service.url + pathname, {
    method,
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return readAnswer(response)
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: (text === '' ? {} : JSON.parse(text)) as Answer['body'],
  }
}

let lastSerial = 0

function createRun(): Promise<Answer> {
  const steps = Array.from({ length: 100 }, (_, index) => ({
    name: `step ${index}`,
    step_passed: true,
    started_at: '2026-11-20T09:00:00Z',
    duration: 'PT1S',
  }))
  const unit_under_test = { serial_number: `DISK-${(lastSerial += 1)}` }
  const body = {
    procedure_id: service.procedureId,
    unit_under_test,
    run_passed: true,
    duration: 'PT1S',
    steps,
  }
  return send('POST', '/v1/runs/create', body)
}

interface Refusal {
  of: 'run' | 'attachment' | 'bytes'
  answer: Answer
}

interface Kept {
  run: string
  digest?: string
}

/** Creates a run and attaches to it, as far as that is acknowledged; returns the first refusal. */
async function record(kept: Kept[], sizeBytes: number): Promise<Refusal | undefined> {
  const created = await createRun()
  if (created.status !== 200) return { of: 'run', answer: created }
  const known: Kept = { run: created.body.id as string }
  kept.push(known)
  const initialized = await send('POST', `/v2/runs/${known.run}/attachments`, { name: 'file.bin' })
  if (initialized.status !== 200) return { of: 'attachment', answer: initialized }
  const bytes = randomBytes(sizeBytes)
  const sent = await readAnswer(
    await fetch(initialized.body.upload_url as string, { method: 'PUT', body: bytes }),
  )
  if (sent.status !== 200) return { of: 'bytes', answer: sent }
  known.digest = sha256(bytes)
  return undefined
}

/** Until nothing is taken any more, by several clients at a time. Returns every refusal. */
async function fill(kept: Kept[], sizeBytes: number): Promise<Refusal[]> {
  const refusals: Refusal[] = []
  const work = async () => {
    for (let refused = 0; refused < 5;) {
      const refusal = await record(kept, sizeBytes)
      if (!refusal) continue
      refusals.push(refusal)
      refused += 1
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, work))
  return refusals
}

const FILLERS = 'fillers'

/** Takes so much of the disk, or what is left of it. */
async function takeRoom(bytes: number): Promise<void> {
  const folder = path.join(disk as string, FILLERS)
  await mkdir(folder, { recursive: true })
  const { bavail, bsize } = await statfs(disk as string)
  const size = Math.min(bytes, bavail * bsize)
  await writeFile(path.join(folder, randomUUID()), Buffer.alloc(size)).catch(() => undefined)
}

async function makeRoom(): Promise<void> {
  await rm(path.join(disk as string, FILLERS), { recursive: true })
}

const REFUSED: Answer = {
  status: 503,
  retryAfter: expect.stringMatching(/^\d+$/) as unknown as string,
  body: expect.objectContaining({
    code: 'SERVICE_UNAVAILABLE',
    message: 'The service cannot store anything now: its disk is full.',
  }) as Answer['body'],
}

async function expectKept(kept: readonly Kept[]): Promise<void> {
  for (const { run, digest } of kept) {
    const response = await service.get(`/v2/runs/${run}`)
    expect([run, response.status]).toEqual([run, 200])
    const { phases, attachments } = RunDetailSchema.parse(await response.json())
    expect(phases).toHaveLength(100)
    if (digest === undefined) continue
    const bytes = await (await fetch(attachments[0]?.download_url ?? '')).arrayBuffer()
    expect(sha256(new Uint8Array(bytes))).toBe(digest)
  }
}

function runledger(...args: string[]) {
  return runCommand(process.execPath, [CLI, ...args], { dir: disk as string })
}

async function expectClean(): Promise<void> {
  const { stdout } = await runledger('check', '--json', '--bytes', '--data', service.dataDir)
  expect(JSON.parse(stdout)).toMatchObject({ problems: [], leftover_files: 0 })
  expect(await readdir(path.join(service.dataDir, 'blobs/incoming'))).toEqual([])
}

it.skipIf(disk === undefined)(
  `refuses what it cannot store on a full disk of ${DISK_MB} MB, reads on, and goes on when there is room`,
  async () => {
    const kept: Kept[] = []
    await takeRoom(10_000_000)
    const refusals = await fill(kept, 500_000)
    await takeRoom(Infinity)
    refusals.push(...(await fill(kept, 100)))
    expect(kept.length).toBeGreaterThan(50)
    for (const { of, answer } of refusals) expect([of, answer]).toEqual([of, REFUSED])
    expect(refusals.map(({ of }) => of)).toEqual(expect.arrayContaining(['run', 'bytes']))
    expect((await service.get('/healthz')).status).toBe(200)
    await expectKept(kept)
    const backup = path.join(disk as string, 'backup')
    expect(await runledger('backup', backup, '--data', service.dataDir)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^runledger: .*(?:too full|ENOSPC)/) as unknown,
    })
    await rm(backup, { recursive: true, force: true })

    await makeRoom()
    const later: Kept[] = []
    expect(await record(later, 1_000)).toBeUndefined()
    await expectKept([...kept, ...later])
    await expectClean()
    console.log(`${kept.length} runs on ${DISK_MB} MB, ${refusals.length} requests refused`)
  },
)

it.skipIf(disk === undefined)(
  'says at a start on a full disk what is wrong, and starts when there is room',
  async () => {
    const kept: Kept[] = []
    expect(await record(kept, 1_000)).toBeUndefined()
    await service.stop()
    await takeRoom(Infinity)
    await expect(startService({ folder: disk as string })).rejects.toThrow(
      /The data folder .* cannot be used: its disk is full. Make room there/,
    )
    await makeRoom()
    service = await startService({ folder: disk as string })
    await expectKept(kept)
    await expectClean()
  },
)
