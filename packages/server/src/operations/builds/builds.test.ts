import type { Build, IssuedKey, PutExecutionResponse } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAsk, createResponse, startTestServer, type TestServer } from '../../testing/start-test-server'

const HOUR = 3600
const STARTED = '2026-11-28T10:02:40Z'

let server: TestServer

beforeEach(async () => {
  server = await startTestServer()
})

afterEach(() => server.stop())

const ask = createAsk(() => server)
const get = createResponse(() => server)

type Variables = Record<string, string>

const BRANCH = { git_branch: 'feature', repository: 'https://example.com/shop' }

function shardOf(index: number, total = 4): Variables {
  return { framework: 'vitest', shard: `${index}/${total}`, shard_index: `${index}`, shard_total: `${total}` }
}

async function record(group: string, variables: Variables = {}, change: Record<string, unknown> = {}) {
  const report_variables = { group, ...BRANCH, ...variables }
  return (await server.createRun({ report_variables, ...change })).id ?? ''
}

function put(id: string, change: Record<string, unknown>): Promise<PutExecutionResponse> {
  const body = { procedure_id: server.procedureId, started_at: STARTED, git_branch: 'feature', ...change }
  return get('PUT', `/v2/executions/${id}`, body)
}

const buildOf = (group: string) => get<Build>('GET', `/v2/builds/${encodeURIComponent(group)}`)

const stateOf = async (group: string) => {
  const { state, missing } = await buildOf(group)
  return [state, ...missing]
}

const MISSING_SHARD = 'shard 3 of 4 has not reported'

describe('GET /v2/builds/{group}', () => {
  it('says what has become of a build', async () => {
    const facts = { git_commit: 'abc', ci_build_url: 'https://ci.example.com/7' }
    await record('nightly/7', { ...facts, ...shardOf(1, 2) })
    await record('nightly/7', { ...facts, ...shardOf(2, 2) }, { run_passed: false })
    expect(await buildOf('nightly/7')).toMatchObject({
      group: 'nightly/7',
      url: `${server.url}/runs?group=nightly%2F7`,
      state: 'failed',
      missing: [],
      branch: 'feature',
      commit: 'abc',
      ci_build_url: 'https://ci.example.com/7',
      runs: { total: 2, failed: 1 },
      shards: { reported: 2, expected: 2 },
      executions: { begun: 0, ended: 0 },
    })
  })

  it('names the default branch as the build does, else as another build of the procedure does', async () => {
    await record('before')
    expect((await buildOf('before')).default_branch).toBeNull()
    await record('own', { git_default_branch: 'trunk' })
    expect((await buildOf('own')).default_branch).toBe('trunk')
    await record('other', { git_default_branch: 'main' })
    expect((await buildOf('before')).default_branch).toBe('main')
    expect((await buildOf('own')).default_branch).toBe('trunk')
  })

  it('is running until every shard has reported, and incomplete after an hour without', async () => {
    for (const index of [1, 2, 4]) await record('ci-1', shardOf(index))
    expect(await stateOf('ci-1')).toEqual(['running', MISSING_SHARD])
    expect((await buildOf('ci-1')).shards).toEqual({ reported: 3, expected: 4 })
    server.advance(HOUR + 1)
    expect(await stateOf('ci-1')).toEqual(['incomplete', MISSING_SHARD])
    await record('ci-1', shardOf(3))
    expect(await stateOf('ci-1')).toEqual(['passed'])
  })

  it('is incomplete as soon as a later build of the branch has ended', async () => {
    await record('ci-1', shardOf(1, 2))
    await record('ci-0', { git_branch: 'other' })
    await record('ci-9', { repository: 'https://example.com/other' })
    expect(await stateOf('ci-1')).toEqual(['running', 'shard 2 of 2 has not reported'])
    await record('ci-2', shardOf(1, 2))
    expect((await stateOf('ci-1'))[0]).toBe('running')
    await record('ci-2', shardOf(2, 2))
    expect((await stateOf('ci-1'))[0]).toBe('incomplete')
    expect((await stateOf('ci-2'))[0]).toBe('passed')
  })

  it('is not overtaken by an earlier build whose last run came later', async () => {
    await record('ci-1')
    server.advance(5)
    await record('ci-2', shardOf(1, 2))
    await record('ci-1')
    expect((await stateOf('ci-2'))[0]).toBe('running')
  })

  it('is of no branch where that is an empty text', async () => {
    const sent = { git_branch: '', ci_build_url: '' }
    await record('ci-1', { ...sent, ...shardOf(1, 2) })
    server.advance(5)
    await record('ci-2', sent)
    expect(await buildOf('ci-1')).toMatchObject({ state: 'running', branch: null, ci_build_url: null })
  })

  it('is overtaken by a build that an execution without runs tells of', async () => {
    await put(randomUUID(), { group: 'ci-1', repository: 'r' })
    server.advance(5)
    await put(randomUUID(), { group: 'ci-2', repository: 'r', ended_at: STARTED })
    expect((await stateOf('ci-1'))[0]).toBe('incomplete')
  })

  it('answers 404 for a group of which nothing is on record', async () => {
    expect(await ask('GET', '/v2/builds/none')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  })
})

describe('PUT /v2/executions/{id}', () => {
  const FACTS = { framework: 'vitest', host: 'ci-7' }
  const UNENDED = 'an execution (vitest) that began 2026-11-28 10:02 UTC on ci-7 has not ended'

  it('lets a build run until its executions have ended, however its runs came', async () => {
    const id = randomUUID()
    expect(await put(id, { group: 'ci-1', ...FACTS })).toMatchObject({
      id,
      build: { group: 'ci-1', state: 'running', missing: [UNENDED] },
    })
    await record('ci-1')
    expect(await stateOf('ci-1')).toEqual(['running', UNENDED])
    expect(await put(id, { group: 'ci-1', ...FACTS, ended_at: STARTED })).toMatchObject({
      build: { state: 'passed', missing: [] },
    })
    expect((await buildOf('ci-1')).executions).toEqual({ begun: 1, ended: 1 })
  })

  it('makes a build incomplete whose execution never ends, by the clock of the service', async () => {
    await put(randomUUID(), { group: 'ci-1', ...FACTS, started_at: '1999-01-01T00:00:00Z' })
    expect((await stateOf('ci-1'))[0]).toBe('running')
    server.advance(HOUR + 1)
    expect((await stateOf('ci-1'))[0]).toBe('incomplete')
  })

  it('changes nothing when it is sent again, and an end that came first stays', async () => {
    const id = randomUUID()
    await put(id, { group: 'ci-1', ended_at: STARTED })
    await put(id.toUpperCase(), { group: 'ci-1' })
    expect(await buildOf('ci-1')).toMatchObject({ executions: { begun: 1, ended: 1 } })
  })

  it('is incomplete where all executions have ended without a run', async () => {
    await put(randomUUID(), { group: 'ci-1', ended_at: STARTED })
    expect(await stateOf('ci-1')).toEqual(['incomplete', 'no run is on record'])
    await record('ci-1')
    expect(await stateOf('ci-1')).toEqual(['passed'])
  })

  it('tells of runs that are not on record until they are', async () => {
    const id = randomUUID()
    await put(id, { group: 'ci-1', ...FACTS, ended_at: STARTED, missing_runs: 2 })
    expect(await stateOf('ci-1')).toEqual([
      'incomplete',
      '2 runs of an execution (vitest) that began 2026-11-28 10:02 UTC on ci-7 are not on record',
    ])
    await record('ci-1')
    await put(id, { group: 'ci-1', ...FACTS, ended_at: STARTED })
    expect(await stateOf('ci-1')).toEqual(['passed'])
  })

  it('counts a shard without tests as one that has reported', async () => {
    for (const index of [1, 2, 4]) await record('ci-1', shardOf(index))
    await put(randomUUID(), {
      group: 'ci-1',
      ...FACTS,
      shard_index: 3,
      shard_total: 4,
      ended_at: STARTED,
    })
    expect(await buildOf('ci-1')).toMatchObject({ state: 'passed', shards: { reported: 4, expected: 4 } })
  })

  it('lets a rerun of a job take the place of one that died', async () => {
    const job = { group: 'ci-1', ...FACTS, ci_job: 'test', environment: 'linux node 22' }
    await put(randomUUID(), job)
    await put(randomUUID(), { ...job, ci_attempt: 1, ended_at: STARTED })
    await record('ci-1')
    expect(await stateOf('ci-1')).toEqual(['passed'])
  })

  it('refuses what is no UUID, and an execution of another procedure or group', async () => {
    const body = { procedure_id: server.procedureId, started_at: STARTED, group: 'ci-1' }
    expect(await ask('PUT', '/v2/executions/seven', body)).toMatchObject({ status: 400 })
    const id = randomUUID()
    await put(id, { group: 'ci-1' })
    expect(await ask('PUT', `/v2/executions/${id}`, { ...body, group: 'ci-2' })).toMatchObject({
      status: 409,
    })
    const { id: other } = await get<{ id: string }>('POST', '/v2/procedures', {
      name: 'Other',
      identifier: 'OTHER',
    })
    expect(await ask('PUT', `/v2/executions/${id}`, { ...body, procedure_id: other })).toMatchObject({
      status: 409,
    })
  })

  it('is for stations only where the procedure is linked', async () => {
    const station = await get<{ id: string }>('POST', '/v2/stations', { name: 'CI' })
    const wanted = { kind: 'station', name: 'ci', station_id: station.id }
    const { key } = await get<IssuedKey>('POST', '/v2/keys', wanted)
    const send = async () => {
      const body = { procedure_id: server.procedureId, started_at: STARTED, group: 'ci-1' }
      const headers = { authorization: `Bearer ${key}` }
      return (await server.send('PUT', `/v2/executions/${randomUUID()}`, body, headers)).status
    }
    expect(await send()).toBe(403)
    await get('PUT', `/v2/stations/${station.id}/procedures/${server.procedureId}`)
    expect(await send()).toBe(200)
  })
})
