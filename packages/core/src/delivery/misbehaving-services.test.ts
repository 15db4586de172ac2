import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { ALL_MODES, type MisbehavingServer, type Mode } from '../../../../test/support/misbehaving-server'
import {
  KEY,
  sha256,
  suiteWith,
  useSpoolBench,
  type SpoolBench,
} from '../../../../test/support/spool-execution'
import { SpoolFolder } from '../spool/spool-folder'
import { uploadSpool } from './upload-spool'

const DEADLINE_MS = 1_500
const ALLOWANCE_MS = 2_000

let bench: SpoolBench
let server: MisbehavingServer

useSpoolBench((fresh) => ({ bench, server } = fresh))

/** Modes in which everything gets through all the same. */
const HARMLESS: Mode[] = [
  'closes idle sockets',
  'expires upload addresses',
  'accepts the run and loses the response',
  'loses every response about a run but the first',
]

describe.each(ALL_MODES)('a service that %s', (mode) => {
  it('delays no execution, and has each run once with every byte when it works again', async () => {
    const large = Buffer.alloc(2_000_000, mode)
    await writeFile(path.join(bench.dir, 'video.webm'), large)
    const suites = [
      suiteWith('a.test.ts', [{ name: 'video', path: path.join(bench.dir, 'video.webm') }]),
      suiteWith('b.test.ts', [{ name: 'notes.txt', bytes: Buffer.from('notes') }]),
      suiteWith('c.test.ts'),
    ]
    await server.misbehave(mode)
    const options = { url: server.url, deadlineMs: DEADLINE_MS, logs: false }
    const result = await bench.record(suites, options)
    expect(result.tookMs).toBeLessThan(DEADLINE_MS + ALLOWANCE_MS)
    expect(bench.printed, bench.printed.join('')).toHaveLength(1)
    expect(result.line).not.toContain(KEY)
    if (HARMLESS.includes(mode)) expect(result).toMatchObject({ status: 'uploaded', notUploaded: [] })
    else expect(result.line).toMatch(/\d runs? waits? in the spool/)

    await server.recover()
    const found = { spool: new SpoolFolder(bench.spoolDir), projectRoot: bench.dir }
    const env = { RUNLEDGER_URL: server.url, RUNLEDGER_API_KEY: KEY }
    const { results } = await uploadSpool(found, { options: {}, env })
    expect(results.filter(({ status }) => status !== 'sent')).toEqual([])
    expect(await bench.listEntries()).toEqual([])
    const onRecord = server.service.runs.map(({ body, attachments }) => [
      body.report_variables['file'],
      attachments,
    ])
    expect(onRecord.sort()).toEqual([
      ['a.test.ts', { 't/video.webm': sha256(large) }],
      ['b.test.ts', { 't/notes.txt': sha256('notes') }],
      ['c.test.ts', {}],
    ])
  })
})

describe('a failed delivery', () => {
  it.each(['hangs before headers', 'answers 503', 'answers 401 after one request'] as const)(
    'fails the execution only when the user wants it: %s',
    async (mode) => {
      const suites = ['a', 'b', 'c'].map((name) => suiteWith(`${name}.test.ts`))
      await server.misbehave(mode)
      const options = { url: server.url, deadlineMs: 500, concurrency: 1, logs: false }
      expect(await bench.record(suites, options)).toMatchObject({ failOnUploadError: false })
      expect(await bench.record(suites, { ...options, failOnUploadError: true })).toMatchObject({
        failOnUploadError: true,
      })
    },
  )

  it('says what to fix, in the words of the service', async () => {
    await server.misbehave('answers 413')
    const { line } = await bench.record([suiteWith('a.test.ts')], { url: server.url })
    expect(line).toContain('told to answer 413; lower maxAttachmentBytes (RUNLEDGER_MAX_ATTACHMENT_BYTES)')
  })
})
