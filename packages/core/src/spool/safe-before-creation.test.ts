import { existsSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { MisbehavingServer, Mode } from '../../../../test/support/misbehaving-server'
import { suiteWith, useSpoolBench, type SpoolBench } from '../../../../test/support/spool-execution'
import type { Attachment, Suite } from '../model/suite'
import { parseEntry, parseEvents } from './spool-schemas'
import { SpoolDisk } from './spool-disk'

const DEADLINE_MS = 1_200

let bench: SpoolBench
let server: MisbehavingServer

/** Length of each file when it was synced last, by its final name. */
const syncedLengths = new Map<string, number>()

/** What a crash of the machine would have lost when a run was created. */
const unsafe: string[] = []
let creations = 0

useSpoolBench((fresh) => ({ bench, server } = fresh))

beforeEach(() => {
  syncedLengths.clear()
  unsafe.length = 0
  creations = 0
  const { syncFile } = SpoolDisk.prototype
  vi.spyOn(SpoolDisk.prototype, 'syncFile').mockImplementation(async function (
    this: SpoolDisk,
    file: string,
  ) {
    const { size } = statSync(file)
    await syncFile.call(this, file)
    syncedLengths.set(file.replace(/\.tmp$/, ''), size)
  })
  const push = server.requests.push.bind(server.requests)
  server.requests.push = (...requests) => {
    for (const { path: address, body } of requests)
      if (address === '/v1/runs/create')
        checkEntry(JSON.parse(body.toString()).report_variables.submission_id as string)
    return push(...requests)
  }
})

afterEach(() => void vi.restoreAllMocks())

/** A run that lies in a folder of its own must be there with all that the service does not have. */
function checkEntry(submissionId: string): void {
  const dir = path.join(bench.spoolDir, submissionId)
  const entryFile = path.join(dir, 'entry.json')
  creations += 1
  if (!existsSync(entryFile)) return
  if (!isSynced(entryFile)) unsafe.push('entry.json')
  const journalFile = path.join(dir, 'journal.jsonl')
  const journal = existsSync(journalFile)
    ? readFileSync(journalFile).subarray(0, syncedLengths.get(journalFile) ?? 0)
    : ''
  const events = parseEvents(journal.toString())
  for (const attachment of parseEntry(readFileSync(entryFile, 'utf8')).attachments) {
    if (!('file' in attachment) || isSynced(path.join(dir, 'files', attachment.file))) continue
    const { name, sha256 } = attachment
    const isReceived = events.some(
      (event) => event.event === 'received' && event.attachment === name && event.sha256 === sha256,
    )
    if (!isReceived) unsafe.push(name)
  }
}

const isSynced = (file: string): boolean => syncedLengths.get(file) === statSync(file).size

/** Files of all sizes, one under two names, and bytes of memory, some the same. */
async function createSuiteWithAll(letter: string): Promise<Suite> {
  const nameIn = (extension: string): string => path.join(bench.dir, `${letter}.${extension}`)
  await writeFile(nameIn('webm'), letter.repeat(4_000_000))
  await writeFile(nameIn('png'), letter.repeat(1_000))
  await writeFile(nameIn('log'), `${letter} said something\n`.repeat(30_000))
  const attachments: Attachment[] = [
    { name: 'video', path: nameIn('webm') },
    { name: 'video again', path: nameIn('webm') },
    { name: 'shot', path: nameIn('png') },
    { name: 'said.log', path: nameIn('log'), contentType: 'text/plain' },
    { name: 'memory', bytes: Buffer.alloc(1_000, letter) },
    { name: 'memory again', bytes: Buffer.alloc(1_000, letter) },
    { name: 'large memory', bytes: Buffer.alloc(400_000, letter) },
  ]
  return suiteWith(`${letter}.test.ts`, attachments)
}

const MODES: (Mode | 'is well')[] = ['is well', 'answers 503', 'answers 413', 'hangs before headers']
const cases = (['suite', 'execution'] as const).flatMap((runPer) =>
  [false, true].flatMap((waitsForNobody) =>
    MODES.flatMap((mode) => ['at once', 'later'].map((ends) => ({ runPer, waitsForNobody, mode, ends }))),
  ),
)

it.each(cases)(
  'a run per $runPer, $mode, nobody waited for: $waitsForNobody, ends $ends',
  async ({ runPer, waitsForNobody, mode, ends }) => {
    if (mode !== 'is well') await server.misbehave(mode)
    const options = {
      url: server.url,
      maxRetries: 0,
      requestTimeoutMs: 400,
      deadlineMs: DEADLINE_MS,
      runPer,
    }
    const execution = bench.open(options, { waitsForNobody })
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
    await writeFile(path.join(bench.dir, 'a.webm'), 'rewritten'.repeat(400_000))
    first.outcome = 'failed'
    execution.addSuite(first)
    second.tests[0]?.attempts[0]?.attachments.push({ name: 'third', path: path.join(bench.dir, 'b.webm') })
    execution.addSuite(second)
    await execution.finish()
    expect(unsafe).toEqual([])
    if (mode === 'is well') expect(creations).toBe(runPer === 'suite' ? 3 : 1)
  },
)
