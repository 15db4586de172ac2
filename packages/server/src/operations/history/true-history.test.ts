import type { TestDetail, TestPage } from '@runledger/protocol'
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
