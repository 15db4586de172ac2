import { type BuildSummary, type PutExecutionInput, PutExecutionRequestSchema } from '@runledger/protocol'
import os from 'node:os'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { RecordingService } from '../../../../test/support/recording-service'
import {
  answerJson,
  type ReceivedRequest,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../../../../test/support/scripted-server'
import { KEY, type SpoolBench, suiteWith, useSpoolBench } from '../../../../test/support/spool-execution'
import { SpoolFolder } from '../spool/spool-folder'
import { uploadSpool } from './upload-spool'

const CI = {
  GITHUB_ACTIONS: 'true',
  CI: 'true',
  GITHUB_REPOSITORY: 'shop/web',
  GITHUB_RUN_ID: '77',
  GITHUB_RUN_ATTEMPT: '2',
  GITHUB_JOB: 'test',
  GITHUB_REF: 'refs/heads/feature',
  GITHUB_SHA: 'abc123',
  GITHUB_SERVER_URL: 'https://github.com',
}

let bench: SpoolBench
let server: ScriptedServer
let service: RecordingService

useSpoolBench((fresh) => void ({ bench } = fresh))
afterEach(() => server.stop())

const isNotice = ({ path }: ReceivedRequest): boolean => path.startsWith('/v2/executions/')

/** A service that answers what it is told of executions in its own way. */
async function start(answer: Script, answerOthers?: Script): Promise<void> {
  service = new RecordingService()
  server = await startScriptedServer((request, response, count) => {
    if (isNotice(request)) answer(request, response, count)
    else if (answerOthers) answerOthers(request, response, count)
    else service.answer(request, response)
  })
}

const BUILD: BuildSummary = {
  group: 'g',
  url: 'http://x.test/runs?group=g',
  state: 'running',
  missing: ['shard 2 of 4 has not reported'],
}

const knowing: Script = (_, response) => answerJson(response, 200, { id: 'e', build: BUILD })
const unknowing: Script = (_, response) => answerJson(response, 404, { message: 'no route' })

const open = (env: NodeJS.ProcessEnv = CI, over = {}) =>
  bench.open({ url: server.url, maxRetries: 0, ...over }, { shard: '3/4' }, env)

async function record(env: NodeJS.ProcessEnv = CI, over = {}) {
  const execution = open(env, over)
  execution.addSuite(suiteWith('a.test.ts'))
  await execution.settled()
  return execution.finish()
}

const listNotices = () =>
  server.requests.filter(isNotice).map(({ path, body }) => ({
    id: path.split('/').at(-1) ?? '',
    body: JSON.parse(String(body)) as PutExecutionInput,
  }))

describe('an execution of a CI', () => {
  it('reports its start before its first test ends, and its end when its runs are on record', async () => {
    await start(knowing)
    const execution = open()
    await vi.waitFor(() => expect(listNotices()).toHaveLength(1), 10_000)
    expect(listNotices()[0]?.body).toEqual({
      procedure_id: 'FVT1',
      group: expect.stringMatching(/^ci-[0-9a-f]{24}$/) as string,
      started_at: expect.any(String) as string,
      framework: 'vitest',
      host: os.hostname(),
      shard_index: 3,
      shard_total: 4,
      environment: `${os.platform()} node ${process.versions.node.split('.', 1)[0]}`,
      ci_job: 'test',
      ci_attempt: 1,
      ci_build_url: 'https://github.com/shop/web/actions/runs/77',
      git_branch: 'feature',
      git_commit: 'abc123',
      repository: 'https://github.com/shop/web',
    })
    execution.addSuite(suiteWith('a.test.ts'))
    await execution.finish()
    const [begun, ended] = listNotices()
    expect(listNotices()).toHaveLength(2)
    expect(ended).toMatchObject({ id: begun?.id, body: { ...begun?.body, missing_runs: 0 } })
    expect(ended?.body.ended_at).toBeTypeOf('string')
    expect(service.runs[0]?.body.report_variables['group']).toBe(begun?.body.group)
    expect(server.requests.map(({ path }) => path).indexOf('/v1/runs/create')).toBeLessThan(
      server.requests.findLastIndex(isNotice),
    )
  })

  it('sends what the service takes, however long its facts are', async () => {
    await start(knowing)
    const long = `${'x'.repeat(300)}\0`
    const server_url = `https://${'y'.repeat(2_500)}.example`
    await record(
      { ...CI, GITHUB_REF: `refs/heads/${long}`, GITHUB_JOB: long, GITHUB_SERVER_URL: server_url },
      { group: long },
    )
    const [begun] = listNotices()
    expect(PutExecutionRequestSchema.safeParse(begun?.body).error).toBeUndefined()
    expect(begun?.body.group).toHaveLength(255)
    expect(service.runs[0]?.body.report_variables['group']).toBe(begun?.body.group)
    expect(begun?.body).not.toHaveProperty('ci_build_url')
  })

  it('says what is missing of its build', async () => {
    await start(knowing)
    await record()
    expect(bench.printed.join('')).toContain('Runledger: build running: shard 2 of 4 has not reported\n')
  })

  it('reports a shard without tests', async () => {
    await start(knowing)
    expect(await open().finish()).toMatchObject({ status: 'skipped' })
    expect(listNotices().at(-1)?.body).toMatchObject({ shard_index: 3, missing_runs: 0 })
    expect(listNotices().at(-1)?.body.ended_at).toBeTypeOf('string')
  })

  it('asks a service that does not know it once, and prints nothing of it', async () => {
    await start(unknowing)
    const execution = open()
    await vi.waitFor(() => expect(listNotices()).toHaveLength(1), 10_000)
    execution.addSuite(suiteWith('a.test.ts'))
    expect(await execution.finish()).toMatchObject({ status: 'uploaded' })
    expect(listNotices()).toHaveLength(1)
    expect(bench.printed.join('')).not.toMatch(/\b404\b|build|executions/)
  })

  it('is not held by a service that never answers', async () => {
    await start(() => undefined)
    const startedAtMs = Date.now()
    expect(await record()).toMatchObject({ status: 'uploaded' })
    expect(Date.now() - startedAtMs).toBeLessThan(8_000)
  })

  it.each([405, 501])('does not wait for a service that answers %i', async (statusCode) => {
    await start((_, response) => answerJson(response, statusCode, { message: 'no' }))
    const execution = open(CI, { maxRetries: 4 })
    await vi.waitFor(() => expect(listNotices()).toHaveLength(1), 10_000)
    execution.addSuite(suiteWith('a.test.ts'))
    await execution.settled()
    const startedAtMs = Date.now()
    expect(await execution.finish()).toMatchObject({ status: 'uploaded' })
    expect(Date.now() - startedAtMs).toBeLessThan(1_000)
    expect(listNotices()).toHaveLength(1)
  })

  it('is over at its deadline when the service does not answer its end', async () => {
    await start(() => undefined)
    const startedAtMs = Date.now()
    expect(await record(CI, { deadlineMs: 700 })).toMatchObject({ status: 'uploaded' })
    expect(Date.now() - startedAtMs).toBeLessThan(5_000)
  })

  it('keeps saying that runs which could not be made are missing, when the others are sent later', async () => {
    let isAway = true
    await start(knowing, (request, response) => {
      if (isAway && request.path.startsWith('/v1/runs/')) answerJson(response, 400, { message: 'no' })
      else service.answer(request, response)
    })
    const unitUnderTest = ({ file }: { file: string }) => {
      if (file === 'b.test.ts') throw new Error('no unit')
      return { serialNumber: 'SN-1' }
    }
    const execution = open(CI, { unitUnderTest })
    for (const file of ['a.test.ts', 'b.test.ts']) execution.addSuite(suiteWith(file))
    await execution.settled()
    await execution.finish()
    isAway = false
    const found = { spool: new SpoolFolder(bench.spoolDir), projectRoot: bench.dir }
    await uploadSpool(found, { options: {}, env: { RUNLEDGER_URL: server.url, RUNLEDGER_API_KEY: KEY } })
    expect(listNotices().at(-1)?.body).toMatchObject({ missing_runs: 1 })
  })

  it('says how many runs are not on record, and that they are once they are sent', async () => {
    let isTaken = false
    await start(knowing, (request, response) => {
      const isRefused = request.path.startsWith('/v1/runs/') && String(request.body).includes('b.test.ts')
      if (isRefused && !isTaken) answerJson(response, 400, { message: 'no' })
      else service.answer(request, response)
    })
    const execution = open()
    for (const file of ['a.test.ts', 'b.test.ts']) execution.addSuite(suiteWith(file))
    await execution.settled()
    await execution.finish()
    expect(listNotices().at(-1)?.body.missing_runs).toBe(1)
    isTaken = true
    const found = { spool: new SpoolFolder(bench.spoolDir), projectRoot: bench.dir }
    await uploadSpool(found, { options: {}, env: { RUNLEDGER_URL: server.url, RUNLEDGER_API_KEY: KEY } })
    expect(listNotices().at(-1)).toMatchObject({ id: listNotices()[0]?.id, body: { missing_runs: 0 } })
    expect(service.runs).toHaveLength(2)
  })
})

describe('an execution is not reported', () => {
  it.each([
    ['outside of a CI', {}, {}],
    ['without a key', CI, { apiKey: '' }],
    ['that is not recorded', CI, { disabled: true }],
    ['whose procedure depends on the suite', CI, { procedureId: () => 'FVT1' }],
  ])('%s', async (_, env, over) => {
    await start(knowing)
    await record(env, over)
    expect(listNotices()).toEqual([])
  })
})
