import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ExecutionLog } from './execution-log'
import { Lease } from './lease'
import { LOG_VERSION, type RunLine } from './log-lines'
import { readLog } from './read-log'
import { enforceBounds } from './retention'
import { SpoolFolder } from './spool-folder'
import { dropWaitingRun, listWaitingRuns, type WaitingRun } from './waiting-runs'

const HOUR_MS = 60 * 60 * 1000

let spool: SpoolFolder

beforeEach(async () => {
  spool = new SpoolFolder(await mkdtemp(path.join(os.tmpdir(), 'runledger-bounds-')))
})

afterEach(() => {
  vi.restoreAllMocks()
  return rm(spool.dir, { recursive: true, force: true })
})

/** An execution that began some hours ago, with runs of one file of 1,000 bytes each. */
async function addExecution(hoursAgo: number, runs = 1): Promise<ExecutionLog> {
  const log = await ExecutionLog.create(spool.dir, {
    kind: 'execution',
    version: LOG_VERSION,
    createdAt: new Date(Date.now() - hoursAgo * HOUR_MS).toISOString(),
    service: { url: 'http://127.0.0.1', createPath: '/runs', updatePath: '/runs' },
    projectRoot: '/project',
  })
  for (let index = 0; index < runs; index += 1) {
    const stored = log.files.keepBytes(Buffer.alloc(1000, index), '.png')
    log.append(createLine([{ name: 'shot.png', contentType: 'image/png', ...stored }]))
  }
  return log
}

function createLine(attachments: RunLine['attachments']): RunLine {
  const request = {
    procedure_id: 'FVT1',
    unit_under_test: { serial_number: 'S1' },
    run_passed: true,
    report_variables: {},
  } as unknown as RunLine['request']
  return { kind: 'run', run: randomUUID(), finishedAt: '2026-11-20T09:30:00.000Z', request, attachments }
}

it('drops what is too old, then the oldest executions until the rest fits', async () => {
  const [old, older, young] = [await addExecution(50), await addExecution(9), await addExecution(1)]
  for (const log of [old, older, young]) await log.release()
  const dropped = await enforceBounds(spool, { maxAgeMs: 40 * HOUR_MS, maxBytes: 2500 })
  expect(dropped).toMatchObject([
    { executionId: path.basename(old.dir), runs: 'all', reason: 'age' },
    { executionId: path.basename(older.dir), runs: 'all', reason: 'size' },
  ])
  expect((await spool.list()).map(({ dir }) => dir)).toEqual([young.dir])
})

it('drops the oldest runs of the last execution that is left, with their files', async () => {
  await (await addExecution(9)).release()
  const log = await addExecution(1, 5)
  await log.release()
  const dropped = await enforceBounds(spool, { maxAgeMs: 40 * HOUR_MS, maxBytes: 5500 })
  expect(dropped).toMatchObject([
    { runs: 'all', reason: 'size' },
    { executionId: path.basename(log.dir), runs: 2, reason: 'size' },
  ])
  expect((await readLog(log.dir)).waiting).toHaveLength(3)
  expect(await readdir(log.files.dir)).toHaveLength(3)
})

it('keeps a file that another run of the execution needs', async () => {
  const log = await addExecution(1)
  const stored = log.files.keepBytes(Buffer.alloc(1000, 0), '.png')
  log.append(createLine([{ name: 'again.png', contentType: 'image/png', ...stored }]))
  await log.release()
  const [first, second] = await listWaitingRuns(spool)
  expect(await dropWaitingRun(first as WaitingRun)).toBe(true)
  expect(await readdir(log.files.dir)).toEqual([stored.file])
  expect(await dropWaitingRun(second as WaitingRun)).toBe(true)
  expect(await readdir(spool.dir)).toEqual([])
})

it('never drops what a process works on', async () => {
  const busy = await addExecution(50)
  await (await addExecution(1)).release()
  expect(await enforceBounds(spool, { maxAgeMs: 40 * HOUR_MS, maxBytes: 5000 })).toEqual([])
  expect(await spool.list()).toHaveLength(2)
  await busy.release()
})

it('counts and drops what is in quarantine', async () => {
  const log = await addExecution(50)
  await log.release()
  await spool.quarantine(log)
  expect(await enforceBounds(spool, { maxAgeMs: 40 * HOUR_MS, maxBytes: 10_000 })).toMatchObject([
    { reason: 'age' },
  ])
  expect(await spool.listQuarantined()).toEqual([])
})

it('counts the copies of large files among the bytes that dropping a run frees', async () => {
  const log = await addExecution(1, 0)
  for (let index = 0; index < 5; index += 1) {
    const source = path.join(spool.dir, `video-${index}.webm`)
    await writeFile(source, Buffer.alloc(1000, index))
    const named = { path: source, changedAtMs: index }
    log.append(createLine([{ name: 'video', contentType: 'video/webm', sizeBytes: 1000, ...named }]))
    log.append({ kind: 'file', ...named, ...(await log.files.copy(source)) })
  }
  await log.release()
  const [listed] = await spool.list()
  const maxBytes = (listed?.sizeBytes ?? 0) - 1500
  expect(await enforceBounds(spool, { maxAgeMs: 40 * HOUR_MS, maxBytes })).toMatchObject([{ runs: 2 }])
  expect((await readLog(log.dir)).waiting).toHaveLength(3)
})

it('is not kept from dropping others by one that cannot be dropped', async () => {
  const [odd, other] = [await addExecution(60), await addExecution(50)]
  for (const log of [odd, other]) await log.release()
  vi.spyOn(Lease, 'take').mockRejectedValue(new Error('ENOSPC'))
  await mkdir(path.join(odd.dir, `lease-0-1-1-0`))
  const dropped = await enforceBounds(spool, { maxAgeMs: 40 * HOUR_MS, maxBytes: 1e9 })
  expect(dropped.map(({ executionId }) => executionId)).toContain(path.basename(other.dir))
  expect(dropped).not.toContainEqual(expect.objectContaining({ runs: 0 }))
})
