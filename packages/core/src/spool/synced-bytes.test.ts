import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { MisbehavingServer } from '../../../../test/support/misbehaving-server'
import { suiteWith, useSpoolBench, type SpoolBench } from '../../../../test/support/spool-execution'
// Loaded before: the end is to begin while bytes are still being kept, as it does where this takes no time.
import '../delivery/deliver-execution'
import type { Suite } from '../suite'
import { SpoolDisk } from './spool-disk'

/** So large that sending begins as soon as the tests are over. */
const LARGE_BYTES = 3_000_000

const VIDEOS = ['1.webm', '2.webm', '3.webm']

let bench: SpoolBench
let server: MisbehavingServer

/** Names of the files that were synced, in their order, each with the number of runs that had been asked for by then. */
let synced: { name: string; creations: number }[]

useSpoolBench((fresh) => ({ bench, server } = fresh))

beforeEach(() => {
  synced = []
  const sync = SpoolDisk.prototype.syncFile
  vi.spyOn(SpoolDisk.prototype, 'syncFile').mockImplementation(async function (
    this: SpoolDisk,
    file: string,
  ) {
    await sync.call(this, file)
    synced.push({ name: path.basename(file), creations: countCreations() })
  })
})

afterEach(() => void vi.restoreAllMocks())

const at = (over = {}) => ({ url: server.url, logs: false, maxRetries: 0, requestTimeoutMs: 2_000, ...over })
const countCreations = (): number => server.requests.filter((each) => each.path.includes('/runs')).length
const namesOf = (): string[] => synced.map(({ name }) => name)

async function createSuiteWithVideos(): Promise<Suite> {
  const attachments = VIDEOS.map((name) => ({ name, path: path.join(bench.dir, name) }))
  for (const { name, path: file } of attachments)
    await writeFile(file, name.repeat(LARGE_BYTES / name.length))
  return suiteWith('a.test.ts', attachments)
}

it('bytes that the service has at the end are not synced; the journal that says so is, before the run is created', async () => {
  const execution = bench.open(at())
  execution.addSuite(await createSuiteWithVideos())
  expect(await execution.finish()).toMatchObject({ status: 'uploaded', notUploaded: [] })
  expect(synced).toEqual([
    { name: 'entry.json.tmp', creations: 0 },
    { name: 'journal.jsonl', creations: 0 },
  ])
})

it.each(['answers 503', 'resets in mid-request', 'answers 401 after two requests', 'answers 413'] as const)(
  'bytes that the service does not take are synced before the run is created: %s',
  async (mode) => {
    await server.misbehave(mode)
    const execution = bench.open(at())
    execution.addSuite(await createSuiteWithVideos())
    expect(await execution.finish()).toMatchObject({ status: 'failed' })
    expect(namesOf().sort()).toEqual([...VIDEOS, 'entry.json.tmp'].sort())
    expect(synced.filter(({ creations }) => creations > 0)).toEqual([])
  },
)

it('a service that hangs is waited for a tenth of the deadline before they are', async () => {
  await server.misbehave('hangs before headers')
  const execution = bench.open(at({ deadlineMs: 2_000, requestTimeoutMs: 30_000 }))
  execution.addSuite(await createSuiteWithVideos())
  const finishing = execution.finish()
  await expect.poll(namesOf, { timeout: 1_500 }).toEqual(expect.arrayContaining(VIDEOS))
  expect(await finishing).toMatchObject({ status: 'failed' })
})

it('while tests run bytes are synced with their run', async () => {
  const execution = bench.open(at())
  execution.addSuite(await createSuiteWithVideos())
  await execution.settled()
  expect(namesOf().sort()).toEqual([...VIDEOS, 'entry.json.tmp'].sort())
  await execution.finish()
})

it('bytes whose receipt cannot be written down are synced', async () => {
  vi.spyOn(SpoolDisk.prototype, 'append').mockRejectedValue(new Error('the disk is full'))
  const execution = bench.open(at())
  execution.addSuite(await createSuiteWithVideos())
  expect(await execution.finish()).toMatchObject({ status: 'uploaded', notUploaded: [] })
  expect(namesOf().sort()).toEqual([...VIDEOS, 'entry.json.tmp'].sort())
})
