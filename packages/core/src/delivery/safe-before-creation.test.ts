import { readdirSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { MisbehavingServer, Mode } from '../../../../test/support/misbehaving-server'
import { suiteWith, useSpoolBench, type SpoolBench } from '../../../../test/support/spool-execution'
import type { Attachment, Suite } from '../model/suite'
import { parseLogLine, type LogLine } from '../spool/log-lines'
import * as files from '../util/files'

vi.mock(import('../util/files'), { spy: true })

// A part of it is how long a sync may take, which is long on a disk that others use.
const DEADLINE_MS = 20_000

let bench: SpoolBench
let server: MisbehavingServer

/** Length of each file when it was synced last. */
const syncedLengths = new Map<string, number>()

/** What a crash of the machine would have lost when a run was created. */
const unsafe: string[] = []
let creations = 0

useSpoolBench((fresh) => ({ bench, server } = fresh))

beforeEach(async () => {
  syncedLengths.clear()
  unsafe.length = 0
  creations = 0
  const { syncFile } = await vi.importActual<typeof files>('../util/files')
  vi.mocked(files.syncFile).mockImplementation(async (file) => {
    const { size } = statSync(file)
    await syncFile(file)
    syncedLengths.set(file, size)
  })
  const push = server.requests.push.bind(server.requests)
  server.requests.push = (...requests) => {
    for (const { path: address, body } of requests)
      if (address.startsWith('/v1/runs/'))
        for (const [, id] of body.toString().matchAll(/"submission_id":"([^"]+)"/g)) checkRun(id as string)
    return push(...requests)
  }
})

afterEach(() => void vi.resetAllMocks())

/** A run must be on the disk, with every file of it that the service does not have. */
function checkRun(submissionId: string): void {
  creations += 1
  const { dir, lines } = readSyncedLog()
  const line = lines.findLast((each) => each.kind === 'run' && each.run === submissionId)
  if (line?.kind !== 'run') return void unsafe.push('the run')
  for (const attachment of line.attachments) {
    if ('text' in attachment) continue
    const isReceived = lines.some(
      (each) =>
        each.kind === 'event' && each.event.type === 'received' && each.event.attachment === attachment.name,
    )
    if (isReceived) continue
    const file = 'file' in attachment ? attachment.file : findCopy(lines, attachment.path)
    const name = path.join(dir, 'files', file ?? 'none')
    if (file === undefined || syncedLengths.get(name) !== statSync(name).size) unsafe.push(attachment.name)
  }
}

/** What a crash of the machine would leave of the log. */
function readSyncedLog(): { dir: string; lines: LogLine[] } {
  const [name = ''] = readdirSync(bench.spoolDir)
  const dir = path.join(bench.spoolDir, name)
  const file = path.join(dir, 'log.jsonl')
  const synced = readFileSync(file).subarray(0, syncedLengths.get(file) ?? 0)
  const lines = synced.toString().split('\n').slice(0, -1).map(parseLogLine)
  return { dir, lines: lines.filter((line) => line !== undefined) }
}

const findCopy = (lines: readonly LogLine[], file: string): string | undefined => {
  const line = lines.findLast((each) => each.kind === 'file' && each.path === file)
  return line?.kind === 'file' ? line.file : undefined
}

/** Files of all sizes, one under two names, and bytes of memory, some the same. */
async function createSuiteWithAll(letter: string): Promise<Suite> {
  const nameIn = (extension: string): string => path.join(bench.dir, `${letter}.${extension}`)
  // Larger than what is copied at once.
  await writeFile(nameIn('webm'), letter.repeat(5_000_000))
  await writeFile(nameIn('png'), letter.repeat(1_000))
  await writeFile(nameIn('log'), `${letter} wrote something\n`.repeat(30_000))
  const attachments: Attachment[] = [
    { name: 'video', path: nameIn('webm') },
    { name: 'video again', path: nameIn('webm') },
    { name: 'shot', path: nameIn('png') },
    { name: 'notes.log', path: nameIn('log'), contentType: 'text/plain' },
    { name: 'memory', bytes: Buffer.alloc(1_000, letter) },
    { name: 'memory again', bytes: Buffer.alloc(1_000, letter) },
    { name: 'large memory', bytes: Buffer.alloc(400_000, letter) },
  ]
  return suiteWith(`${letter}.test.ts`, attachments)
}

const MODES: (Mode | 'is well')[] = ['is well', 'answers 503', 'answers 413', 'hangs before headers']
const cases = (['suite', 'execution'] as const).flatMap((runPer) =>
  MODES.flatMap((mode) => ['at once', 'later'].map((ends) => ({ runPer, mode, ends }))),
)

it.each(cases)('a run per $runPer, $mode, ends $ends', async ({ runPer, mode, ends }) => {
  if (mode !== 'is well') await server.misbehave(mode)
  const execution = bench.open({
    url: server.url,
    maxRetries: 0,
    requestTimeoutMs: 400,
    deadlineMs: DEADLINE_MS,
    runPer,
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  const [first, second, third] = (await Promise.all(['a', 'b', 'c'].map(createSuiteWithAll))) as [
    Suite,
    Suite,
    Suite,
  ]
  for (const suite of [first, second, third]) execution.addSuite(suite)
  if (ends === 'later') {
    await execution.settled()
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  await writeFile(path.join(bench.dir, 'a.webm'), 'rewritten'.repeat(700_000))
  first.outcome = 'failed'
  execution.addSuite(first)
  second.tests[0]?.attempts[0]?.attachments.push({ name: 'third', path: path.join(bench.dir, 'b.webm') })
  execution.addSuite(second)
  await execution.finish()
  expect(unsafe).toEqual([])
  if (mode === 'is well') expect(creations).toBe(runPer === 'suite' ? 3 : 1)
})
