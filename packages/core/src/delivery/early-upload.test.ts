import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { MisbehavingServer } from '../../../../test/support/misbehaving-server'
import { startScriptedServer } from '../../../../test/support/scripted-server'
import {
  KEY,
  sha256,
  suiteWith,
  useSpoolBench,
  type SpoolBench,
} from '../../../../test/support/spool-execution'
import type { Execution } from '../execution'
import type { Suite } from '../model/suite'
import type { RunLine } from '../spool/log-lines'

let bench: SpoolBench
let server: MisbehavingServer

useSpoolBench((fresh) => ({ bench, server } = fresh))

const at = (over = {}) => ({ url: server.url, logs: false, maxRetries: 0, requestTimeoutMs: 2_000, ...over })
const shots = (...names: string[]) => names.map((name) => ({ name, bytes: Buffer.from(`bytes of ${name}`) }))
const countOf = (method: string) => server.requests.filter((request) => request.method === method).length
const digests = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [`t/${name}`, sha256(`bytes of ${name}`)]))

/** An execution under way whose first suites have finished; answers when the service has so many attachments of theirs. */
async function openWith(suites: Suite[], puts: number, over = {}): Promise<Execution> {
  const execution = bench.open(at(over))
  for (const suite of suites) execution.addSuite(suite)
  await execution.settled()
  await expect.poll(() => countReceived(), { timeout: 10_000 }).toBe(puts)
  return execution
}

/** As many as the log says. */
async function countReceived(): Promise<number> {
  return (await bench.readLines()).filter((line) => line.kind === 'event' && line.event.type === 'received')
    .length
}

/** Long enough for whatever would be sent early. */
const wait = (ms = 600) => new Promise((resolve) => setTimeout(resolve, ms))

describe('attachments of a suite that has finished while others run', () => {
  it('are not its log, which is another one whenever the suite changes', async () => {
    const suite = suiteWith('a.test.ts', shots('1.png'))
    suite.output.push({ stream: 'stdout', text: 'x'.repeat(40_000) })
    const execution = await openWith([suite], 1, { logs: true })
    await wait()
    expect(countOf('PUT')).toBe(1)
    await execution.finish()
    expect(server.service.runs[0]?.links.toSorted()).toEqual(['a.test.ts.log', 't/1.png'])
  })

  it('are sent before the execution ends, which then creates and links', async () => {
    const execution = await openWith([suiteWith('a.test.ts', shots('1.png', '2.png', '3.png'))], 3)
    const before = server.requests.length
    expect(server.service.runs).toEqual([])
    expect(await execution.finish()).toMatchObject({ status: 'uploaded', notUploaded: [] })
    expect(server.requests.slice(before).map(({ method }) => method)).toEqual(['POST', 'PATCH'])
    expect(server.service.runs[0]?.attachments).toEqual(digests('1.png', '2.png', '3.png'))
    expect(await bench.listEntries()).toEqual([])
  })

  it.each(['suite', 'execution'] as const)(
    'are not sent again after a kill, each %s being a run',
    async (runPer) => {
      const suites = [suiteWith('a.test.ts', shots('1.png')), suiteWith('b.test.ts', shots('2.png'))]
      await openWith(suites, 2, { runPer })
      const files = await bench.readAll()
      expect(files.map(({ text }) => text).join()).not.toContain(KEY)
      await bench.kill()
      await bench.record([suiteWith('next.test.ts')], at())
      expect(countOf('PUT')).toBe(2)
      const sent = server.service.runs.filter(({ body }) => body.report_variables['file'] !== 'next.test.ts')
      const digest = sent.flatMap(({ attachments }) => Object.values(attachments))
      expect(digest.sort()).toEqual([sha256('bytes of 1.png'), sha256('bytes of 2.png')].sort())
      expect(await bench.listEntries()).toEqual([])
    },
  )

  it('are those of a run that all share, under the names that they have in it', async () => {
    const suites = [suiteWith('a.test.ts', shots('1.png')), suiteWith('b.test.ts', shots('1.png'))]
    const execution = await openWith(suites, 2, { runPer: 'execution' })
    await execution.finish()
    expect(countOf('PUT')).toBe(2)
    expect(Object.keys(server.service.runs[0]?.attachments ?? {})).toEqual([
      'a.test.ts › t/1.png',
      'b.test.ts › t/1.png',
    ])
  })

  it('have an id of their own in each run, though their names and bytes are the same', async () => {
    const suites = ['a', 'b', 'c'].map((name) => suiteWith(`${name}.test.ts`, shots('1.png')))
    const execution = await openWith(suites, 3)
    expect(await execution.finish()).toMatchObject({ status: 'uploaded', notUploaded: [] })
    expect(countOf('PUT')).toBe(3)
    expect(server.service.runs.map(({ attachments }) => attachments)).toEqual(
      [1, 2, 3].map(() => digests('1.png')),
    )
  })

  it('are sent again when the service has dropped them meanwhile', async () => {
    const execution = await openWith([suiteWith('a.test.ts', shots('1.png', '2.png'))], 2)
    server.service.dropUnlinked()
    expect(await execution.finish()).toMatchObject({ status: 'uploaded', notUploaded: [] })
    expect(countOf('PUT')).toBe(4)
    expect(server.service.runs[0]?.attachments).toEqual(digests('1.png', '2.png'))
  })

  it('are initialised again when their upload address has expired', async () => {
    await server.misbehave('expires upload addresses')
    const execution = await openWith([suiteWith('a.test.ts', shots('1.png', '2.png'))], 2)
    expect([countOf('POST'), countOf('PUT')]).toEqual([4, 4])
    await execution.finish()
    expect(countOf('PUT')).toBe(4)
    expect(server.service.runs[0]?.attachments).toEqual(digests('1.png', '2.png'))
  })

  it('count for nothing when the bytes have changed since', async () => {
    const file = path.join(bench.dir, 'shot.png')
    await writeFile(file, 'early')
    const suite = suiteWith('a.test.ts', [{ name: 'shot', path: file }, ...shots('1.png')])
    const execution = await openWith([suite], 2)
    await writeFile(file, 'late, and longer')
    execution.addSuite(suite)
    await execution.finish()
    expect(countOf('PUT')).toBe(3)
    expect(server.service.runs[0]?.attachments).toEqual({
      't/shot.png': sha256('late, and longer'),
      ...digests('1.png'),
    })
  })

  it('count for nothing after a kill either when the bytes have changed since', async () => {
    await openWith([suiteWith('a.test.ts', shots('1.png'))], 1)
    const lines = await bench.readLines()
    const line = lines.find(({ kind }) => kind === 'run') as RunLine
    const [dir = ''] = await bench.listExecutions()
    await writeFile(path.join(dir, 'files/2'), 'other bytes!!!')
    const attachment = { file: '2', sha256: sha256('other bytes!!!'), sizeBytes: 14 }
    Object.assign(line.attachments[0] as object, attachment)
    await writeFile(path.join(dir, 'log.jsonl'), lines.map((each) => `${JSON.stringify(each)}\n`).join(''))
    await bench.kill()
    await bench.record([suiteWith('next.test.ts')], at())
    const sent = server.service.runs.find(({ idempotencyKey }) => idempotencyKey === line.run)
    expect(sent?.attachments).toEqual({ 't/1.png': sha256('other bytes!!!') })
  })

  it('are waited for at the end rather than sent twice', async () => {
    const execution = bench.open(at())
    execution.addSuite(suiteWith('a.test.ts', shots('1.png')))
    await expect.poll(() => countOf('POST'), { timeout: 10_000, interval: 1 }).toBe(1)
    await execution.finish()
    expect(countOf('PUT')).toBe(1)
    expect(server.service.runs[0]?.attachments).toEqual(digests('1.png'))
  })
})

describe('a file of some megabytes', () => {
  const large = (letter: string): string => letter.repeat(3_000_000)

  /** An execution that has sent it early. */
  async function openWithLarge(): Promise<{ execution: Execution; file: string; suite: Suite }> {
    const file = path.join(bench.dir, 'video.webm')
    await writeFile(file, large('a'))
    const suite = suiteWith('a.test.ts', [{ name: 'video', path: file }])
    return { execution: await openWith([suite], 1), file, suite }
  }

  it.each([
    ['the same bytes', 'a', 1],
    ['other bytes', 'b', 2],
  ])('is sent again only when it has other bytes in the end: %s', async (_, letter, puts) => {
    const { execution, file, suite } = await openWithLarge()
    await writeFile(file, large(letter))
    execution.addSuite(suite)
    await execution.finish()
    expect(countOf('PUT')).toBe(puts)
    expect(server.service.runs[0]?.attachments).toEqual({ 't/video.webm': sha256(large(letter)) })
  })

  it('is not sent again after a kill', async () => {
    await openWithLarge()
    await bench.kill()
    await bench.record([suiteWith('next.test.ts')], at())
    expect(countOf('PUT')).toBe(1)
    const sent = server.service.runs.find(({ body }) => body.report_variables['file'] === 'a.test.ts')
    expect(sent?.attachments).toEqual({ 't/video.webm': sha256(large('a')) })
  })

  it('is sent once where several are begun at the end', async () => {
    const names = ['1.webm', '2.webm', '3.webm']
    for (const name of names) await writeFile(path.join(bench.dir, name), large(name))
    const attachments = names.map((name) => ({ name, path: path.join(bench.dir, name) }))
    const execution = bench.open(at())
    execution.addSuite(suiteWith('a.test.ts', attachments))
    expect(await execution.finish()).toMatchObject({ status: 'uploaded', notUploaded: [] })
    expect(countOf('PUT')).toBe(3)
    const expected = names.map((name) => [`t/${name}`, sha256(large(name))])
    expect(server.service.runs[0]?.attachments).toEqual(Object.fromEntries(expected))
    expect(await bench.listEntries()).toEqual([])
  })
})

describe('nothing is sent early', () => {
  it.each([
    ['an execution that is disabled', { disabled: true }],
    ['an execution without a key', { apiKey: undefined }],
    ['an execution without a procedure', { procedureId: undefined }],
    [
      'a suite whose procedure cannot be worked out',
      {
        procedureId: () => {
          throw new Error('unknown')
        },
      },
    ],
  ])('of %s', async (_, over) => {
    const execution = bench.open(at(over) as never)
    execution.addSuite(suiteWith('a.test.ts', shots('1.png')))
    await execution.settled()
    await wait()
    expect(server.requests).toEqual([])
  })

  it('if the spool cannot store the bytes', async () => {
    await writeFile(path.join(bench.dir, 'blocked'), '')
    const execution = bench.open(at({ spoolDir: path.join(bench.dir, 'blocked/spool') }))
    execution.addSuite(suiteWith('a.test.ts', shots('1.png')))
    await execution.settled()
    await wait()
    expect(server.requests).toEqual([])
    expect(await execution.finish()).toMatchObject({ status: 'uploaded', notUploaded: [] })
  })
})

/** The number of concurrent uploads. */
const AT_ONCE = 8

describe('a service in trouble', () => {
  const many = shots(...Array.from({ length: 12 }, (_, index) => `${index}.png`))

  it.each([
    'answers 503',
    'answers 429',
    'resets in mid-request',
    'redirects',
    'answers invalid JSON',
  ] as const)('is left alone until the end, and the problem is reported once: %s', async (mode) => {
    await server.misbehave(mode)
    const execution = bench.open(at())
    execution.addSuite(suiteWith('a.test.ts', many))
    await execution.settled()
    await wait()
    execution.addSuite(suiteWith('b.test.ts', many))
    await wait()
    expect(server.requests.length).toBeLessThanOrEqual(AT_ONCE)
    expect(bench.printed).toEqual([])
    await server.recover()
    expect(await execution.finish()).toMatchObject({ status: 'uploaded', runs: 2, notUploaded: [] })
    expect(bench.printed).toHaveLength(1)
  })

  it('that hangs holds nothing, and the deadline is kept', async () => {
    await server.misbehave('hangs before headers')
    const execution = bench.open(at({ deadlineMs: 1_000, requestTimeoutMs: 30_000 }))
    execution.addSuite(suiteWith('a.test.ts', many))
    await expect.poll(() => server.requests.length, { timeout: 10_000 }).toBe(AT_ONCE)
    const startedAtMs = Date.now()
    expect(await execution.finish()).toMatchObject({ status: 'failed' })
    expect(Date.now() - startedAtMs).toBeLessThan(3_000)
    expect(bench.printed).toHaveLength(1)
    await server.recover()
    await bench.record([suiteWith('next.test.ts')], at())
    const sent = server.service.runs.find(({ body }) => body.report_variables['file'] === 'a.test.ts')
    expect(Object.keys(sent?.attachments ?? {})).toHaveLength(12)
  })

  it('that does not answer files gets the run at once, also where few requests are allowed', async () => {
    const isFile = ({ method }: { method: string }): boolean => method === 'PUT'
    const slow = await startScriptedServer((request, response) => {
      if (!isFile(request)) server.service.answer(request, response)
    })
    const execution = bench.open(at({ url: slow.url, concurrency: 4, deadlineMs: 4_000 }))
    execution.addSuite(suiteWith('a.test.ts', many))
    await execution.settled()
    await wait()
    const finished = execution.finish()
    await expect.poll(() => server.service.runs.length, { timeout: 1_000 }).toBe(1)
    await slow.stop()
    await finished
  })

  it('that hangs only while tests run gets everything at the end', async () => {
    await server.misbehave('hangs before headers')
    const execution = bench.open(at({ deadlineMs: 4_000, requestTimeoutMs: 30_000 }))
    execution.addSuite(suiteWith('a.test.ts', shots('1.png', '2.png', '3.png')))
    await expect.poll(() => server.requests.length, { timeout: 10_000 }).toBe(3)
    await server.recover()
    expect(await execution.finish()).toMatchObject({ status: 'uploaded', notUploaded: [] })
    expect(server.service.runs[0]?.attachments).toEqual(digests('1.png', '2.png', '3.png'))
  })
})

it('an attachment that is too large does not affect the others', async () => {
  await mkdir(bench.spoolDir, { recursive: true })
  await server.misbehave('answers 413')
  const execution = bench.open(at())
  execution.addSuite(suiteWith('a.test.ts', shots('1.png', '2.png', '3.png')))
  await expect.poll(() => countOf('PUT'), { timeout: 10_000 }).toBe(3)
  await server.recover()
  expect(await execution.finish()).toMatchObject({ status: 'uploaded', notUploaded: [] })
})
