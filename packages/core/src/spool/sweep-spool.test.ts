import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { DeliverableRun } from '../delivery/deliverable-run'
import type { RunDelivery } from '../delivery/run-delivery'
import { EntryFolder } from './entry-folder'
import { FolderSpool } from './folder-spool'
import { SpoolDisk } from './spool-disk'
import { createHead } from './spool-entry'
import { describeKept } from './suite-part'
import { sweepSpool, type SweptEntry } from './sweep-spool'

const SERVICE = { url: 'http://127.0.0.1', createPath: '/runs', updatePath: '/runs' }

let dir: string
let delivered: string[]

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'sweep-'))
  delivered = []
})

afterEach(async () => {
  vi.restoreAllMocks()
  await rm(dir, { recursive: true })
})

/** An entry with one kept file, as a process leaves it; answers the file. */
async function leaveEntry(): Promise<{ submissionId: string; file: string }> {
  const submissionId = randomUUID()
  const folder = await new FolderSpool(dir).create(submissionId)
  const kept = await folder.keep({ bytes: Buffer.from('a video') })
  const entry = {
    ...createHead(submissionId, { service: SERVICE, projectRoot: '/project' }),
    request: {
      procedure_id: 'FVT1',
      unit_under_test: { serial_number: 'S1' },
      run_passed: true,
      report_variables: {},
    },
    attachments: [describeKept({ name: 'video', contentType: 'video/webm', kept })],
  }
  await folder.write(JSON.stringify(entry))
  await folder.release()
  return { submissionId, file: kept.path }
}

/** The service takes none of what it is given. */
async function sweep(signal: AbortSignal): Promise<SweptEntry[]> {
  const spool = new FolderSpool(dir)
  const deliver = async ({ submissionId, passed }: DeliverableRun): Promise<RunDelivery> => {
    delivered.push(submissionId)
    return { status: 'failed', passed, error: new Error('the service is closed') }
  }
  return sweepSpool({ spool, delivery: { signal, deliver }, refuse: () => undefined }, await spool.list())
}

it('an entry waits when time runs out while its bytes are synced', async () => {
  const { submissionId } = await leaveEntry()
  const deadline = new AbortController()
  let failSync: (error: Error) => void = () => undefined
  vi.spyOn(SpoolDisk.prototype, 'syncFile').mockImplementation(() => {
    setImmediate(() => deadline.abort())
    return new Promise((_, reject) => (failSync = reject))
  })
  expect(await sweep(deadline.signal)).toMatchObject([
    { submissionId, status: 'waits', reason: 'no time was left', entry: { submissionId } },
  ])
  // Nobody listens any more.
  failSync(new Error('an input/output error'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(delivered).toEqual([])
})

it('an entry waits when time runs out before its bytes are synced', async () => {
  await leaveEntry()
  const deadline = new AbortController()
  vi.spyOn(EntryFolder.prototype, 'readEvents').mockImplementation(async () => {
    deadline.abort()
    return []
  })
  const sync = vi.spyOn(SpoolDisk.prototype, 'syncFile').mockReturnValue(new Promise(() => undefined))
  expect(await sweep(deadline.signal)).toMatchObject([{ status: 'waits', reason: 'no time was left' }])
  expect(sync).toHaveBeenCalledTimes(0)
  expect(delivered).toEqual([])
})

it.each(['no journal', 'a journal'])(
  'an entry’s folders are synced before it is sent: with %s',
  async (has) => {
    const { submissionId, file } = await leaveEntry()
    const entryDir = path.join(dir, submissionId)
    if (has === 'a journal') await writeFile(path.join(entryDir, 'journal.jsonl'), '')
    const sync = vi.spyOn(SpoolDisk.prototype, 'syncFolder')
    await sweep(new AbortController().signal)
    expect(sync.mock.calls.flat().sort()).toEqual([entryDir, path.dirname(file)])
    expect(delivered).toEqual([submissionId])
  },
)

it('an entry whose kept file cannot be opened is sent all the same: what is wrong with it shows then', async () => {
  const { submissionId, file } = await leaveEntry()
  await rm(file)
  await mkdir(file)
  const [swept] = await sweep(new AbortController().signal)
  expect(swept?.reason).toBe('the service is closed')
  expect(delivered).toEqual([submissionId])
})
