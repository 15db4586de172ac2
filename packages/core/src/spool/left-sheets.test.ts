import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { MisbehavingServer } from '../../../../test/support/misbehaving-server'
import { suiteWith, useSpoolBench, type SpoolBench } from '../../../../test/support/spool-execution'
import type { Execution } from '../execution'
import { FolderSpool } from './folder-spool'
import { SpoolDisk } from './spool-disk'
import { unpackSheets } from './unpack-sheet'

let bench: SpoolBench
let server: MisbehavingServer

useSpoolBench((fresh) => ({ bench, server } = fresh))
// From the beginning: one timer is for the claims of all tests here.
beforeAll(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterAll(() => void vi.useRealTimers())

const HOUR_MS = 60 * 60 * 1000

const at = () => ({ url: server.url, maxRetries: 0, requestTimeoutMs: 500 })
const filesOnRecord = () => server.service.runs.map(({ body }) => body.report_variables['file'])
const listRuns = async (signal?: AbortSignal) => {
  const entries = await new FolderSpool(bench.spoolDir).list(signal)
  return entries.map(({ submissionId }) => submissionId).sort()
}

/** An execution under way whose suites are on the disk. */
async function openWith(...files: string[]): Promise<Execution> {
  const execution = bench.open(at())
  for (const file of files) execution.addSuite(suiteWith(file))
  await execution.settled()
  return execution
}

async function findSheet(): Promise<string> {
  const names = await readdir(bench.spoolDir)
  return path.join(bench.spoolDir, names.find((name) => name.startsWith('sheet-')) ?? 'none')
}

/** Answers the claim of a sheet, made hours old. */
async function ageClaim(sheet: string): Promise<string> {
  const name = (await readdir(sheet)).find((each) => each.startsWith('claim-')) ?? ''
  const claim = path.join(sheet, name)
  const hoursAgo = new Date(Date.now() - 2 * HOUR_MS)
  await utimes(claim, hoursAgo, hoursAgo)
  return claim
}

/** The sheet of a killed execution with so many runs; answers their ids. */
async function leaveSheetOf(count: number): Promise<string[]> {
  await openWith('a.test.ts')
  const file = path.join(await findSheet(), 'runs.jsonl')
  const line = await readFile(file, 'utf8')
  const ids = Array.from({ length: count }, () => randomUUID()).sort()
  const { submissionId } = JSON.parse(line)
  await writeFile(file, ids.map((id) => line.replaceAll(submissionId, id)).join(''))
  await bench.kill()
  return ids
}

it('has a run of another version set aside and named, and spares the rest', async () => {
  await openWith('a.test.ts', 'b.test.ts')
  const file = path.join(await findSheet(), 'runs.jsonl')
  const text = await readFile(file, 'utf8')
  const foreign = text.slice(0, text.indexOf('\n') + 1).replace('"version":1', '"version":2')
  await writeFile(file, text.replace(text.slice(0, foreign.length), foreign))
  await bench.kill()
  await bench.record([suiteWith('next.test.ts')], at())
  expect(filesOnRecord()).toEqual(['next.test.ts', 'b.test.ts'])
  const id = JSON.parse(foreign).submissionId as string
  expect(bench.printed.at(-1)).toContain(`spool entry ${id} set aside: its entry.json is cut, or of another`)
  expect(await readFile(path.join(bench.spoolDir, 'set-aside', id, 'entry.json'), 'utf8')).toBe(foreign)
})

it('is no more waited for than time is left, and loses none of its runs', async () => {
  const ids = await leaveSheetOf(300)
  const hurry = new AbortController()
  const listing = listRuns(hurry.signal)
  await expect.poll(() => bench.listEntries()).not.toHaveLength(0)
  hurry.abort()
  const first = await listing
  expect(first.length).toBeGreaterThan(0)
  expect(first.length).toBeLessThan(300)
  // One that was sent meanwhile does not come back.
  const [sent = ''] = first
  await rm(path.join(bench.spoolDir, sent), { recursive: true })
  expect(await listRuns()).toEqual(ids.filter((id) => id !== sent))
  expect((await readdir(bench.spoolDir)).filter((name) => name.startsWith('sheet-'))).toEqual([])
})

it('gives all the other runs when one of them cannot be written, and that one later', async () => {
  const ids = await leaveSheetOf(30)
  const [blocked = '', ...others] = ids
  const disk = new (class extends SpoolDisk {
    override async writeDurably(file: string, content: string | Uint8Array): Promise<void> {
      if (file.includes(blocked)) throw new Error('no space left on device')
      return super.writeDurably(file, content)
    }
  })()
  const sheets = (await readdir(bench.spoolDir)).filter((name) => name.startsWith('sheet-'))
  await unpackSheets(
    { dir: bench.spoolDir, disk },
    sheets.map((name) => path.join(bench.spoolDir, name)),
  )
  expect(await bench.listEntries()).toEqual(others)
  expect((await readdir(bench.spoolDir)).filter((name) => name.startsWith('.'))).toEqual([])
  expect(await listRuns()).toEqual(ids)
})

it('stays as it is at the end of an execution that has many runs left', async () => {
  await server.misbehave('answers 503')
  const suites = Array.from({ length: 150 }, (_, index) => suiteWith(`${index}.test.ts`))
  const { line } = await bench.record(suites, at())
  expect(line).toContain('150 runs wait in the spool')
  expect(await bench.listEntries()).toEqual([])
  await server.recover()
  await bench.record([suiteWith('next.test.ts')], at())
  expect(filesOnRecord()).toHaveLength(151)
  expect(new Set(filesOnRecord()).size).toBe(151)
  expect(await readdir(bench.spoolDir)).toEqual([])
})

it('belongs to its execution on another machine, however long that takes', async () => {
  await openWith('a.test.ts')
  const claim = await ageClaim(await findSheet())
  vi.advanceTimersByTime(HOUR_MS)
  await expect.poll(async () => Date.now() - (await stat(claim)).mtimeMs).toBeLessThan(HOUR_MS)
})

it('that somebody takes away in use is told, and nothing is said to wait in it', async () => {
  const execution = await openWith('a.test.ts')
  const sheet = await findSheet()
  await rename(sheet, path.join(bench.dir, 'elsewhere'))
  execution.addSuite(suiteWith('b.test.ts'))
  await execution.settled()
  await server.misbehave('answers 503')
  await execution.finish()
  expect(bench.printed[0]).not.toContain('in the spool')
  expect(bench.printed[1]).toContain(`${sheet} has been removed while it was in use`)
})

it('that somebody takes away when the last suite is long over is told as well', async () => {
  const execution = await openWith('a.test.ts')
  const sheet = await findSheet()
  await rename(sheet, path.join(bench.dir, 'elsewhere'))
  await sleep(1_100)
  await server.misbehave('answers 503')
  await execution.finish()
  expect(bench.printed[0]).not.toContain('in the spool')
  expect(bench.printed[1]).toContain(`${sheet} has been removed while it was in use`)
})
