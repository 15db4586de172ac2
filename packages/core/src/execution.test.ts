import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  answerJson,
  startScriptedServer,
  type Script,
  type ScriptedServer,
} from '../../../test/support/scripted-server'
import { createAttempt, createSuite, createTest, FACTS, SAID } from '../../../test/support/suites'
import { createExecution, type ExecutionResult } from './execution'
import type { Options } from './config/options'
import type { Suite } from './model/suite'

let folder: string
let server: ScriptedServer | undefined
let printed = ''

beforeEach(async () => {
  printed = ''
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-execution-'))
})

afterEach(async () => {
  await server?.stop()
  server = undefined
  await rm(folder, { recursive: true, force: true })
})

/** A service of the interface's shape, which can be told to misbehave first. */
const wellBehaved: Script = (request, response) => {
  const base = `http://${request.headers.host}`
  if (request.path.endsWith('/v2/attachments'))
    return answerJson(response, 200, { id: 'a-1', upload_url: `${base}/put?sig=secret` })
  if (request.method === 'PUT') return void response.writeHead(200).end()
  if (request.method === 'PATCH') return answerJson(response, 200, { id: 'run-1' })
  return answerJson(response, 200, { url: `${base}/runs/run-1`, group_url: `${base}/runs?group=g` })
}

async function finish(
  suites: Suite[],
  options: Options = {},
  env: Record<string, string> = {},
): Promise<ExecutionResult> {
  const spoolDir = path.join(folder, 'spool')
  const execution = createExecution(
    { ...FACTS, rootDir: folder },
    { url: server?.url, apiKey: 'rl_user_key', procedureId: 'FVT1', spoolDir, ...options } as Options,
    { env, print: (text) => (printed += text) },
  )
  for (const suite of suites) execution.addSuite(suite)
  return execution.finish()
}

const passed = createSuite({ tests: [createTest(['adds'])], output: [SAID] })
const failed = createSuite({
  file: 'b.test.ts',
  outcome: 'failed',
  tests: [createTest(['x'], { outcome: 'failed' })],
})

describe('finish', () => {
  it('creates, uploads and links, and prints one line with the link', async () => {
    server = await startScriptedServer(wellBehaved)
    expect(await finish([passed])).toEqual({
      status: 'uploaded',
      runs: 1,
      failedRuns: 0,
      url: `${server.url}/runs/run-1`,
      notUploaded: [],
    })
    expect(server.requests.map(({ method, path: where }) => `${method} ${where}`)).toEqual([
      'POST /v1/runs/create',
      'POST /v2/attachments',
      'PUT /put?sig=secret',
      'PATCH /v2/runs/run-1',
    ])
    expect(server.requests[2]?.headers).not.toHaveProperty('authorization')
    expect(server.requests[2]?.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(JSON.parse(String(server.requests[3]?.body))).toEqual({ attachments: ['a-1'] })
    expect(printed).toBe(`Runledger: 1 run on record, passed: ${server.url}/runs/run-1\n`)
  })

  it('links to the group when there are several runs', async () => {
    server = await startScriptedServer(wellBehaved)
    expect(await finish([passed, failed], { logs: false })).toMatchObject({ runs: 2, failedRuns: 1 })
    expect(printed).toBe(`Runledger: 2 runs on record, 1 passed, 1 failed: ${server.url}/runs?group=g\n`)
  })

  it('uses the paths of services that differ', async () => {
    server = await startScriptedServer(wellBehaved)
    await finish([passed], {
      url: `${server.url}/api/`,
      createPath: '/v1/runs',
      updatePath: '/v3/run/{id}/patch',
    })
    const paths = server.requests.map(({ path: where }) => where)
    expect(paths[0]).toBe('/api/v1/runs')
    expect(paths.at(-1)).toBe('/api/v3/run/run-1/patch')
  })

  it('retries a creation under the same idempotency key', async () => {
    let creations = 0
    server = await startScriptedServer((request, response, count) => {
      if (request.method === 'POST') creations += 1
      if (creations === 1 && request.method === 'POST') return void response.destroy()
      if (creations === 2) return void response.writeHead(503, { 'retry-after': '0' }).end()
      return wellBehaved(request, response, count)
    })
    expect((await finish([passed], { logs: false })).status).toBe('uploaded')
    const sent = server.requests.filter(({ method }) => method === 'POST')
    const keys = sent.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('gives every run a key of its own', async () => {
    server = await startScriptedServer(wellBehaved)
    await finish([passed, failed], { logs: false })
    expect(new Set(server.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(2)
  })

  it('streams files, and sends them again from the start when a try fails', async () => {
    const file = path.join(folder, 'video.webm')
    await writeFile(file, Buffer.alloc(3_000_000, 'v'))
    const suite = createSuite({
      tests: [
        createTest(['t'], { attempts: [createAttempt({ attachments: [{ name: 'video', path: file }] })] }),
      ],
    })
    let puts = 0
    server = await startScriptedServer((request, response, count) => {
      if (request.method === 'PUT' && (puts += 1) === 1) return void response.writeHead(500).end()
      return wellBehaved(request, response, count)
    })
    expect(await finish([suite], { logs: false })).toMatchObject({ status: 'uploaded', notUploaded: [] })
    const sizes = server.requests.filter(({ method }) => method === 'PUT').map(({ body }) => body.length)
    expect(sizes).toEqual([3_000_000, 3_000_000])
  })

  it('lets one failed attachment spare the others and the run', async () => {
    const shot = (name: string) => ({ name, bytes: new Uint8Array([1]), contentType: 'image/png' })
    const suite = createSuite({
      tests: [createTest(['t'], { attempts: [createAttempt({ attachments: [shot('good'), shot('bad')] })] })],
    })
    server = await startScriptedServer((request, response, count) => {
      if (request.path === '/v2/attachments' && String(request.body).includes('bad'))
        return answerJson(response, 413, { message: 'too large', code: 'PAYLOAD_TOO_LARGE', issues: [] })
      return wellBehaved(request, response, count)
    })
    const result = await finish([suite], { logs: false })
    expect(result).toMatchObject({ status: 'uploaded', runs: 1 })
    expect(result).toHaveProperty('notUploaded', [expect.stringContaining('attachment "t/bad.png"')])
    expect(printed).toContain('not sent: attachment "t/bad.png"')
    expect(printed).toContain('too large')
  })

  it.each([
    [401, { message: 'Invalid API key.' }, 'apiKey (RUNLEDGER_API_KEY)'],
    [404, { message: 'No procedure was found with identifier FVT1' }, 'procedureId (RUNLEDGER_PROCEDURE_ID)'],
    [404, { message: 'Not found' }, 'url (RUNLEDGER_URL)'],
  ])('explains a %i and does not repeat it', async (statusCode, body, advice) => {
    server = await startScriptedServer((_, response) => answerJson(response, statusCode, body))
    expect(await finish([passed])).toMatchObject({ status: 'failed', failOnUploadError: false })
    expect(server.requests).toHaveLength(1)
    expect(printed).toContain(body.message.replace(/\.$/, ''))
    expect(printed).toContain(`; check ${advice}`)
    expect(printed.trim().split('\n')).toHaveLength(1)
    expect(printed).not.toContain('rl_user_key')
  })

  it('ends at the deadline when the service never answers', async () => {
    server = await startScriptedServer(() => undefined)
    const startedAtMs = Date.now()
    expect(await finish([passed], { deadlineMs: 400 })).toMatchObject({ status: 'failed' })
    expect(Date.now() - startedAtMs).toBeLessThan(2000)
    expect(printed).toContain('the deadline was reached')
  })

  it('says what to check when no service listens', async () => {
    expect(
      await finish([passed], { url: 'http://127.0.0.1:9', maxRetries: 0, failOnUploadError: true }),
    ).toMatchObject({
      status: 'failed',
      failOnUploadError: true,
    })
    expect(printed).toContain('url (RUNLEDGER_URL)')
  })

  it.each<[string, object, string]>([
    ['no key is found', { apiKey: undefined }, '1 of 1 runs not sent: no API key'],
    ['another option cannot be used', { runPer: 'day' }, 'option runPer (RUNLEDGER_RUN_PER)'],
  ])('fails the build on request where %s', async (_, options, words) => {
    const wanted = { status: 'failed', failOnUploadError: true }
    expect(await finish([passed], { ...options, failOnUploadError: true })).toMatchObject(wanted)
    expect(printed).toContain(words)
    expect(await finish([passed], options)).not.toMatchObject({ failOnUploadError: true })
  })

  it('keeps what it has no way to send, and says so in its one line', async () => {
    const caFile = path.join(folder, 'none.pem')
    const result = await finish([passed], { url: 'https://127.0.0.1:9', caFile, failOnUploadError: true })
    expect(result).toMatchObject({
      status: 'failed',
      failOnUploadError: true,
      savedTo: expect.stringContaining(folder),
    })
    expect(printed).toMatch(
      /^Runledger: 1 of 1 runs not sent: option caFile \(RUNLEDGER_CA_FILE\) .* PEM file; 1 run waits in the spool: .*\n$/,
    )
  })

  it('says in one line that there is no key, and that the run waits', async () => {
    expect(await finish([passed], { apiKey: undefined, url: undefined } as unknown as Options)).toMatchObject(
      { status: 'failed', failOnUploadError: false, savedTo: expect.stringContaining(folder) as unknown },
    )
    expect(printed).toMatch(
      /^Runledger: 1 of 1 runs not sent: no API key.*RUNLEDGER_API_KEY.*; 1 run waits in the spool: .*\n$/,
    )
  })

  it('records nothing without a key for a pull request from a fork, and says so', async () => {
    const env = { SYSTEM_PULLREQUEST_ISFORK: 'True' }
    const keyless = { apiKey: undefined, url: undefined } as unknown as Options
    const reason = 'pull requests from forks have no key: nothing is recorded'
    expect(await finish([passed], keyless, env)).toEqual({ status: 'skipped', reason })
    expect(printed).toBe(`Runledger: ${reason}\n`)
    expect(await finish([passed], {}, env)).not.toMatchObject({ status: 'skipped' })
  })

  it('is silent when disabled, and when no test ran', async () => {
    expect(await finish([passed], { disabled: true })).toEqual({ status: 'skipped', reason: 'disabled' })
    expect(await finish([createSuite()], { url: 'http://127.0.0.1:9' })).toEqual({
      status: 'skipped',
      reason: 'no test ran',
    })
    expect(printed).toBe('')
  })

  it('reports an option that cannot be worked out instead of throwing', async () => {
    const procedureId = () => {
      throw new Error('no such bench')
    }
    expect(await finish([passed], { url: 'http://127.0.0.1:9', procedureId })).toMatchObject({
      status: 'failed',
    })
    expect(printed).toContain('option procedureId could not be worked out: no such bench')
  })

  it('makes a run of its own for problems of the execution', async () => {
    server = await startScriptedServer(wellBehaved)
    const execution = createExecution(
      { ...FACTS, rootDir: folder },
      {
        url: server.url,
        apiKey: 'k',
        procedureId: 'FVT1',
        logs: false,
        spoolDir: path.join(folder, 'spool'),
      },
      { env: {}, print: () => undefined },
    )
    execution.addProblem({ name: 'Global set-up', errors: [{ message: 'no database' }] })
    expect(await execution.finish()).toMatchObject({ runs: 1, failedRuns: 1 })
    expect(JSON.parse(String(server.requests[0]?.body))).toMatchObject({
      run_passed: false,
      steps: [{ name: 'Global set-up', step_passed: false }],
      report_variables: { file: '(execution)', tests_passed: '0' },
    })
  })
})

it('takes the owners of tests from CODEOWNERS', async () => {
  const as = ['-c', 'user.name=t', '-c', 'user.email=t@t.example']
  execFileSync('git', ['init', '-q'], { cwd: folder })
  execFileSync('git', [...as, 'commit', '-q', '--allow-empty', '-m', 'first'], { cwd: folder })
  await writeFile(path.join(folder, 'CODEOWNERS'), '*.test.ts @team')
  server = await startScriptedServer(wellBehaved)
  const suite = createSuite({ tests: [createTest(['adds'])] })
  await finish([suite])
  expect(suite.tests).toMatchObject([{ titles: ['adds'], owner: '@team' }])
})
