import type {
  Build,
  BuildListItem,
  Comparison,
  ErrorListItem,
  Home,
  SearchResult,
  TestDetail,
  TestListItem,
} from '@runledger/protocol'
import { afterEach, expect, it } from 'vitest'
import { createResponse, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer

afterEach(() => server.stop())

const get = createResponse(() => server)

const LONG = 'é'.repeat(9_000)

interface Recorded {
  group: string
  names: string[]
  tags?: string[]
  message?: string
  variables?: Record<string, string>
}

/** A run of tests with these names, which fail where there is a message. */
async function record({ group, names, tags, message, variables }: Recorded): Promise<void> {
  const at = new Date().toISOString()
  await server.createRun({
    started_at: at,
    duration: 'PT60S',
    run_passed: message === undefined,
    report_variables: { group, git_branch: 'main', file: 'a.test.ts', ...variables },
    steps: names.map((name) => ({
      name,
      kind: 'test',
      step_passed: message === undefined,
      started_at: at,
      duration: 'PT1S',
      tags,
      ...(message === undefined ? {} : { error: { message: `${name}: ${message}` } }),
    })),
  })
}

interface Page<Item> {
  data: Item[]
  meta: { has_more: boolean; next_cursor: number | string | null }
}

async function readPages<Item>(address: string): Promise<Item[][]> {
  const pages: Item[][] = []
  for (let cursor = '', hasMore = true; hasMore;) {
    const { data, meta } = await get<Page<Item>>('GET', `${address}${cursor}`)
    pages.push(data)
    hasMore = meta.has_more
    cursor = `&cursor=${meta.next_cursor}`
  }
  return pages
}

const NAMES = ['adds', 'divides', 'multiplies', 'powers', 'subtracts']

it('ends each list of the history before what it has no room for, and goes on with it', async () => {
  server = await startTestServer({}, { config: { maxListBytes: 2_000 } })
  for (const group of ['build 1', 'build 2', 'build 3', 'build 4', 'build 5'])
    await record({ group, names: NAMES, message: 'no', variables: { git_commit_subject: 'x'.repeat(250) } })
  const builds = await readPages<BuildListItem>('/v2/builds?limit=5')
  const failed = await readPages<BuildListItem>('/v2/builds?limit=5&states=failed')
  const tests = await readPages<TestListItem>('/v2/tests?days=14&sort_by=name&sort_order=asc')
  const errors = await readPages<ErrorListItem>('/v2/errors?limit=5')
  const ofBuild = await readPages<{ test: { name: string } }>(
    '/v2/builds/build%201/tests?limit=5&sort_by=name',
  )
  for (const pages of [builds, failed, tests, errors, ofBuild]) {
    expect(pages.length).toBeGreaterThan(1)
    expect(pages.every((page) => JSON.stringify(page).length <= 2_100 || page.length === 1)).toBe(true)
  }
  const groups = ['build 5', 'build 4', 'build 3', 'build 2', 'build 1']
  expect(builds.flat().map(({ group }) => group)).toEqual(groups)
  expect(failed.flat().map(({ group }) => group)).toEqual(groups)
  expect(tests.flat().map(({ name }) => name)).toEqual(NAMES)
  expect(
    ofBuild
      .flat()
      .map(({ test }) => test.name)
      .toSorted(),
  ).toEqual(NAMES)
  expect(new Set(errors.flat().map(({ fingerprint }) => fingerprint)).size).toBe(5)
  const metrics = await (await server.send('GET', '/metrics')).text()
  expect(metrics).toMatch(/runledger_budget_exceeded_total\{budget="list"\} [1-9]/)
})

const VARIABLES = {
  git_branch: `main ${LONG}`,
  git_commit: LONG,
  git_commit_subject: LONG,
  git_author: LONG,
  repository: LONG,
  ci_build_url: LONG,
  ci_event: LONG,
  pull_request: LONG,
  os: LONG,
  node: LONG,
  file: LONG,
  project: LONG,
}

it('shortens what a run says about its build, and keeps builds with different groups apart', async () => {
  server = await startTestServer()
  for (const end of ['1', '2']) await record({ group: LONG + end, names: ['adds'], variables: VARIABLES })
  const { data } = await get<Page<BuildListItem>>('GET', '/v2/builds')
  expect(data).toHaveLength(2)
  for (const build of data) expect(JSON.stringify(build).length).toBeLessThan(8_000)
  const group = encodeURIComponent(data[0]?.group ?? '')
  expect(await get<Build>('GET', `/v2/builds/${group}`)).toMatchObject({
    group: data[0]?.group,
    runs: { total: 1 },
  })
})

it('has the beginning of long names in every response', async () => {
  server = await startTestServer()
  const names = Array.from({ length: 10 }, (_, index) => `${index}${LONG}`)
  const tags = names.map((name) => `@${name}`)
  const said = { names, tags, variables: VARIABLES }
  await record({ ...said, group: `${LONG} 1` })
  await record({ ...said, group: `${LONG} 2`, message: 'no' })
  const [head, base] = (await get<Page<BuildListItem>>('GET', '/v2/builds')).data.map(({ group }) => group)
  const sides = `base=${encodeURIComponent(base ?? '')}&head=${encodeURIComponent(head ?? '')}`
  const compared = await get<Comparison>('GET', `/v2/comparison?${sides}`)
  expect(compared.newly_failing.data.map(({ test }) => test.name)).toEqual(
    names.map((name) => name.slice(0, 500)),
  )
  const test = await get<TestDetail>('GET', `/v2/tests/${compared.newly_failing.data[0]?.test.id}`)
  expect(test.results_list).toHaveLength(2)
  expect(test.tags).toEqual(tags.map((tag) => tag.slice(0, 500)))
  const found = await get<SearchResult>('GET', '/v2/search?query=1%C3%A9')
  const home = await get<Home>('GET', '/v2/home')
  const bytes = [compared, test, found, home].map((one) => Buffer.byteLength(JSON.stringify(one)))
  expect(Math.max(...bytes)).toBeLessThan(150_000)
})
