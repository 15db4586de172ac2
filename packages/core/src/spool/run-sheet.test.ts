import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { MisbehavingServer } from '../../../../test/support/misbehaving-server'
import {
  KEY,
  sha256,
  suiteWith,
  useSpoolBench,
  type SpoolBench,
} from '../../../../test/support/spool-execution'
import type { Execution } from '../execution'
import { FolderSpool } from './folder-spool'

let bench: SpoolBench
let server: MisbehavingServer

useSpoolBench((fresh) => ({ bench, server } = fresh))

const at = (over = {}) => ({ url: server.url, maxRetries: 0, requestTimeoutMs: 500, concurrency: 1, ...over })
const shot = { name: 'shot.png', bytes: Buffer.from('a screenshot') }
const filesOnRecord = () => server.service.runs.map(({ body }) => body.report_variables['file'])
const unpack = () => new FolderSpool(bench.spoolDir).list()

/** An execution under way whose suites are on the disk. */
async function openWith(...files: string[]): Promise<Execution> {
  const execution = bench.open(at())
  for (const file of files) execution.addSuite(suiteWith(file))
  await execution.settled()
  return execution
}

async function listSheets(): Promise<string[]> {
  const names = await readdir(bench.spoolDir)
  return names
    .filter((name) => name.startsWith('sheet-'))
    .map((name) => path.join(bench.spoolDir, name, 'runs.jsonl'))
}

async function readSheet(): Promise<string> {
  const [sheet = ''] = await listSheets()
  return readFile(sheet, 'utf8')
}

describe('runs without files', () => {
  it('are lines of one private file, which goes when they are delivered', async () => {
    const execution = await openWith('a.test.ts', 'b.test.ts')
    expect(await bench.listEntries()).toEqual([])
    const files = await bench.readAll()
    expect(files.filter(({ mode }) => (mode & 0o077) !== 0)).toEqual([])
    expect(await readSheet()).not.toContain(KEY)
    const lines = (await readSheet()).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).request.report_variables.file)).toEqual([
      'a.test.ts',
      'b.test.ts',
    ])
    expect(await execution.finish()).toMatchObject({ status: 'uploaded', runs: 2 })
    expect(await readdir(bench.spoolDir)).toEqual([])
  })

  it('become entries when they could not be sent', async () => {
    await server.misbehave('answers 503')
    const result = await bench.record([suiteWith('a.test.ts'), suiteWith('b.test.ts')], at())
    expect(result.line).toContain('2 runs wait in the spool')
    expect(await listSheets()).toEqual([])
    const journals = (await bench.readAll()).filter(({ name }) => name.endsWith('journal.jsonl'))
    expect(journals.map(({ text }) => JSON.parse(text).message)).toEqual([
      expect.stringContaining('answered 503'),
      expect.stringContaining('answered 503'),
    ])
    await server.recover()
    await bench.record([suiteWith('next.test.ts')], at())
    expect(filesOnRecord().toSorted()).toEqual(['a.test.ts', 'b.test.ts', 'next.test.ts'])
    expect(await readdir(bench.spoolDir)).toEqual([])
  })

  it('survive a kill, but for one that was cut while it was written', async () => {
    await openWith('a.test.ts', 'b.test.ts')
    const [sheet = ''] = await listSheets()
    const text = await readSheet()
    await writeFile(sheet, `${text.slice(0, -200)}`)
    await bench.kill()
    await bench.record([suiteWith('next.test.ts')], at())
    expect(filesOnRecord()).toEqual(['next.test.ts', 'a.test.ts'])
    expect(bench.printed.at(-1)).toContain('set aside: its entry.json is cut')
    expect(await readdir(bench.spoolDir)).toEqual(['set-aside'])
  })

  it('are on record as they were last, and not when they came to nothing', async () => {
    const execution = bench.open(at())
    const [changed, gone] = [suiteWith('changed.test.ts'), suiteWith('gone.test.ts')]
    for (const suite of [changed, gone]) execution.addSuite(suite)
    await execution.settled()
    changed.outcome = 'failed'
    gone.tests = []
    for (const suite of [changed, gone]) execution.addSuite(suite)
    await execution.settled()
    await bench.kill()
    await bench.record([suiteWith('next.test.ts')], at())
    expect(filesOnRecord()).toEqual(['next.test.ts', 'changed.test.ts'])
    expect(server.service.runs[1]?.body.run_passed).toBe(false)
  })

  it.each([true, false])('get a folder when they get files later; killed: %s', async (isKilled) => {
    const execution = bench.open(at())
    const suite = suiteWith('a.test.ts')
    execution.addSuite(suite)
    await execution.settled()
    suite.attachments.push(shot)
    execution.addSuite(suite)
    await execution.settled()
    expect(await bench.listEntries()).toHaveLength(1)
    if (isKilled) await bench.kill()
    else await execution.finish()
    await bench.record([suiteWith('next.test.ts')], at())
    expect(server.service.runs).toHaveLength(2)
    const run = server.service.runs.find(({ body }) => body.report_variables['file'] === 'a.test.ts')
    expect(run?.attachments['shot.png']).toBe(sha256('a screenshot'))
    expect(await readdir(bench.spoolDir)).toEqual([])
  })

  it('are there when addSuite returns, where the framework waits for nobody', async () => {
    const execution = bench.open(at(), { waitsForNobody: true })
    // The surroundings are asked first.
    await expect
      .poll(async () => {
        execution.addSuite(suiteWith('a.test.ts'))
        return (await listSheets()).length
      })
      .toBe(1)
    const sheet = await readSheet()
    execution.addSuite(suiteWith('last.test.ts'))
    await bench.kill()
    expect((await readSheet()).slice(sheet.length)).toContain('last.test.ts')
    await execution.finish()
  })

  it('keep what came of them when the process is killed', async () => {
    await openWith('a.test.ts', 'b.test.ts')
    const [sheet = ''] = await listSheets()
    const ids = (await readSheet())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).submissionId as string)
    const notes = [
      { of: ids[0], event: 'apart' },
      { of: ids[1], event: 'done' },
      { of: 'nobody', event: 'done' },
      { of: ids[0], event: 'received', attachment: 'a.test.ts.log', id: 'x' },
    ]
    await writeFile(sheet, `\n{"of": \n${notes.map((note) => JSON.stringify(note)).join('\n')}\n{`, {
      flag: 'a',
    })
    await bench.kill()
    await unpack()
    expect(await bench.listEntries()).toEqual([ids[0]])
    const journal = await readFile(path.join(bench.spoolDir, ids[0] ?? '', 'journal.jsonl'), 'utf8')
    expect(
      journal
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).event),
    ).toEqual(['apart', 'received'])
  })
})

describe('a sheet', () => {
  it('of an execution that runs is left alone', async () => {
    const execution = await openWith('a.test.ts')
    await bench.record([suiteWith('other.test.ts')], at())
    expect(filesOnRecord()).toEqual(['other.test.ts'])
    expect(await listSheets()).toHaveLength(1)
    await execution.finish()
    expect(filesOnRecord()).toEqual(['other.test.ts', 'a.test.ts'])
  })

  it('is unpacked whole by the next when that was cut short', async () => {
    await openWith('a.test.ts', 'b.test.ts')
    const sheet = await readSheet()
    const [a = '', b = ''] = sheet
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).submissionId as string)
    await bench.kill()
    await mkdir(path.join(bench.spoolDir, `.new-${a}`))
    await writeFile(path.join(bench.spoolDir, `.new-${a}`, 'entry.json'), '{"half')
    await mkdir(path.join(bench.spoolDir, b))
    await unpack()
    expect(await bench.listEntries()).toEqual([a, b].toSorted())
    await bench.record([suiteWith('next.test.ts')], at())
    expect(server.service.runs).toHaveLength(3)
    expect(await readdir(bench.spoolDir)).toEqual([])
  })

  it('that is empty, or none, is removed', async () => {
    await openWith('a.test.ts')
    const [sheet = ''] = await listSheets()
    await writeFile(sheet, 'no JSON\n{"of": 7}\n[]\n')
    await mkdir(path.join(bench.spoolDir, 'sheet-11111111-1111-4111-8111-111111111111'))
    await bench.kill()
    expect(await unpack()).toEqual([])
    expect(await readdir(bench.spoolDir)).toEqual([])
  })
})
