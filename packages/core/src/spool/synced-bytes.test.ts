import { cp, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { MisbehavingServer } from '../../../../test/support/misbehaving-server'
import { KEY, suiteWith, useSpoolBench, type SpoolBench } from '../../../../test/support/spool-execution'
// Loaded before: the end is to begin while bytes are still being kept, as it does where this takes no time.
import '../delivery/deliver-execution'
import type { ExecutionResult } from '../execution'
import type { Options } from '../config/options'
import type { Suite } from '../model/suite'
import { FolderSpool } from './folder-spool'
import { SpoolDisk } from './spool-disk'
import { uploadSpool } from './upload-spool'

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
const countPuts = (): number => server.requests.filter(({ method }) => method === 'PUT').length
const namesOf = (): string[] => synced.map(({ name }) => name)

async function createSuiteWithVideos(): Promise<Suite> {
  const attachments = VIDEOS.map((name) => ({ name, path: path.join(bench.dir, name) }))
  for (const { name, path: file } of attachments)
    await writeFile(file, name.repeat(LARGE_BYTES / name.length))
  return suiteWith('a.test.ts', attachments)
}

/** The end of an execution whose service hangs. */
async function finishWhileItHangs(over: Options): Promise<{ finishing: Promise<ExecutionResult> }> {
  await server.misbehave('hangs before headers')
  const execution = bench.open(at(over))
  execution.addSuite(await createSuiteWithVideos())
  return { finishing: execution.finish() }
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

it('a service that hangs is waited for no longer than a tenth of the deadline', async () => {
  const { finishing } = await finishWhileItHangs({ deadlineMs: 5_000, requestTimeoutMs: 30_000 })
  // Trouble would show after two seconds.
  await expect.poll(namesOf, { timeout: 1_700 }).toEqual(expect.arrayContaining(VIDEOS))
  expect(await finishing).toMatchObject({ status: 'failed' })
})

it('a service that does not give an address is not waited for any longer when that shows', async () => {
  const { finishing } = await finishWhileItHangs({ deadlineMs: 60_000, requestTimeoutMs: 4_500 })
  await expect.poll(namesOf, { timeout: 4_000 }).toEqual(expect.arrayContaining(VIDEOS))
  await server.recover()
  await finishing
})

it('nobody is waited for where all bytes have been synced', async () => {
  const execution = bench.open(at({ requestTimeoutMs: 1_500 }))
  await server.misbehave('hangs before headers')
  execution.addSuite(await createSuiteWithVideos())
  await expect.poll(() => server.requests.length, { timeout: 5_000 }).toBe(2)
  const finishing = execution.finish()
  await expect.poll(countCreations, { timeout: 1_000 }).toBe(1)
  await finishing
})

it.each([
  ['their run', 'suite', 'entry.json.tmp'],
  ['their part of it', 'execution', '00000000.json.tmp'],
] as const)('while tests run bytes are synced with %s', async (_, runPer, file) => {
  const execution = bench.open(at({ runPer }))
  execution.addSuite(await createSuiteWithVideos())
  await execution.settled()
  expect(namesOf().sort()).toEqual([...VIDEOS, file].sort())
  await execution.finish()
})

it('bytes whose receipt cannot be written down are synced', async () => {
  vi.spyOn(SpoolDisk.prototype, 'append').mockRejectedValue(new Error('the disk is full'))
  const execution = bench.open(at())
  execution.addSuite(await createSuiteWithVideos())
  expect(await execution.finish()).toMatchObject({ status: 'uploaded', notUploaded: [] })
  expect(namesOf().sort()).toEqual([...VIDEOS, 'entry.json.tmp'].sort())
})

it('bytes that were left out are synced when they get another name that the service does not know', async () => {
  const { writeDurably } = SpoolDisk.prototype
  const slow = vi.spyOn(SpoolDisk.prototype, 'writeDurably').mockImplementation(async function (
    this: SpoolDisk,
    ...args
  ) {
    await expect.poll(countPuts, { timeout: 5_000 }).toBe(3)
    await new Promise((resolve) => setTimeout(resolve, 100))
    await writeDurably.apply(this, args)
  })
  const execution = bench.open(at())
  const suite = await createSuiteWithVideos()
  execution.addSuite(suite)
  await execution.settled()
  expect(namesOf().sort()).toEqual(['entry.json.tmp', 'journal.jsonl'])
  slow.mockRestore()
  await server.misbehave('answers 503')
  suite.tests[0]?.attempts[0]?.attachments.push({ name: 'again', path: path.join(bench.dir, '1.webm') })
  execution.addSuite(suite)
  await execution.finish()
  expect(synced).toContainEqual({ name: '1.webm', creations: 0 })
  expect(namesOf()).not.toContain('2.webm')
})

it('what a kill left unsynced is synced by whoever creates the run', async () => {
  const { finishing } = await finishWhileItHangs({ deadlineMs: 10_000, requestTimeoutMs: 30_000 })
  await expect.poll(namesOf, { timeout: 5_000 }).toEqual(['entry.json.tmp'])
  const left = path.join(bench.dir, 'left')
  await cp(bench.spoolDir, left, { recursive: true })
  for (const name of await readdir(left, { recursive: true }))
    if (path.basename(name).startsWith('claim-')) await rm(path.join(left, name))
  await server.recover()
  await finishing
  synced.length = 0
  server.requests.length = 0
  const [id = ''] = await readdir(left)
  await rm(path.join(left, id, 'files/2.webm'))
  const env = { RUNLEDGER_URL: server.url, RUNLEDGER_API_KEY: KEY }
  await uploadSpool({ spool: new FolderSpool(left), projectRoot: bench.dir }, { options: {}, env })
  expect(synced.map(({ name, creations }) => [name, creations]).sort()).toEqual([
    ['1.webm', 0],
    ['3.webm', 0],
  ])
})
