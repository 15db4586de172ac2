import { rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { collectGarbage } from '../../../../test/support/collect-garbage'
import { startMisbehavingServer, type MisbehavingServer } from '../../../../test/support/misbehaving-server'
import { suiteWith, useSpoolBench, type SpoolBench } from '../../../../test/support/spool-execution'
import type { Execution } from '../execution'
import type { Suite } from '../model/suite'
import { SpoolError } from '../model/errors'
import { ExecutionLog } from '../spool/execution-log'
import { SpoolFolder } from '../spool/spool-folder'
import { deliverBacklog } from './backlog'

let bench: SpoolBench
let server: MisbehavingServer
useSpoolBench((fresh) => ({ bench, server } = fresh))

afterEach(() => {
  vi.restoreAllMocks()
})

const shot = (text: string) => [{ name: 'shot.png', bytes: Buffer.from(text) }]

/** An execution whose log is open. */
async function open(options: Parameters<SpoolBench['open']>[0] = {}): Promise<Execution> {
  const execution = bench.open({ url: server.url, logs: false, maxRetries: 0, ...options })
  await expect.poll(() => bench.readLines()).toHaveLength(1)
  // The line is there a moment before the recorder knows.
  await sleep(200)
  return execution
}

/** The disk is full for whole runs; there is room for a short line. */
function fillDisk(): void {
  const { append } = ExecutionLog.prototype
  vi.spyOn(ExecutionLog.prototype, 'append').mockImplementation(function (this: ExecutionLog, line) {
    if (['run', 'file', 'suite'].includes(line.kind)) throw new SpoolError('ENOSPC: no space left on device')
    append.call(this, line)
  })
}

function listFiles({ service: { runs } }: MisbehavingServer): unknown[] {
  return runs.map(({ body }) => body.report_variables['file'])
}

describe('a disk that becomes full', () => {
  it('does not have a run sent twice that was delivered, though the service knows no keys', async () => {
    const forgetful = await startMisbehavingServer({ honoursKeys: false, hasLookUp: false })
    const execution = await open({ url: forgetful.url })
    execution.addSuite(suiteWith('a.test.ts', shot('a')))
    await execution.settled()
    fillDisk()
    execution.addSuite(suiteWith('b.test.ts', shot('b')))
    const { answer } = forgetful.service
    forgetful.service.answer = (request, response) =>
      String(request.body).includes('b.test.ts')
        ? void response.writeHead(422).end()
        : answer.call(forgetful.service, request, response)
    expect(await execution.finish()).toMatchObject({ status: 'failed' })
    forgetful.service.answer = answer
    vi.restoreAllMocks()
    await bench.record([suiteWith('c.test.ts')], { url: forgetful.url, logs: false })
    expect(listFiles(forgetful)).toEqual(['a.test.ts', 'c.test.ts'])
    await forgetful.stop()
  })

  it.each(['suite', 'project'] as const)(
    'keeps what it has of runs per %s that are still true',
    async (runPer) => {
      const execution = await open({ runPer })
      const first = suiteWith('a.test.ts')
      execution.addSuite(first)
      fillDisk()
      execution.addSuite(suiteWith('b.test.ts'))
      execution.addSuite(first)
      await server.misbehave('refuses')
      expect(await execution.finish()).toMatchObject({ status: 'failed' })
      vi.restoreAllMocks()
      expect(await bench.listEntries()).toHaveLength(1)
    },
  )

  it('removes a log that would say something false, though not even a short line fits', async () => {
    const execution = await open({ runPer: 'project' })
    execution.addSuite(suiteWith('a.test.ts'))
    vi.spyOn(ExecutionLog.prototype, 'append').mockImplementation(() => {
      throw new SpoolError('EIO')
    })
    const failed = suiteWith('b.test.ts')
    failed.outcome = 'failed'
    execution.addSuite(failed)
    await server.misbehave('refuses')
    expect(await execution.finish()).toMatchObject({ status: 'failed', savedTo: undefined })
    expect(bench.printed.join('')).not.toContain('in the spool: npx')
    vi.restoreAllMocks()
    expect(await bench.listExecutions()).toEqual([])
  })

  it('does not leave a suite as passed in the spool that has failed since', async () => {
    const execution = await open()
    const suite = suiteWith('a.test.ts')
    execution.addSuite(suite)
    fillDisk()
    suite.outcome = 'failed'
    execution.addSuite(suite)
    await server.misbehave('refuses')
    expect(await execution.finish()).toMatchObject({ status: 'failed' })
    vi.restoreAllMocks()
    await server.recover()
    await bench.record([suiteWith('c.test.ts')], { url: server.url, logs: false })
    expect(listFiles(server)).toEqual(['c.test.ts'])
  })
})

describe('finish', () => {
  it('returns though the disk hangs when the delivered log is to be removed', async () => {
    const execution = await open()
    execution.addSuite(suiteWith('a.test.ts'))
    vi.spyOn(ExecutionLog.prototype, 'remove').mockReturnValue(new Promise(() => undefined))
    const startedAtMs = Date.now()
    expect(await execution.finish()).toMatchObject({ status: 'uploaded', runs: 1 })
    expect(Date.now() - startedAtMs).toBeLessThan(10_000)
  })

  it('removes what it delivered though a copy took too long for it to wait', async () => {
    const execution = await open({ deadlineMs: 2_000 })
    execution.addSuite(suiteWith('a.test.ts'))
    vi.spyOn(ExecutionLog.prototype, 'sync').mockReturnValue(new Promise(() => undefined))
    expect(await execution.finish()).toMatchObject({ status: 'uploaded', runs: 1 })
    await expect.poll(() => bench.listExecutions()).toEqual([])
  })

  it('says what was delivered though older executions cannot be listed', async () => {
    const execution = await open({ failOnUploadError: true })
    execution.addSuite(suiteWith('a.test.ts'))
    vi.spyOn(SpoolFolder.prototype, 'removeUnfinished').mockRejectedValue(new Error('EMFILE'))
    expect(await execution.finish()).toMatchObject({ status: 'uploaded', runs: 1 })
  })

  it('leaves a suite in the spool that was added while it sent', async () => {
    const execution = await open()
    execution.addSuite(suiteWith('a.test.ts'))
    const { answer } = server.service
    server.service.answer = (request, response) => {
      if (request.path.endsWith('/create')) execution.addSuite(suiteWith('late.test.ts'))
      answer.call(server.service, request, response)
    }
    await execution.finish()
    server.service.answer = answer
    expect(await bench.listEntries()).toHaveLength(1)
  })

  it('prints no password of the service’s address, not even of a run that was looked up', async () => {
    await server.misbehave('accepts the run and loses the response')
    const execution = await open({ url: server.url.replace('//', '//me:open-sesame@'), maxRetries: 2 })
    execution.addSuite(suiteWith('a.test.ts', shot('a')))
    const result = await execution.finish()
    expect(result).toMatchObject({ status: 'uploaded', url: expect.stringContaining('/runs/') })
    expect(server.requests.some(({ method }) => method === 'GET')).toBe(true)
    expect(JSON.stringify([result, bench.printed])).not.toContain('open-sesame')
  })
})

it('suites that are on record are not held until the end', async () => {
  const execution = await open()
  const suites: WeakRef<Suite>[] = []
  for (let index = 0; index < 20; index += 1) {
    const suite = suiteWith(`${index}.test.ts`)
    suites.push(new WeakRef(suite))
    execution.addSuite(suite)
  }
  await execution.settled()
  await sleep(10)
  collectGarbage()
  expect(suites.filter((suite) => suite.deref() !== undefined).length).toBeLessThan(5)
  await execution.finish()
})

it('an execution that another process has just sent and removed does not count as damaged', async () => {
  const execution = await open()
  execution.addSuite(suiteWith('a.test.ts', shot('a')))
  await execution.settled()
  await bench.kill()
  const spool = new SpoolFolder(bench.spoolDir)
  const listed = await spool.list()
  rmSync(path.join(listed[0]?.dir ?? '', 'log.jsonl'))
  const sender = { signal: new AbortController().signal, send: vi.fn(), endExecution: vi.fn() }
  const results = await deliverBacklog({ spool, sender, skipReason: () => undefined }, listed)
  expect(results).toMatchObject([{ status: 'busy' }])
  expect(await readdir(bench.spoolDir)).toEqual([path.basename(listed[0]?.dir ?? '')])
})

describe('a file', () => {
  const LARGE = 5 * 1024 * 1024

  it('that is written anew before it could be copied is not sent under the first test’s name', async () => {
    const execution = await open()
    const trace = path.join(bench.dir, 'trace.zip')
    writeFileSync(trace, Buffer.alloc(LARGE, 'a'))
    execution.addSuite(suiteWith('a.test.ts', [{ name: 'trace', path: trace }]))
    writeFileSync(trace, Buffer.alloc(LARGE + 1, 'b'))
    execution.addSuite(suiteWith('b.test.ts', [{ name: 'trace', path: trace }]))
    expect(await execution.finish()).toMatchObject({
      notUploaded: [expect.stringContaining('it was changed before it could be copied')],
    })
    const sent = server.service.runs.map(({ attachments }) => Object.keys(attachments).length)
    expect(sent).toEqual([0, 1])
  })

  it('that is attached as binary and as text is searched for secrets as text', async () => {
    const execution = await open()
    const file = path.join(bench.dir, 'out')
    const token = `ghp_${'a1B2'.repeat(9)}`
    writeFileSync(file, `token ${token}`)
    const attach = (contentType: string) => [{ name: 'out', contentType, path: file }]
    execution.addSuite(suiteWith('a.test.ts', attach('application/zip')))
    execution.addSuite(suiteWith('b.test.ts', attach('text/plain')))
    await execution.settled()
    const files = (await bench.readAll()).filter(({ name }) => name.includes('files/'))
    expect(files.filter(({ text }) => !text.includes(token))).toHaveLength(1)
    await execution.finish()
  })
})
