import { createHash, createHmac } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { fingerprintText } from '@runledger/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answerWell } from '../../../test/support/scripted-service'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../../test/support/scripted-server'
import { createAttempt, createSuite, createTest, FACTS } from '../../../test/support/suites'
import type { Options } from './config/options'
import { createExecution, type ExecutionResult } from './execution'
import type { FrameworkEnd } from './model/framework-end'

const KEY = 'rl_station_secret_key'
const ERROR = { message: 'connect ECONNREFUSED ***' }
const HOUR_MS = 60 * 60 * 1000

const suite = () =>
  createSuite({
    outcome: 'failed',
    tests: [
      createTest(['dials'], {
        outcome: 'failed',
        // The key is masked in the record.
        attempts: [createAttempt({ status: 'failed', errors: [{ message: `connect ECONNREFUSED ${KEY}` }] })],
      }),
    ],
  })

function signList({ issuedAtMs = Date.now(), apiKey = KEY, live = true } = {}) {
  const entry = {
    id: 'q-1',
    project: null,
    file: 'src/math.test.ts',
    name: 'dials',
    fingerprint: createHash('sha256').update(fingerprintText(ERROR)).digest('hex'),
    ends_at: new Date(Date.now() + 24 * HOUR_MS).toISOString(),
  }
  const issued_at = new Date(issuedAtMs).toISOString()
  const list = JSON.stringify({ procedure_id: 'FVT1', issued_at, entries: live ? [entry] : [] })
  const key = createHash('sha256').update(apiKey).digest('base64url')
  return { list, signature: createHmac('sha256', key).update(list).digest('base64url') }
}

let folder: string
let server: ScriptedServer
let answerList: (response: ServerResponse) => void
let printed: string[]

const sendList =
  (signed: unknown = signList()) =>
  (response: ServerResponse) =>
    answerJson(response, 200, signed)

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-quarantine-'))
  printed = []
  answerList = sendList()
  server = await startScriptedServer((request, response, count) =>
    request.path.startsWith('/v2/quarantine/list')
      ? answerList(response)
      : answerWell(request, response, count),
  )
})

afterEach(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

const END: FrameworkEnd = { hasFailed: true, failedTests: 1, otherReasons: [], decides: true }

interface Given {
  options?: Options
  end?: FrameworkEnd
  env?: Record<string, string>
  /** The tests take a moment, in which the list comes. */
  testsTakeMs?: number
}

async function run({
  options = {},
  end = END,
  env = {},
  testsTakeMs = 0,
}: Given = {}): Promise<ExecutionResult> {
  printed = []
  const execution = createExecution(
    { ...FACTS, rootDir: folder },
    { url: server.url, apiKey: KEY, procedureId: 'FVT1', quarantine: true, ...options },
    { env: { XDG_STATE_HOME: path.join(folder, 'state'), ...env }, print: (text) => printed.push(text) },
  )
  execution.addSuite(suite())
  await new Promise((done) => setTimeout(done, testsTakeMs))
  return execution.finish(end)
}

const PASSES = 'Runledger: 1 failure is quarantined (dials), and nothing else failed\n'

const countLists = () =>
  server.requests.filter(({ path: where }) => where.startsWith('/v2/quarantine')).length

describe('the option quarantine', () => {
  it('excuses a failure that the service has in its list, and says so in one line', async () => {
    expect(await run()).toMatchObject({ status: 'uploaded', failedRuns: 1, isExcused: true })
    expect(printed).toContain(PASSES)
    const [request] = server.requests.filter(({ path: where }) => where.startsWith('/v2/quarantine'))
    expect(request?.path).toBe('/v2/quarantine/list?procedure_id=FVT1')
    expect(request?.headers.authorization).toBe(`Bearer ${KEY}`)
  })

  it('excuses nothing without it, or without what the framework says at its end, and asks nothing', async () => {
    expect(await run({ options: { quarantine: false } })).not.toHaveProperty('isExcused')
    expect(countLists()).toBe(0)
    expect(await readdir(path.join(folder, 'state/runledger'))).toEqual(['spool'])
    const execution = createExecution(
      { ...FACTS, rootDir: folder },
      { url: server.url, apiKey: KEY, procedureId: 'FVT1', quarantine: true },
      { env: { XDG_STATE_HOME: path.join(folder, 'state') }, print: () => undefined },
    )
    execution.addSuite(suite())
    expect(await execution.finish()).not.toHaveProperty('isExcused')
  })

  it('is set by RUNLEDGER_QUARANTINE, and fails for another reason of the framework', async () => {
    const options = { quarantine: undefined } as unknown as Options
    const env = { RUNLEDGER_QUARANTINE: '1' }
    expect(await run({ options, env })).toHaveProperty('isExcused', true)
    const end = { ...END, otherReasons: ['the coverage is too low'] }
    expect(await run({ options, env, end })).not.toHaveProperty('isExcused')
    expect(printed).toContain('Runledger: the execution fails: the coverage is too low\n')
  })

  it('waits only for a failed execution', async () => {
    answerList = () => undefined
    const startedAtMs = Date.now()
    await run({ end: { ...END, hasFailed: false, failedTests: 0 } })
    expect(Date.now() - startedAtMs).toBeLessThan(280)
    expect(printed.join('')).not.toContain('quarantine')
  })

  it('never excuses what failOnUploadError fails', async () => {
    await run()
    await server.stop()
    const result = await run({ options: { failOnUploadError: true, deadlineMs: 500 } })
    expect(result).not.toHaveProperty('isExcused')
    expect(printed).toContain(
      'Runledger: the execution fails: not everything was delivered (failOnUploadError)\n',
    )
  })

  it('works for procedures that a function names', async () => {
    expect(await run({ options: { procedureId: () => 'FVT1' } })).toHaveProperty('isExcused', true)
    expect(await run({ options: { procedureId: () => 'FVT2' } })).not.toHaveProperty('isExcused')
    expect(printed).toContain(
      'Runledger: the execution fails: the list of quarantined tests is that of another procedure\n',
    )
  })
})

describe('the last list', () => {
  const findFile = async () => {
    const lists = path.join(folder, 'state/runledger/quarantine')
    const [project = ''] = await readdir(lists)
    const [name = ''] = await readdir(path.join(lists, project))
    return path.join(lists, project, name)
  }

  it('counts while the service is down, for the user alone', async () => {
    await run()
    await server.stop()
    expect(await run()).toMatchObject({ status: 'failed', isExcused: true })
    expect(printed).toContain(PASSES)
    if (process.platform !== 'win32') expect((await stat(await findFile())).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['hangs', () => undefined],
    ['has trouble', (response: ServerResponse) => answerJson(response, 503, {})],
  ])('counts while the service %s, and is waited for 300 ms', async (_, trouble) => {
    await run()
    answerList = trouble
    const startedAtMs = Date.now()
    expect(await run()).toHaveProperty('isExcused', true)
    expect(Date.now() - startedAtMs).toBeLessThan(2_000)
  })

  it('does not count if the service sends a newer one, or refuses to', async () => {
    await run()
    answerList = sendList(signList({ live: false }))
    expect(await run({ testsTakeMs: 100 })).not.toHaveProperty('isExcused')
    expect(printed).toContain('Runledger: the execution fails: "dials" is not quarantined\n')
    answerList = sendList()
    await run()
    for (const [statusCode, body] of [
      [403, {}],
      [404, {}],
      [401, {}],
    ] as const) {
      answerList = (response) => answerJson(response, statusCode, body)
      expect(await run({ testsTakeMs: 100 })).not.toHaveProperty('isExcused')
      expect(printed.join('')).toContain('the execution fails: no list of quarantined tests: ')
    }
  })

  it.each([
    ['forged', sendList(signList({ apiKey: 'another' })), 'has a wrong signature'],
    ['stale', sendList(signList({ issuedAtMs: Date.now() - 25 * HOUR_MS })), 'is older than 24 hours'],
    [
      'unreadable',
      (response: ServerResponse) => void response.writeHead(200).end('{"list":'),
      'cannot be read',
    ],
  ])('is not replaced by one that is %s, which counts neither', async (_, send, problem) => {
    await run()
    const before = await readFile(await findFile(), 'utf8')
    answerList = send
    expect(await run({ testsTakeMs: 100 })).not.toHaveProperty('isExcused')
    expect(printed).toContain(`Runledger: the execution fails: the list of quarantined tests ${problem}\n`)
    expect(await readFile(await findFile(), 'utf8')).toBe(before)
  })

  it.each([
    ['stale', (kept: Kept) => ({ ...kept, signed: signList({ issuedAtMs: Date.now() - 25 * HOUR_MS }) })],
    ['forged', (kept: Kept) => ({ ...kept, signed: { ...kept.signed, signature: 'AAAA' } })],
    ['read by a clock that is far behind', (kept: Kept) => ({ ...kept, clock_lead_ms: -HOUR_MS })],
    ['unreadable', () => ({})],
  ])('does not count if it is %s', async (_, change) => {
    await run()
    await server.stop()
    const file = await findFile()
    await writeFile(file, JSON.stringify(change(JSON.parse(await readFile(file, 'utf8')) as Kept)))
    expect(await run()).not.toHaveProperty('isExcused')
    expect(printed.join('')).toMatch(/Runledger: the execution fails: .*list/)
  })

  it.skipIf(process.platform === 'win32')('does not count if others may have written it', async () => {
    await run()
    await server.stop()
    await chmod(await findFile(), 0o666)
    expect(await run()).not.toHaveProperty('isExcused')
    expect(printed.join('')).toContain('others may write to')
  })

  it('is older than 24 hours by the service’s clock, whatever this machine’s says', async () => {
    const aheadMs = 48 * HOUR_MS
    answerList = (response) => {
      response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString())
      sendList(signList({ issuedAtMs: Date.now() + aheadMs }))(response)
    }
    await run()
    // Its entry ends by that clock.
    expect(printed).toContain('Runledger: the execution fails: the quarantine of "dials" has ended\n')
    await server.stop()
    expect(await run()).not.toHaveProperty('isExcused')
    expect(printed).toContain('Runledger: the execution fails: the quarantine of "dials" has ended\n')
  })
})

interface Kept {
  signed: { list: string; signature: string }
  clock_lead_ms: number
}

describe('runledger run', () => {
  const end = { ...END, decides: undefined }

  it('is needed by a framework whose exit code a reporter cannot decide', async () => {
    expect(await run({ end })).not.toHaveProperty('isExcused')
    expect(printed).toContain(
      'Runledger: 1 failure is quarantined (dials), but only "runledger run -- COMMAND" lets the execution pass\n',
    )
  })

  it('finds each decision in its file', async () => {
    const file = path.join(folder, 'verdicts.jsonl')
    await writeFile(file, '', { mode: 0o600 })
    const env = { RUNLEDGER_VERDICT_FILE: file }
    expect(await run({ end, env })).toHaveProperty('isExcused', true)
    answerList = sendList(signList({ live: false }))
    expect(await run({ end, env, testsTakeMs: 100 })).not.toHaveProperty('isExcused')
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { is_excused: true, quarantined: ['dials'], reasons: [] },
      { is_excused: false, quarantined: [], reasons: ['"dials" is not quarantined'] },
    ])
  })

  it('does not count if its file is gone', async () => {
    const file = path.join(folder, 'gone.jsonl')
    expect(await run({ end, env: { RUNLEDGER_VERDICT_FILE: file } })).not.toHaveProperty('isExcused')
    expect(printed).toContain(`Runledger: RUNLEDGER_VERDICT_FILE is ignored: there is no file ${file}\n`)
  })
})
