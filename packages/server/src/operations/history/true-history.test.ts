import type { SearchResult, TestDetail, TestPage } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createAsk, createResponse, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer

beforeEach(async () => {
  server = await startTestServer()
})

afterEach(() => server.stop())

const get = createResponse(() => server)
const ask = createAsk(() => server)

interface Recorded {
  group: string
  branch?: string
  file?: string
  name?: string
  outcome?: 'passed' | 'failed' | 'flaky'
  days?: number
  procedure?: string
  variables?: Record<string, string>
  step?: Record<string, unknown>
}

/** Records a run of a minute with one test. */
async function record(run: Recorded): Promise<string> {
  const { outcome = 'passed', branch = 'main', file = 'a.test.ts', name = 'adds', days = 0 } = run
  const started_at = new Date(Date.now() - days * 86_400_000).toISOString()
  const half = { started_at, duration: 'PT0.001S' }
  const { id = '' } = await server.createRun({
    ...(run.procedure ? { procedure_id: run.procedure } : {}),
    started_at,
    duration: 'PT60S',
    run_passed: outcome !== 'failed',
    report_variables: { group: run.group, git_branch: branch, file, ...run.variables },
    steps: [
      {
        name,
        kind: 'test',
        step_passed: outcome !== 'failed',
        started_at,
        duration: 'PT0.1S',
        ...(outcome === 'failed' ? { error: { message: 'no' } } : {}),
        ...(outcome === 'flaky'
          ? {
              attempts: [
                { ...half, outcome: 'FAIL', errors: [{ message: 'late' }] },
                { ...half, outcome: 'PASS' },
              ],
            }
          : {}),
        ...run.step,
      },
    ],
  })
  return id
}

const listTests = (query = '') => get<TestPage>('GET', `/v2/tests?days=60&limit=100${query}`)
const searchFor = async (text: string) =>
  (await get<SearchResult>('GET', `/v2/search?query=${text}`)).data.map(
    ({ kind, title }) => `${kind} ${title}`,
  )

async function createProcedure(name: string): Promise<string> {
  const { id } = await get<{ id: string }>('POST', '/v2/procedures', { name })
  return id
}

async function findTest(name: string): Promise<string> {
  const { data } = await listTests(`&search_query=${name}`)
  return data.find((test) => test.name === name)?.id ?? ''
}

it('counts a renamed test alike with a filter and without, and since its first name', async () => {
  await record({ group: 'ci-1', file: 'old.test.ts', days: 3 })
  await record({ group: 'ci-2', file: 'new.test.ts' })
  const all = (await listTests()).data
  const [later, earlier] = ['new.test.ts', 'old.test.ts'].map(
    (f) => all.find(({ file }) => file === f)?.id ?? '',
  )
  await get('POST', `/v2/tests/${later}/aliases`, { test_id: earlier })
  const [test] = (await listTests()).data
  expect(test?.results).toBe(2)
  expect((await listTests('&files=new.test.ts')).data.map(({ results }) => results)).toEqual([2])
  expect((await listTests('&files=old.test.ts')).data).toEqual([])
  const detail = await get<TestDetail>('GET', `/v2/tests/${later}`)
  expect(Date.parse(test?.first_seen_at ?? '')).toBeLessThan(Date.now() - 2 * 86_400_000)
  expect(detail.first_seen_at).toBe(test?.first_seen_at)
})

it('lists the tests that are new since a time, and no renamed one', async () => {
  await record({ group: 'ci-1', file: 'old.test.ts', days: 3 })
  await record({ group: 'ci-2', file: 'new.test.ts' })
  const listNew = async (daysAgo: number) => {
    const since = new Date(Date.now() - daysAgo * 86_400_000).toISOString()
    return (await listTests(`&first_seen_since=${since}`)).data.map(({ file }) => file)
  }
  expect(await listNew(1)).toEqual(['new.test.ts'])
  expect((await listNew(4)).toSorted()).toEqual(['new.test.ts', 'old.test.ts'])
  const all = (await listTests()).data
  const [later, earlier] = ['new.test.ts', 'old.test.ts'].map(
    (f) => all.find(({ file }) => file === f)?.id ?? '',
  )
  await get('POST', `/v2/tests/${later}/aliases`, { test_id: earlier })
  expect(await listNew(1)).toEqual([])
  expect(await listNew(4)).toEqual(['new.test.ts'])
})

it('leaves builds of other branches out of the cost on a branch', async () => {
  await record({ group: 'ci-1', outcome: 'flaky' })
  await record({ group: 'ci-2', outcome: 'failed' })
  await record({ group: 'ci-3', outcome: 'failed', branch: 'feature' })
  expect((await listTests()).data[0]?.cost_minutes).toBe(2)
  expect((await listTests('&branch=main')).data[0]?.cost_minutes).toBe(1)
})

it('refuses to make tests of two procedures one', async () => {
  const other = await createProcedure('Other')
  await record({ group: 'ci-1', name: 'own' })
  await record({ group: 'ci-2', name: 'foreign', procedure: other })
  const [own, foreign] = [await findTest('own'), await findTest('foreign')]
  const { status } = await ask('POST', `/v2/tests/${foreign}/aliases`, { test_id: own })
  expect(status).toBe(409)
})

it('deletes the builds of executions with their procedure', async () => {
  const other = await createProcedure('Other')
  const sent = { procedure_id: other, group: 'secret-build', started_at: new Date().toISOString() }
  const put = await ask('PUT', `/v2/executions/${randomUUID()}`, sent)
  expect(put.status).toBe(200)
  expect(await searchFor('secret')).toEqual(['build secret-build'])
  await get('DELETE', `/v2/procedures/${other}`)
  expect(await searchFor('secret')).toEqual([])
})

it('finds nothing of deleted runs', async () => {
  await record({ group: 'keep', name: 'adds', step: { owner: 'team-pay' } })
  const id = await record({ group: 'gone', name: 'secretproject', step: { owner: 'secretperson' } })
  expect((await searchFor('secret')).sort()).toEqual(['owner secretperson', 'test secretproject'])
  await get('DELETE', `/v2/runs?ids=${id}`)
  expect(await searchFor('secret')).toEqual([])
})

it('forgets what only deleted runs said of a build', async () => {
  const id = await record({ group: 'ci-1', variables: { git_author: 'Secret Person' } })
  await record({ group: 'ci-1' })
  await get('DELETE', `/v2/runs?ids=${id}`)
  expect(await searchFor('secret')).toEqual([])
})

it('does not list a build for a procedure whose runs are all deleted', async () => {
  const other = await createProcedure('Other')
  await record({ group: 'ci-1' })
  const id = await record({ group: 'ci-1', procedure: other })
  await get('DELETE', `/v2/runs?ids=${id}`)
  expect((await get<{ data: unknown[] }>('GET', `/v2/builds?procedure_ids=${other}`)).data).toEqual([])
})

it('finds no test of a run that left its build', async () => {
  const id = await record({ group: 'ci-1', name: 'secretproject' })
  await get('PATCH', `/v2/runs/${id}/metadata`, { metadata: { group: null, git_branch: null } })
  expect(await searchFor('secret')).toEqual([])
})

it('follows a run whose branch is corrected, though other builds are of the old one', async () => {
  await record({ group: 'ci-1' })
  const id = await record({ group: 'ci-2' })
  await get('PATCH', `/v2/runs/${id}/metadata`, { metadata: { git_branch: 'feature' } })
  const listGroups = async (branch: string) =>
    (await get<{ data: { group: string }[] }>('GET', `/v2/builds?branches=${branch}`)).data.map(
      ({ group }) => group,
    )
  expect(await listGroups('main')).toEqual(['ci-1'])
  expect(await listGroups('feature')).toEqual(['ci-2'])
})

it('starts a build with the first of its runs that are left', async () => {
  const id = await record({ group: 'ci-1', days: 9 })
  await record({ group: 'ci-1' })
  await record({ group: 'ci-2', days: 3 })
  await get('DELETE', `/v2/runs?ids=${id}`)
  const { data } = await get<{ data: { group: string }[] }>('GET', '/v2/builds')
  expect(data.map(({ group }) => group)).toEqual(['ci-1', 'ci-2'])
})

it('gives names that were one back as tests when the last name is deleted', async () => {
  await record({ group: 'ci-1', file: 'old.test.ts' })
  const id = await record({ group: 'ci-2', file: 'new.test.ts' })
  const all = (await listTests()).data
  const [later, earlier] = ['new.test.ts', 'old.test.ts'].map(
    (name) => all.find(({ file }) => file === name)?.id ?? '',
  )
  await get('POST', `/v2/tests/${later}/aliases`, { test_id: earlier })
  await get('DELETE', `/v2/runs?ids=${id}`)
  expect((await listTests()).data.map(({ file, results }) => [file, results])).toEqual([['old.test.ts', 1]])
})

it('has a test with the tags of its last result, whatever earlier ones had', async () => {
  await record({ group: 'ci-1', name: 'adds', step: { tags: ['slow'] } })
  await record({ group: 'ci-1', name: 'removes', step: { tags: ['slow'] } })
  await record({ group: 'ci-2', name: 'adds', step: { tags: ['quick'] } })
  const listNames = async (tag: string) =>
    (await get<TestPage>('GET', `/v2/tests?tags=${tag}`)).data.map(({ name }) => name)
  expect([await listNames('slow'), await listNames('quick')]).toEqual([['removes'], ['adds']])
})

it('knows a build of which a share that is no whole number failed with one error', async () => {
  const started_at = new Date().toISOString()
  const steps = Array.from({ length: 31 }, (_, index) => ({
    name: `adds ${index}`,
    kind: 'test',
    step_passed: index >= 10,
    started_at,
    duration: 'PT0.1S',
    ...(index < 10 ? { error: { message: 'the database is away' } } : {}),
  }))
  await server.createRun({ run_passed: false, report_variables: { group: 'ci-1', file: 'a.test.ts' }, steps })
  const { data } = await get<{ data: { is_infrastructure: boolean }[] }>('GET', '/v2/builds')
  expect(data.map((build) => build.is_infrastructure)).toEqual([true])
})
