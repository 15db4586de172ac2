import type { BuildListItem, Page, TestPage } from '@runledger/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  countBuildsOfModel,
  countListedBuilds,
  countListedTests,
  countTestsOfModel,
  HistoryModel,
} from '../../testing/history-model'
import { createResponse, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer

beforeEach(async () => {
  server = await startTestServer()
})

afterEach(() => server.stop())

const get = createResponse(() => server)

/** Numbers from 0 to 1 that are the same each time (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

async function change(model: HistoryModel, chance: number): Promise<void> {
  const { runs } = model
  if (chance < 0.7 || runs.length === 0) {
    const { run, request } = model.draw()
    const { id = '' } = await server.createRun(request)
    runs.push({ ...run, id })
    return
  }
  const run = model.pick(runs)
  if (chance < 0.85) {
    model.keep((one) => one !== run)
    await get('DELETE', `/v2/runs?ids=${run.id}`)
    return
  }
  run.branch = model.pickBranch()
  await get('PATCH', `/v2/runs/${run.id}/metadata`, { metadata: { git_branch: run.branch || null } })
}

async function listCounts(branch?: string) {
  const asked = new URLSearchParams({ days: '60', limit: '100', ...(branch === undefined ? {} : { branch }) })
  return countListedTests((await get<TestPage>('GET', `/v2/tests?${asked}`)).data)
}

it('count each test as a recount of its results does, after creations, deletions and changes of branch', async () => {
  const random = createRandom(47)
  const model = new HistoryModel(random)
  for (let count = 0; count < 120; count += 1) await change(model, random())
  for (const branch of [undefined, 'main', 'feature'])
    expect(await listCounts(branch)).toEqual(countTestsOfModel(model.runs, branch))
  const { data: builds } = await get<Page<BuildListItem>>('GET', '/v2/builds?limit=100')
  expect(countListedBuilds(builds)).toEqual(countBuildsOfModel(model.runs))
  for (const { id } of model.runs) await get('DELETE', `/v2/runs?ids=${id}`)
  expect(await listCounts()).toEqual({})
  expect((await get<Page<BuildListItem>>('GET', '/v2/builds')).data).toEqual([])
})
