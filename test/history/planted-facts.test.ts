import { generateYear, type Planted, seed } from '@runledger/demo-data'
import {
  type Build,
  createRequest,
  type ListTestsQuerySchema,
  type Page,
  type BuildListItem,
  type TestDetail,
  type TestListItem,
  type TestPage,
} from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { z } from 'zod'
import { startTestServer, type TestServer } from '../../packages/server/src/testing/start-test-server'

const DAYS = 60
const year = generateYear({ nowMs: Date.now(), days: DAYS })
const { planted } = year

let service: TestServer

beforeAll(async () => {
  service = await startTestServer()
  await seed(year, { url: service.url, apiKey: service.apiKey })
  // Builds that may still be running are not looked at.
  service.advance(120)
}, 180_000)

afterAll(() => service.stop())

const read = async <Answer>(pathname: string): Promise<Answer> => {
  const response = await service.send('GET', pathname)
  if (response.status !== 200) throw new Error(`${pathname}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}

async function listTests(query: z.input<typeof ListTestsQuerySchema>): Promise<TestListItem[]> {
  return (
    await read<TestPage>(createRequest('listTests', { query: { days: DAYS, limit: 100, ...query } }).path)
  ).data
}

type Place = Pick<Planted['flaky'][number], 'procedure' | 'file' | 'name'>

async function findTest({ procedure, file, name }: Place): Promise<TestListItem> {
  const found = await listTests({ procedure_ids: [procedure], search_query: name })
  const test = found.find((one) => one.name === name && one.file === file)
  if (!test)
    throw new Error(`${name} (${file}) is not among ${found.map((one) => `${one.name} (${one.file})`)}`)
  return test
}

const getTest = ({ id }: { id: string }, branch = 'main') =>
  read<TestDetail>(createRequest('getTest', { params: { id }, query: { branch } }).path)

const getBuild = (group: string) => read<Build>(createRequest('getBuild', { params: { group } }).path)

describe('the history of the seeded service', () => {
  it('has the ten flaky tests first, by the builds that they hit', async () => {
    const listed = await listTests({ sort_by: 'flaky', limit: planted.flaky.length })
    const keyOf = ({ name, file }: { name: string; file?: string | null | undefined }) => `${file} ${name}`
    expect(new Set(listed.map(keyOf))).toEqual(new Set(planted.flaky.map(keyOf)))
  })

  it('shows the slow-down with the build in which it began', async () => {
    const { slower } = planted
    const { changes } = await getTest(await findTest(slower))
    const change = changes.find(({ ratio }) => ratio > 0.2)
    expect(change?.ratio).toBeGreaterThan((slower.factor - 1) * 0.7)
    expect(Math.abs(Date.parse(change?.build?.started_at ?? '') - slower.since.startedAtMs)).toBeLessThan(
      2 * 86_400_000,
    )
  })

  it('names the commits that broke a test and that fixed it', async () => {
    for (const broken of planted.broken) {
      const { failing_rows: rows } = await getTest(await findTest(broken))
      const row = rows.find(({ first_build: { commit } }) => commit === broken.brokenBy.sha)
      expect(row?.first_build.author).toBe(broken.brokenBy.author)
      expect(row?.fixed_by?.commit).toBe(broken.fixedBy.sha)
    }
  })

  it('knows the outage as one cause in infrastructure builds', async () => {
    for (const { group } of planted.outage.builds) {
      const build = await getBuild(group)
      expect(build.is_infrastructure).toBe(true)
      expect(build.causes[0]?.message).toContain(planted.outage.message.slice(0, 20))
      expect(build.causes[0]?.tests_count).toBeGreaterThanOrEqual(build.tests.failed * 0.8)
    }
  })

  it('shows the incomplete build among those that are incomplete', async () => {
    const path = createRequest('listBuilds', { query: { states: ['incomplete'] } }).path
    const { data } = await read<Page<BuildListItem>>(path)
    expect(data.map(({ group }) => group)).toContain(planted.incomplete.group)
  })

  // The service compares the names of a build a minute after its last run.
  it('follows the renamed tests', { timeout: 120_000 }, async () => {
    for (const { procedure, before, after } of planted.renames) {
      await vi.waitFor(
        async () => {
          const { aliases } = await getTest(await findTest({ procedure, ...after }))
          expect(aliases).toContainEqual(expect.objectContaining({ name: before.name, file: before.file }))
        },
        { timeout: 90_000, interval: 1_000 },
      )
    }
  })

  it('finds the test that fails on one branch alone, and the new one', async () => {
    const { branchOnly, added } = planted
    const test = await findTest(branchOnly)
    expect((await getTest(test, branchOnly.branch)).failures.count).toBeGreaterThan(0)
    expect((await getTest(test)).failures.count).toBe(0)
    const { first_seen_at: firstSeen } = await findTest(added)
    expect(Date.parse(firstSeen)).toBeGreaterThan(Date.now() - DAYS * 86_400_000 + 86_400_000)
  })
})
