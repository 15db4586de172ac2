import { cpSync, existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, vi } from 'vitest'
import type { MisbehavingServer } from '../../../../test/support/misbehaving-server'
import {
  KEY,
  sha256,
  suiteWith,
  useSpoolBench,
  type SpoolBench,
} from '../../../../test/support/spool-execution'
import type { Options } from '../config/options'
import { FolderSpool } from './folder-spool'
import { SpoolDisk } from './spool-disk'
import { uploadSpool } from './upload-spool'

/** Longer than the surroundings and the spool folder take to be known. */
const BEGINNING_MS = 500

let bench: SpoolBench
let server: MisbehavingServer

useSpoolBench((fresh) => ({ bench, server } = fresh))

/** An execution of a framework that waits for nobody, some time after it began. */
async function openExecution(options: Options = {}) {
  const execution = bench.open({ url: server.url, logs: false, ...options }, { waitsForNobody: true })
  await new Promise((resolve) => setTimeout(resolve, BEGINNING_MS))
  return execution
}

/** The spool as a kill at this very moment would leave it. */
function killNow(): FolderSpool {
  const left = path.join(bench.dir, 'left')
  cpSync(bench.spoolDir, left, { recursive: true })
  for (const name of readdirSync(left, { recursive: true }) as string[])
    if (path.basename(name).startsWith('claim-')) rmSync(path.join(left, name))
  return new FolderSpool(left)
}

async function upload(spool: FolderSpool) {
  const env = { RUNLEDGER_URL: server.url, RUNLEDGER_API_KEY: KEY }
  await uploadSpool({ spool, projectRoot: bench.dir }, { options: {}, env })
  return server.service.runs.map(({ body, attachments }) => [body.report_variables['file'], attachments])
}

it('outlives a kill from the moment in which it is added, with its attachments', async () => {
  const shot = path.join(bench.dir, 'shot.png')
  const video = path.join(bench.dir, 'video.webm')
  writeFileSync(shot, 'a screenshot')
  writeFileSync(video, Buffer.alloc(5 * 1024 * 1024, 'v'))
  const execution = await openExecution()
  execution.addSuite(
    suiteWith('a.test.ts', [
      { name: 'shot', path: shot },
      { name: 'notes.txt', bytes: Buffer.from('notes') },
      { name: 'video', path: video },
      { name: 'gone', path: path.join(bench.dir, 'gone.png') },
    ]),
  )
  const left = killNow()
  writeFileSync(shot, 'the next screenshot')
  expect(await upload(left)).toEqual([
    [
      'a.test.ts',
      {
        't/shot.png': sha256('a screenshot'),
        't/notes.txt': sha256('notes'),
        't/video.webm': sha256(Buffer.alloc(5 * 1024 * 1024, 'v')),
      },
    ],
  ])
  await execution.finish()
})

it('has its bytes synced before an entry takes the place of its parts, which name the framework’s own file', async () => {
  const video = path.join(bench.dir, 'video.webm')
  writeFileSync(video, Buffer.alloc(5 * 1024 * 1024, 'v'))
  const execution = await openExecution()
  execution.addSuite(suiteWith('a.test.ts', [{ name: 'video', path: video }]))
  const left = killNow()
  await execution.finish()
  const entry = path.join(left.dir, readdirSync(left.dir)[0] as string, 'entry.json')
  const { syncFile } = SpoolDisk.prototype
  const synced: { name: string; isJoined: boolean }[] = []
  const sync = vi.spyOn(SpoolDisk.prototype, 'syncFile').mockImplementation(async function (
    this: SpoolDisk,
    file: string,
  ) {
    await syncFile.call(this, file)
    synced.push({ name: path.basename(file), isJoined: existsSync(entry) })
  })
  await upload(left)
  sync.mockRestore()
  expect(synced.slice(0, 2)).toEqual([
    { name: 'later-1.webm', isJoined: false },
    { name: 'entry.json.tmp', isJoined: false },
  ])
})

it('leaves out a file that another execution has written anew since, and says so', async () => {
  const video = path.join(bench.dir, 'video.webm')
  writeFileSync(video, Buffer.alloc(5 * 1024 * 1024, 'v'))
  const execution = await openExecution({ logs: true })
  execution.addSuite(suiteWith('a.test.ts', [{ name: 'video', path: video }]))
  const left = killNow()
  await execution.finish()
  server.service.runs.length = 0
  writeFileSync(video, Buffer.alloc(5 * 1024 * 1024, 'w'))
  utimesSync(video, 1, 1)
  expect(await upload(left)).toEqual([['a.test.ts', { 'a.test.ts.log': expect.any(String) }]])
})

it('outlives a kill with the suites before it when they share a run', async () => {
  const execution = await openExecution({ runPer: 'execution' })
  execution.addSuite(suiteWith('a.test.ts'))
  execution.addSuite(suiteWith('b.test.ts'))
  expect(await upload(killNow())).toEqual([['(execution)', {}]])
  expect(server.service.runs[0]?.body.report_variables).toMatchObject({ tests_passed: '2' })
  await execution.finish()
})

it('is one run with the same bytes when nothing is killed', async () => {
  const execution = await openExecution()
  execution.addSuite(suiteWith('a.test.ts', [{ name: 'notes.txt', bytes: Buffer.from('notes') }]))
  expect(await execution.finish()).toMatchObject({ status: 'uploaded', runs: 1 })
  expect(server.service.runs.map(({ attachments }) => attachments)).toEqual([
    { 't/notes.txt': sha256('notes') },
  ])
  expect(await bench.listEntries()).toEqual([])
})

it('says once that the spool cannot be written, and loses nothing while the service is well', async () => {
  writeFileSync(bench.spoolDir, 'no folder')
  const execution = await openExecution()
  execution.addSuite(suiteWith('a.test.ts'))
  expect(await execution.finish()).toMatchObject({ status: 'uploaded', runs: 1 })
  expect(bench.printed.filter((line) => line.includes('spool'))).toHaveLength(1)
})
