import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { MisbehavingServer } from '../../../../test/support/misbehaving-server'
import {
  KEY,
  sha256,
  suiteWith,
  useSpoolBench,
  type SpoolBench,
} from '../../../../test/support/spool-execution'
import type { Options } from '../config/options'
import type { RunLine } from '../spool/log-lines'
import { SpoolFolder } from '../spool/spool-folder'
import { uploadSpool } from './upload-spool'

/** Longer than the log takes to be opened. */
const BEGINNING_MS = 500

const SHOT = { name: 'shot.png', bytes: Buffer.from('a screenshot') }

let bench: SpoolBench
let server: MisbehavingServer

useSpoolBench((fresh) => ({ bench, server } = fresh))

/** An execution some time after it began. */
async function openExecution(options: Options = {}) {
  const execution = bench.open({ url: server.url, logs: false, ...options })
  await new Promise((resolve) => setTimeout(resolve, BEGINNING_MS))
  return execution
}

/** The spool as a kill at this very moment would leave it. */
function killNow(): SpoolFolder {
  const left = path.join(bench.dir, 'left')
  cpSync(bench.spoolDir, left, { recursive: true })
  for (const name of readdirSync(left, { recursive: true }) as string[])
    if (path.basename(name).startsWith('lease-')) rmSync(path.join(left, name))
  return new SpoolFolder(left)
}

async function upload(spool: SpoolFolder) {
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

it('leaves out a file that another execution has written anew since, and names it', async () => {
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
  // The page shows which file of the run is missing.
  expect(server.service.runs[0]?.body.attachments).toContain('t/video.webm')
})

it('outlives a kill with the suites before it when they share a run', async () => {
  const execution = await openExecution({ runPer: 'execution' })
  execution.addSuite(suiteWith('a.test.ts'))
  execution.addSuite(suiteWith('b.test.ts'))
  expect(await upload(killNow())).toEqual([['(execution)', {}]])
  expect(server.service.runs[0]?.body.report_variables).toMatchObject({ tests_passed: '2' })
  await execution.finish()
})

it('is in the spool when the process exits while git is still being asked', async () => {
  const bin = path.join(bench.dir, 'bin')
  mkdirSync(bin)
  writeFileSync(path.join(bin, 'git'), '#!/bin/sh\nsleep 1\n', { mode: 0o755 })
  const before = process.listeners('exit')
  const env = { PATH: `${bin}:${process.env['PATH']}` }
  const options = { group: 'nightly', reportVariables: { line: '3' } }
  const execution = bench.open({ url: server.url, logs: false, ...options }, {}, env)
  execution.addSuite(suiteWith('a.test.ts'))
  await new Promise((resolve) => setTimeout(resolve, BEGINNING_MS))
  for (const listen of process.listeners('exit')) if (!before.includes(listen)) listen(1)
  expect(await upload(killNow())).toEqual([['a.test.ts', {}]])
  expect(server.service.runs[0]?.body.report_variables).toMatchObject({ group: 'nightly', line: '3' })
  await execution.finish()
  expect(process.listeners('exit')).toEqual(before)
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

it('is on record as it was last, and not when it came to nothing', async () => {
  const execution = await openExecution()
  const [changed, gone] = [suiteWith('changed.test.ts'), suiteWith('gone.test.ts')]
  for (const suite of [changed, gone]) execution.addSuite(suite)
  changed.outcome = 'failed'
  gone.tests = []
  for (const suite of [changed, gone]) execution.addSuite(suite)
  expect(await upload(killNow())).toEqual([['changed.test.ts', {}]])
  expect(server.service.runs[0]?.body.run_passed).toBe(false)
  await execution.finish()
})

it('has files that its suite got later', async () => {
  const execution = await openExecution()
  const suite = suiteWith('a.test.ts')
  execution.addSuite(suite)
  suite.attachments.push({ name: 'shot.png', bytes: Buffer.from('a screenshot') })
  execution.addSuite(suite)
  expect(await upload(killNow())).toEqual([['a.test.ts', { 'shot.png': sha256('a screenshot') }]])
  await execution.finish()
})

it('loses no run before one whose line was cut', async () => {
  const execution = await openExecution()
  for (const name of ['a', 'b', 'c']) execution.addSuite(suiteWith(`${name}.test.ts`))
  const left = killNow()
  const log = path.join(left.dir, readdirSync(left.dir)[0] as string, 'log.jsonl')
  writeFileSync(log, readFileSync(log, 'utf8').slice(0, -200))
  expect((await upload(left)).sort()).toEqual([
    ['a.test.ts', {}],
    ['b.test.ts', {}],
  ])
  expect(readdirSync(left.dir)).toEqual([])
  await execution.finish()
})

it('keeps a log with a line that cannot be read, once the other runs are sent', async () => {
  const execution = await openExecution()
  for (const name of ['a', 'b']) execution.addSuite(suiteWith(`${name}.test.ts`))
  const left = killNow()
  const log = path.join(left.dir, readdirSync(left.dir)[0] as string, 'log.jsonl')
  writeFileSync(log, readFileSync(log, 'utf8').replace('"kind":"run"', '"kind":"runner"'))
  expect(await upload(left)).toEqual([['b.test.ts', {}]])
  expect(readdirSync(left.dir)).toEqual(['quarantine'])
  await execution.finish()
})

it('keeps what came of its runs', async () => {
  const execution = await openExecution()
  for (const name of ['a', 'b']) execution.addSuite(suiteWith(`${name}.test.ts`, [SHOT]))
  const left = killNow()
  const log = path.join(left.dir, readdirSync(left.dir)[0] as string, 'log.jsonl')
  const runs = (await bench.readLines()).filter(({ kind }) => kind === 'run') as RunLine[]
  const created = { id: 'known', url: `${server.url}/runs/known` }
  for (const line of [
    { kind: 'done', run: runs[0]?.run },
    { kind: 'event', run: runs[1]?.run, event: { type: 'created', response: created } },
    { kind: 'event', run: runs[1]?.run, event: { type: 'linked', attachments: ['t/shot.png'] } },
  ])
    writeFileSync(log, `${JSON.stringify(line)}\n`, { flag: 'a' })
  expect(await upload(left)).toEqual([])
  expect(readdirSync(left.dir)).toEqual([])
  await execution.finish()
})
