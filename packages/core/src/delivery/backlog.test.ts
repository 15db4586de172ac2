import { randomUUID } from 'node:crypto'
import { appendFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CreateRunResponseSchema, CreateRunRequestSchema } from '@runledger/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Run } from '../model/run'
import { ExecutionLog } from '../spool/execution-log'
import { FileStore } from '../spool/file-store'
import { readLog } from '../spool/read-log'
import { SpoolFolder } from '../spool/spool-folder'
import * as files from '../util/files'
import { type BacklogResult, deliverBacklog } from './backlog'
import type { RunResult } from './deliver-run'

vi.mock(import('../util/files'), { spy: true })

let dir: string
let delivered: string[]

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'backlog-'))
  delivered = []
})

afterEach(async () => {
  vi.restoreAllMocks()
  vi.resetAllMocks()
  await rm(dir, { recursive: true })
})

/** An execution of one run with one file, as a process leaves it. */
async function leaveExecution(): Promise<{ submissionId: string; executionDir: string; file: string }> {
  const log = await ExecutionLog.create(dir, {
    kind: 'execution',
    version: 1,
    createdAt: new Date().toISOString(),
    service: { url: 'http://127.0.0.1', createPath: '/runs', updatePath: '/runs' },
    projectRoot: '/project',
  })
  const submissionId = randomUUID()
  const stored = log.files.keepBytes(Buffer.from('a video'), '.webm')
  log.append({
    kind: 'run',
    run: submissionId,
    finishedAt: new Date().toISOString(),
    request: CreateRunRequestSchema.parse({
      procedure_id: 'FVT1',
      unit_under_test: { serial_number: 'S1' },
      run_passed: true,
      duration: 'PT1S',
      report_variables: {},
    }),
    attachments: [{ name: 'video', contentType: 'video/webm', ...stored }],
  })
  await log.release()
  return { submissionId, executionDir: log.dir, file: log.files.pathOf(stored.file) }
}

const response = CreateRunResponseSchema.parse({ url: 'http://127.0.0.1/runs/1' })

/** A service that takes all it is given, or nothing. */
async function deliver(isWell = false, signal = new AbortController().signal): Promise<BacklogResult[]> {
  const spool = new SpoolFolder(dir)
  const send = async ({ submissionId, request }: Run): Promise<RunResult> => {
    delivered.push(submissionId)
    const passed = request.run_passed
    if (!isWell) return { status: 'failed', passed, error: new Error('the service is closed') }
    return { status: 'delivered', passed, outsideLimits: 0, response, isComplete: true, problems: [] }
  }
  const sender = { signal, send, endExecution: () => Promise.resolve() }
  return deliverBacklog({ spool, sender, skipReason: () => undefined }, await spool.list())
}

it('reports the end of an execution only to the service that a killed process has sent its runs to', async () => {
  const { submissionId, executionDir } = await leaveExecution()
  const request = { procedure_id: 'FVT1', group: 'g', started_at: '', ended_at: '' }
  const lines = [
    { kind: 'done', run: submissionId },
    { kind: 'end', execution: randomUUID(), request },
  ]
  for (const line of lines)
    await appendFile(path.join(executionDir, 'log.jsonl'), `${JSON.stringify(line)}\n`)
  const endExecution = vi.fn(() => Promise.resolve())
  const spool = new SpoolFolder(dir)
  const sender = { signal: new AbortController().signal, send: vi.fn(), endExecution }
  await deliverBacklog({ spool, sender, skipReason: () => 'it is for another service' }, await spool.list())
  expect(endExecution).not.toHaveBeenCalled()
})

it.each([
  [true, undefined],
  [false, { createPath: '/runs', updatePath: '/runs' }],
])('with a spool from elsewhere: %s, a run goes to the paths %o of its log', async (isForeign, paths) => {
  await leaveExecution()
  const send = vi.fn((run: Run) => Promise.resolve({ status: 'failed', passed: true, error: run } as const))
  const spool = new SpoolFolder(dir)
  const sender = { signal: new AbortController().signal, send, endExecution: () => Promise.resolve() }
  await deliverBacklog({ spool, isForeign, sender, skipReason: () => undefined }, await spool.list())
  expect(send.mock.calls.map(([run]) => run.paths)).toEqual([paths])
})

it('skips a suite whose place would make an endless list', async () => {
  const { executionDir } = await leaveExecution()
  const suite = { kind: 'suite', run: randomUUID(), finishedAt: new Date().toISOString(), snapshot: {} }
  const lines = [4_294_967_294, 0].map((index) => `${JSON.stringify({ ...suite, index })}\n`)
  await appendFile(path.join(executionDir, 'log.jsonl'), lines.join(''))
  const { waiting, corruptLines } = await readLog(executionDir)
  expect(waiting.map(({ suites }) => suites.length)).toEqual([0, 1])
  expect(corruptLines).toBe(1)
})

describe('a run that waits', () => {
  it('waits on when time runs out while its files are synced', async () => {
    const { submissionId } = await leaveExecution()
    const deadline = new AbortController()
    let failSync: (error: Error) => void = () => undefined
    vi.mocked(files.syncFile).mockImplementation(() => {
      setImmediate(() => deadline.abort())
      return new Promise((_, reject) => (failSync = reject))
    })
    expect(await deliver(true, deadline.signal)).toMatchObject([
      { id: submissionId, status: 'waits', reason: 'no time was left' },
    ])
    // Nobody listens any more.
    failSync(new Error('an input/output error'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(delivered).toEqual([])
  })

  it('waits on when time runs out before its files are synced', async () => {
    await leaveExecution()
    const deadline = new AbortController()
    vi.spyOn(FileStore.prototype, 'adopt').mockImplementation(async () => deadline.abort())
    expect(await deliver(true, deadline.signal)).toMatchObject([
      { status: 'waits', reason: 'no time was left' },
    ])
    expect(files.syncFile).not.toHaveBeenCalled()
    expect(delivered).toEqual([])
  })

  it('waits on when its files cannot be synced', async () => {
    await leaveExecution()
    vi.mocked(files.syncFile).mockRejectedValue(Object.assign(new Error('i/o error'), { code: 'EIO' }))
    expect(await deliver(true)).toMatchObject([
      { status: 'waits', reason: expect.stringContaining('i/o error') },
    ])
    expect(delivered).toEqual([])
  })

  it('has its log, its files and their folders synced before it is sent', async () => {
    const { submissionId, executionDir, file } = await leaveExecution()
    vi.mocked(files.syncFile).mockClear()
    await deliver()
    const synced = [vi.mocked(files.syncFile), vi.mocked(files.syncFolder)].flatMap(({ mock }) => mock.calls)
    expect(synced.flat().sort()).toEqual(
      [dir, executionDir, path.dirname(file), file, path.join(executionDir, 'log.jsonl')].sort(),
    )
    expect(delivered).toEqual([submissionId])
  })

  it('is sent although its file cannot be opened: what is wrong with it shows then', async () => {
    const { submissionId, file } = await leaveExecution()
    await rm(file)
    await mkdir(file)
    const [result] = await deliver()
    expect(result?.reason).toBe('the service is closed')
    expect(delivered).toEqual([submissionId])
  })

  it('is sent although a kill left half a line after it', async () => {
    const { submissionId, executionDir } = await leaveExecution()
    await appendFile(path.join(executionDir, 'log.jsonl'), '{"kind":"event","run":"')
    expect(await deliver(true)).toMatchObject([{ id: submissionId, status: 'sent' }])
    expect(await readdir(dir)).toEqual([])
  })
})

describe('an execution whose log cannot be read', () => {
  it('is put in quarantine', async () => {
    const { executionDir } = await leaveExecution()
    await writeFile(path.join(executionDir, 'log.jsonl'), 'rubbish\n')
    expect(await deliver(true)).toMatchObject([{ id: path.basename(executionDir), status: 'quarantined' }])
    expect(await readdir(dir)).toEqual(['quarantine'])
    expect(await deliver(true)).toEqual([])
  })

  it.each([
    ['a line', 'rubbish'],
    [
      'suites that cannot be joined',
      JSON.stringify({
        kind: 'suite',
        run: randomUUID(),
        finishedAt: new Date().toISOString(),
        index: 0,
        snapshot: {},
      }),
    ],
  ])('has the runs sent that can be read: %s', async (_, line) => {
    const { submissionId, executionDir } = await leaveExecution()
    await appendFile(path.join(executionDir, 'log.jsonl'), `${line}\n`)
    expect(await deliver(true)).toMatchObject([
      { id: submissionId, status: 'sent' },
      { status: 'quarantined', reason: '1 of its runs or lines cannot be read' },
    ])
    expect(delivered).toEqual([submissionId])
  })
})
