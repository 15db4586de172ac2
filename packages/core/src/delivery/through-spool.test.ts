import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { startMisbehavingServer, type MisbehavingServer } from '../../../../test/support/misbehaving-server'
import {
  KEY,
  sha256,
  suiteWith,
  useSpoolBench,
  type SpoolBench,
} from '../../../../test/support/spool-execution'
import { SpoolFolder } from '../spool/spool-folder'
import type { BacklogResult } from './backlog'
import { uploadSpool } from './upload-spool'
import { startScriptedServer } from '../../../../test/support/scripted-server'
import { createSuite, createTest } from '../../../../test/support/suites'

let bench: SpoolBench
let server: MisbehavingServer

useSpoolBench((fresh) => ({ bench, server } = fresh))

const at = (over = {}) => ({ url: server.url, logs: false, maxRetries: 0, requestTimeoutMs: 500, ...over })
const procedureOf = (body: object): unknown => (body as { procedure_id?: unknown }).procedure_id
const shot = { name: 'shot.png', bytes: Buffer.from('a screenshot') }

describe('a suite that has finished', () => {
  it('is on the disk before the execution ends: private, and without the key', async () => {
    const execution = bench.open(at({ url: server.url.replace('//', '//user:password@') }))
    execution.addSuite(suiteWith('a.test.ts', [shot]))
    await execution.settled()
    const [id = ''] = await bench.listEntries()
    const lines = (await bench.readLines()).filter(({ kind }) => kind !== 'event')
    expect(lines).toMatchObject([
      {
        kind: 'execution',
        version: 1,
        service: { url: server.url, createPath: '/v1/runs/create', updatePath: '/v2/runs/{id}' },
        projectRoot: bench.dir,
      },
      {
        kind: 'run',
        run: id,
        request: { procedure_id: 'FVT1', report_variables: { submission_id: id, file: 'a.test.ts' } },
        attachments: [{ name: 't/shot.png', sizeBytes: 12, sha256: sha256('a screenshot'), file: '1' }],
      },
    ])
    const files = await bench.readAll()
    expect(files.filter(({ mode }) => (mode & 0o077) !== 0)).toEqual([])
    expect(files.map(({ text }) => text).join()).not.toMatch(new RegExp(`${KEY}|password`))
    await execution.finish()
    expect(await readdir(bench.spoolDir)).toEqual([])
  })

  it('is on record after the process was killed, with bytes that the framework has removed', async () => {
    const file = path.join(bench.dir, 'trace.zip')
    await writeFile(file, 'the trace')
    const killed = bench.open(at())
    killed.addSuite(suiteWith('killed.test.ts', [{ name: 'trace', path: file }]))
    await killed.settled()
    await rm(file)
    await bench.kill()
    const result = await bench.record([suiteWith('next.test.ts')], at())
    expect(result.line).toContain('1 run on record, passed')
    expect(result.line).toContain('1 older run sent')
    expect(server.service.runs.map(({ body }) => body.report_variables['file'])).toEqual([
      'next.test.ts',
      'killed.test.ts',
    ])
    expect(server.service.runs[1]?.attachments).toEqual({ 't/trace.zip': sha256('the trace') })
    expect(await bench.listEntries()).toEqual([])
  })

  it('is written over when it changes until the end', async () => {
    const execution = bench.open(at())
    const suite = suiteWith('a.test.ts', [shot])
    execution.addSuite(suite)
    await execution.settled()
    suite.outcome = 'failed'
    suite.problems.push({ name: 'Unhandled error', errors: [{ message: 'late' }] })
    execution.addSuite(suite)
    await execution.settled()
    const run = (await bench.readLines()).findLast(({ kind }) => kind === 'run')
    expect(run).toMatchObject({ request: { run_passed: false } })
    suite.tests.push(createTest(['later']))
    execution.addSuite(suite)
    expect(await execution.finish()).toMatchObject({ status: 'uploaded', runs: 1, failedRuns: 1 })
    expect(server.service.runs).toHaveLength(1)
    expect(server.service.runs[0]?.body).toMatchObject({
      run_passed: false,
      steps: [{ name: 't' }, { name: 'later' }, { name: 'Unhandled error' }],
    })
  })

  it.each(['project', 'execution'] as const)(
    'survives a kill when all of a %s share a run',
    async (runPer) => {
      const execution = bench.open(at({ runPer, logs: true }))
      execution.addSuite(suiteWith('a.test.ts', [shot]))
      execution.addSuite(
        createSuite({
          file: 'b.test.ts',
          outcome: 'failed',
          tests: [createTest(['x'], { outcome: 'failed' })],
        }),
      )
      await execution.settled()
      await bench.kill()
      await bench.record([suiteWith('next.test.ts')], at())
      expect(server.service.runs).toHaveLength(2)
      const { body, attachments } = server.service.runs[1] as (typeof server.service.runs)[number]
      expect(body).toMatchObject({
        run_passed: false,
        steps: [{ name: 'a.test.ts › t' }, { name: 'b.test.ts › x', step_passed: false }],
        report_variables: { file: '(execution)', tests_passed: '1', tests_failed: '1' },
      })
      expect(attachments['a.test.ts › t/shot.png']).toBe(sha256('a screenshot'))
      expect(Object.keys(attachments)).toContain('(execution).log')
      expect(await bench.listEntries()).toEqual([])
    },
  )

  it('leaves nothing behind when it shares a run and all goes well', async () => {
    await bench.record([suiteWith('a.test.ts', [shot]), suiteWith('b.test.ts')], at({ runPer: 'execution' }))
    expect(server.service.runs).toHaveLength(1)
    expect(await readdir(bench.spoolDir)).toEqual([])
  })

  it('is not written down when disabled', async () => {
    await bench.record([suiteWith('a.test.ts')], at({ disabled: true }))
    expect(await readdir(bench.dir)).toEqual([])
  })
})

describe('a run that could not be sent', () => {
  it('is counted in the one line, and sent by the next execution under the same key', async () => {
    await server.misbehave('answers 503')
    const failed = await bench.record([suiteWith('a.test.ts', [shot])], at())
    expect(failed).toMatchObject({ status: 'failed', savedTo: bench.spoolDir })
    expect(failed.line).toMatch(
      /1 of 1 runs not sent: .*503.*; 1 run waits in the spool: npx runledger upload sends it\n$/,
    )
    expect(bench.printed).toHaveLength(1)
    const [id] = await bench.listEntries()
    await server.recover()
    expect((await bench.record([suiteWith('b.test.ts')], at())).line).toContain('1 older run sent')
    expect(server.service.runs.map(({ idempotencyKey }) => idempotencyKey)).toContain(id)
    expect(server.service.runs).toHaveLength(2)
    expect(await bench.listEntries()).toEqual([])
  })

  it('is counted, and no longer kept than others, where nothing can be sent', async () => {
    await server.misbehave('answers 503')
    await bench.record([suiteWith('a.test.ts')], at())
    const unsendable = at({ url: 'https://127.0.0.1:9', caFile: 'none.pem' })
    const { line } = await bench.record([suiteWith('b.test.ts')], unsendable)
    expect(line).toMatch(/^Runledger: 1 of 1 runs not sent: option caFile .*; 2 runs wait in the spool: /)
    expect(server.service.runs).toEqual([])
    const longAgo = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000).toISOString()
    for (const dir of await bench.listExecutions()) {
      const log = path.join(dir, 'log.jsonl')
      await writeFile(log, (await readFile(log, 'utf8')).replace(/("createdAt":")[^"]+/, `$1${longAgo}`))
    }
    await bench.record([suiteWith('c.test.ts')], unsendable)
    expect(bench.printed.filter((printed) => printed.includes('dropped'))).toHaveLength(2)
    expect(await bench.listEntries()).toHaveLength(1)
  })

  it.each([
    // Each with what its tests say, and without.
    ['answers 413', { message: expect.stringContaining('answered 413') }, 6],
    ['answers 401 after one request', { statusCode: 401 }, 3],
  ] as const)('stays, marked, when the service refuses it: %s', async (mode, marks, creations) => {
    await server.misbehave(mode)
    const suites = ['a', 'b', 'c'].map((name) => suiteWith(`${name}.test.ts`))
    const { line } = await bench.record(suites, at({ concurrency: 1, maxRetries: 3 }))
    expect(line).toMatch(/check apiKey|lower maxAttachmentBytes/)
    const entries = await bench.listEntries()
    expect(entries.length).toBeGreaterThan(0)
    for (const id of entries) {
      const events = (await bench.readLines()).filter((each) => each.kind === 'event' && each.run === id)
      expect(events.at(-1)).toMatchObject({ event: { type: 'failed', isRefused: true, ...marks } })
    }
    const sent = server.requests.filter(({ path: where }) => where === '/v1/runs/create')
    expect(sent).toHaveLength(creations)
  })

  it.each([
    ['no key', { apiKey: undefined }, 'no API key. Set apiKey or RUNLEDGER_API_KEY'],
    ['no address', { url: undefined }, 'set url or RUNLEDGER_URL'],
    ['neither', { apiKey: undefined, url: undefined }, 'no API key'],
  ])('for want of configuration (%s) waits, and is sent once all is there', async (_, missing, words) => {
    const left = await bench.record([suiteWith('a.test.ts', [shot])], at(missing) as never)
    expect(left).toMatchObject({ status: 'failed', savedTo: bench.spoolDir, failOnUploadError: false })
    expect(left.line).toContain(`1 of 1 runs not sent: `)
    expect(left.line).toContain(words)
    expect(left.line).toContain('1 run waits in the spool: npx runledger upload sends it')
    expect(server.requests).toEqual([])
    expect((await bench.record([suiteWith('b.test.ts')], at())).line).toContain('1 older run sent')
    expect(server.service.runs.map(({ body }) => [procedureOf(body), body.report_variables['file']])).toEqual(
      [
        ['FVT1', 'b.test.ts'],
        ['FVT1', 'a.test.ts'],
      ],
    )
    expect(server.service.runs[1]?.attachments).toEqual({ 't/shot.png': sha256('a screenshot') })
    expect(await bench.listEntries()).toEqual([])
  })

  it.each(['suite', 'execution'] as const)(
    'for want of a procedure gets it in the log before it is sent, a run per %s',
    async (runPer) => {
      const left = await bench.record(
        [suiteWith('a.test.ts')],
        at({ procedureId: undefined, runPer }) as never,
      )
      expect(left.line).toContain('set procedureId or RUNLEDGER_PROCEDURE_ID')
      // It may be of another framework, whose configuration names another procedure.
      const other = await startMisbehavingServer()
      for (const [url, words] of [
        [other.url, '1 older run waits in the spool for another service'],
        [server.url, '1 run waits in the spool'],
      ] as const) {
        const { line } = await bench.record([suiteWith('b.test.ts')], at({ url, procedureId: 'of-others' }))
        expect(line).toContain(words)
      }
      await other.stop()
      const upload = (options: object): Promise<{ results: BacklogResult[] }> =>
        uploadSpool(
          { spool: new SpoolFolder(bench.spoolDir), projectRoot: bench.dir },
          { options: { apiKey: KEY, url: server.url, maxRetries: 0, ...options }, env: {} },
        )
      const [waits] = (await upload({})).results
      expect(waits).toMatchObject({
        status: 'waits',
        isRefused: false,
        reason: expect.stringContaining('RUNLEDGER_PROCEDURE_ID') as unknown,
      })
      await server.misbehave('answers 503')
      await upload({ procedureId: 'FVT2' })
      await server.recover()
      const [sent] = (await upload({ procedureId: 'another' })).results
      expect(sent).toMatchObject({ status: 'sent' })
      expect(server.service.runs.map(({ body }) => procedureOf(body))).toEqual(['of-others', 'FVT2'])
    },
  )

  it('does not contain the password of an address, and is not sent to the service of another project', async () => {
    const { url } = server
    await bench.record([suiteWith('a.test.ts')], { ...at({ url: undefined }) } as never)
    const elsewhere = bench.open(at({ url: url.replace('//', '//user:password@') }), {
      rootDir: path.join(bench.dir, 'b'),
    })
    elsewhere.addSuite(suiteWith('b.test.ts'))
    await elsewhere.finish()
    expect(server.service.runs).toHaveLength(1)
    const { results } = await uploadSpool(
      { spool: new SpoolFolder(bench.spoolDir), projectRoot: path.join(bench.dir, 'b') },
      { options: { apiKey: KEY }, env: { RUNLEDGER_URL: url.replace('//', '//user:password@') } },
    )
    expect(results.map(({ reason }) => reason)).toEqual([
      `it is of another project, ${bench.dir}: npx runledger upload --url ${url} sends it here`,
    ])
  })

  it('goes to the local service whose port has changed, and to no other', async () => {
    const credentials = path.join(bench.dir, '.runledger/credentials.json')
    const sign = async (url: string): Promise<void> =>
      writeFile(credentials, JSON.stringify({ url, api_key: KEY, procedure_id: 'local' }))
    const local = { url: undefined, apiKey: undefined, logs: false, maxRetries: 0 } as never
    await mkdir(path.dirname(credentials))
    await sign('http://127.0.0.1:9')
    await bench.record([suiteWith('a.test.ts')], local)
    const { line } = await bench.record([suiteWith('b.test.ts')], at())
    expect(line).toContain('1 older run waits in the spool for another service')
    await sign(server.url)
    expect((await bench.record([suiteWith('c.test.ts')], local)).line).toContain('1 older run sent')
    expect(server.service.runs.map(({ body }) => body.report_variables['file'])).toEqual([
      'b.test.ts',
      'c.test.ts',
      'a.test.ts',
    ])
  })

  it('waits while the file of local credentials cannot be read', async () => {
    const credentials = path.join(bench.dir, '.runledger/credentials.json')
    await mkdir(path.dirname(credentials))
    await writeFile(credentials, 'nonsense')
    const local = { url: undefined, apiKey: undefined, failOnUploadError: true } as never
    const left = await bench.record([suiteWith('a.test.ts')], local)
    expect(left).toMatchObject({ status: 'failed', failOnUploadError: true })
    expect(left.line).toContain(`${credentials} holds no credentials`)
    expect(await bench.listEntries()).toHaveLength(1)
  })

  it('says where the key is from that the service does not take', async () => {
    const refusing = await startScriptedServer((_, response) => void response.writeHead(401).end('{}'))
    const { url } = refusing
    const credentials = path.join(bench.dir, '.runledger/credentials.json')
    await mkdir(path.dirname(credentials))
    await writeFile(credentials, JSON.stringify({ url, api_key: 'rl_user_old', procedure_id: 'p' }))
    const local = { url: undefined, apiKey: undefined } as never
    const { line } = await bench.record([suiteWith('a.test.ts')], local)
    expect(line).toContain(`the key is that of ${credentials}: start runledger serve there again`)
    const own = await bench.record([suiteWith('b.test.ts')], at({ url }))
    expect(own.line).toContain('check apiKey (RUNLEDGER_API_KEY)')
    await refusing.stop()
  })

  it('for another service waits until that one is asked', async () => {
    await server.misbehave('answers 503')
    await bench.record([suiteWith('a.test.ts')], at())
    const other = await startMisbehavingServer()
    const { line } = await bench.record([suiteWith('b.test.ts')], at({ url: other.url }))
    expect(line).toMatch(
      /; 1 older run waits in the spool for another service: npx runledger upload says how to send or drop it\n$/,
    )
    expect(other.service.runs).toHaveLength(1)
    await other.stop()
  })

  it('is left to the execution that has it', async () => {
    const busy = bench.open(at())
    busy.addSuite(suiteWith('busy.test.ts'))
    await busy.settled()
    const { line } = await bench.record([suiteWith('b.test.ts')], at())
    expect(line).not.toContain('spool')
    expect(server.service.runs).toHaveLength(1)
    await busy.finish()
    expect(server.service.runs).toHaveLength(2)
  })

  it('does not wait for older ones beyond the deadline', async () => {
    await server.misbehave('answers 503')
    await bench.record(
      ['a', 'b', 'c'].map((name) => suiteWith(`${name}.test.ts`)),
      at(),
    )
    await server.recover()
    await server.misbehave('drips a byte a second')
    const { tookMs, line } = await bench.record([suiteWith('d.test.ts')], at({ deadlineMs: 700 }))
    expect(tookMs).toBeLessThan(2_500)
    expect(line).toContain('4 runs wait in the spool')
  })
})

describe('exactly once', () => {
  it.each([
    { honoursKeys: true, hasLookUp: true },
    { honoursKeys: true, hasLookUp: false },
    { honoursKeys: false, hasLookUp: true },
  ])('holds when the response to a creation is lost: %j', async (traits) => {
    const service = await startMisbehavingServer(traits)
    await service.misbehave('accepts the run and loses the response')
    await bench.record([suiteWith('a.test.ts', [shot])], { ...at(), url: service.url, maxRetries: 1 })
    await service.recover()
    await bench.record([suiteWith('b.test.ts')], { ...at(), url: service.url })
    const files = service.service.runs.map(({ body }) => body.report_variables['file'])
    expect(files.sort()).toEqual(['a.test.ts', 'b.test.ts'])
    const sent = service.service.runs.find(({ body }) => body.report_variables['file'] === 'a.test.ts')
    expect(sent?.attachments).toEqual({ 't/shot.png': sha256('a screenshot') })
    expect(await bench.listEntries()).toEqual([])
    await service.stop()
  })

  it('does not take any run for its own at a service that does not know the filter', async () => {
    const service = await startMisbehavingServer({ honoursKeys: true, hasLookUp: true })
    await bench.record([suiteWith('a.test.ts')], { ...at(), url: service.url })
    service.service.runs[0]!.body.report_variables['submission_id'] = 'somebody else'
    await service.misbehave('answers 503')
    await bench.record([suiteWith('b.test.ts')], { ...at(), url: service.url })
    await service.recover()
    await bench.record([suiteWith('c.test.ts')], { ...at(), url: service.url })
    expect(service.service.runs).toHaveLength(3)
    await service.stop()
  })

  it('uploads attachments again that the service has dropped meanwhile', async () => {
    await server.misbehave('answers 503')
    const suite = suiteWith('a.test.ts', [shot, { name: 'log', bytes: Buffer.from('log') }])
    await bench.record([suite], at())
    const [id = ''] = await bench.listEntries()
    const [dir = ''] = await bench.listExecutions()
    const event = { type: 'received', attachment: 't/shot.png', id: 'long-gone' }
    const line = JSON.stringify({ kind: 'event', run: id, event })
    await appendFile(path.join(dir, 'log.jsonl'), `${line}\n{"kind":"eve`)
    await server.recover()
    await bench.record([suiteWith('b.test.ts')], at())
    const run = server.service.runs.find(({ idempotencyKey }) => idempotencyKey === id)
    expect(run?.attachments).toEqual({ 't/shot.png': sha256('a screenshot'), 't/log': sha256('log') })
    expect(await bench.listEntries()).toEqual([])
  })

  it('initialises an expired upload address again', async () => {
    await server.misbehave('expires upload addresses')
    const result = await bench.record([suiteWith('a.test.ts', [shot])], at())
    expect(result).toMatchObject({ status: 'uploaded', notUploaded: [] })
    expect(server.service.runs[0]?.attachments).toEqual({ 't/shot.png': sha256('a screenshot') })
  })

  it('never sends bytes that have changed in the spool', async () => {
    await server.misbehave('answers 503')
    await bench.record([suiteWith('a.test.ts', [shot])], at())
    const [dir = ''] = await bench.listExecutions()
    await writeFile(path.join(dir, 'files/1'), 'A SCREENSHOT')
    await server.recover()
    const { line } = await bench.record([suiteWith('b.test.ts')], at())
    expect(line).toContain('1 run waits in the spool')
    expect(server.service.runs.map(({ attachments }) => attachments)).toEqual([{}, {}])
  })
})

describe('a spool in trouble', () => {
  it('that cannot be written is reported once, and the runs are sent from memory', async () => {
    await writeFile(path.join(bench.dir, 'blocked'), '')
    const spoolDir = path.join(bench.dir, 'blocked/spool')
    const suites = [suiteWith('a.test.ts', [shot]), suiteWith('b.test.ts')]
    expect(await bench.record(suites, at({ spoolDir }))).toMatchObject({ status: 'uploaded', runs: 2 })
    expect(bench.printed).toHaveLength(2)
    expect(bench.printed[1]).toMatch(
      /^Runledger: the spool folder .*blocked.spool cannot be used \(.*ENOTDIR.*RUNLEDGER_SPOOL_DIR/,
    )
    expect(server.service.runs[0]?.attachments).toEqual({ 't/shot.png': sha256('a screenshot') })
  })

  it('moves logs that cannot be read to quarantine, names them once, and sends the rest', async () => {
    await server.misbehave('answers 503')
    await bench.record([suiteWith('a.test.ts')], at())
    await server.recover()
    const strange = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
    for (const id of strange) await mkdir(path.join(bench.spoolDir, id), { recursive: true })
    await writeFile(path.join(bench.spoolDir, strange[0] as string, 'log.jsonl'), '{"kind":"exec')
    await writeFile(path.join(bench.spoolDir, strange[1] as string, 'log.jsonl'), '{"version": 7}\n')
    await writeFile(path.join(bench.spoolDir, 'notes.txt'), 'mine')
    const { line } = await bench.record([suiteWith('b.test.ts')], at())
    expect(bench.printed[1]).toContain('1 older run sent')
    expect(bench.printed.filter((printed) => printed.includes('quarantine')).sort()).toEqual([
      expect.stringMatching(/11111111.* quarantine .*: its log.jsonl is cut, or of another program/),
      expect.stringMatching(/22222222.* quarantine .*: its log.jsonl is cut, or of another program/),
    ])
    expect(line).toContain('quarantine')
    expect((await readdir(path.join(bench.spoolDir, 'quarantine'))).sort()).toEqual(strange)
    expect(await readFile(path.join(bench.spoolDir, 'notes.txt'), 'utf8')).toBe('mine')
    await bench.record([suiteWith('c.test.ts')], at())
    expect(bench.printed.at(-1)).not.toContain('quarantine')
  })
})
