import type { BuildListItem, Page, TestListItem, TestPage } from '@runledger/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { groupBy } from '../../storage/database/rows'
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

const BRANCHES = ['main', 'feature', ''] as const
const FILES = ['a.test.ts', 'b.test.ts'] as const
const NAMES = ['adds', 'removes', 'counts'] as const
const OUTCOMES = ['passed', 'flaky', 'failed', 'skipped'] as const
type Outcome = (typeof OUTCOMES)[number]

interface ModelRun {
  id: string
  group: string
  branch: string
  file: string
  results: Map<string, { outcome: Outcome; ms: number }>
}

class Model {
  readonly runs: ModelRun[] = []
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = createRandom(seed)
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item
  }

  async act(): Promise<void> {
    const chance = this.#random()
    if (chance < 0.7 || this.runs.length === 0) return this.#create()
    if (chance < 0.85) return this.#delete()
    return this.#changeBranch()
  }

  async #create(): Promise<void> {
    const run = {
      group: `ci-${Math.floor(this.#random() * 12)}`,
      branch: this.pick(BRANCHES),
      file: this.pick(FILES),
      results: new Map(
        NAMES.filter(() => this.#random() < 0.8).map((name) => [
          name,
          { outcome: this.pick(OUTCOMES), ms: 1 + Math.floor(this.#random() * 500) },
        ]),
      ),
    }
    const started = new Date(Date.now() - this.#random() * 30 * 86_400_000).toISOString()
    const { id = '' } = await server.createRun({
      started_at: started,
      report_variables: { group: run.group, git_branch: run.branch, file: run.file },
      run_passed: [...run.results.values()].every(({ outcome }) => outcome !== 'failed'),
      steps: [...run.results].flatMap(([name, { outcome, ms }]) =>
        outcome === 'skipped' ? [] : [createStep(name, outcome, { ms, started })],
      ),
      skipped: [...run.results].flatMap(([name, { outcome }]) => (outcome === 'skipped' ? [{ name }] : [])),
    })
    this.runs.push({ id, ...run })
  }

  async #delete(): Promise<void> {
    const run = this.pick(this.runs)
    this.runs.splice(this.runs.indexOf(run), 1)
    await get('DELETE', `/v2/runs?ids=${run.id}`)
  }

  async #changeBranch(): Promise<void> {
    const run = this.pick(this.runs)
    run.branch = this.pick(BRANCHES)
    await get('PATCH', `/v2/runs/${run.id}/metadata`, { metadata: { git_branch: run.branch || null } })
  }

  /** What each test came to, by its file and name. */
  count(branch: string | undefined): Record<string, unknown> {
    const sums = new Map<string, { passed: number; flaky: number; failed: number; ms: number }>()
    for (const run of this.runs) {
      if (branch !== undefined && run.branch !== branch) continue
      for (const [name, { outcome, ms }] of run.results) {
        if (outcome === 'skipped') continue
        const key = `${run.file} ${name}`
        const sum = sums.get(key) ?? { passed: 0, flaky: 0, failed: 0, ms: 0 }
        sum[outcome] += 1
        if (outcome === 'passed') sum.ms += ms
        sums.set(key, sum)
      }
    }
    return Object.fromEntries(
      [...sums].map(([key, { passed, flaky, failed, ms }]) => [
        key,
        {
          results: passed + flaky + failed,
          failed: failed + flaky,
          flaky,
          mean: passed === 0 ? null : Math.round((ms / passed) * 1000),
        },
      ]),
    )
  }
}

function createStep(name: string, outcome: Outcome, { ms, started }: { ms: number; started: string }) {
  const half = { started_at: started, duration: 'PT0.001S' }
  return {
    name,
    kind: 'test',
    step_passed: outcome !== 'failed',
    started_at: started,
    duration: `PT${ms / 1000}S`,
    ...(outcome === 'failed' ? { error: { message: `${name} failed` } } : {}),
    ...(outcome === 'flaky'
      ? {
          attempts: [
            { ...half, outcome: 'FAIL', errors: [{ message: 'late' }] },
            { ...half, outcome: 'PASS' },
          ],
        }
      : {}),
  }
}

async function listCounts(branch: string | undefined): Promise<Record<string, unknown>> {
  const asked = new URLSearchParams({ days: '60', limit: '100', ...(branch === undefined ? {} : { branch }) })
  const { data } = await get<TestPage>('GET', `/v2/tests?${asked}`)
  return Object.fromEntries(
    data.map(({ file, name, results, failures, flakes, mean_ms: mean }: TestListItem) => [
      `${file} ${name}`,
      {
        results,
        failed: failures.count,
        flaky: flakes.count,
        mean: mean === null ? null : Math.round(mean * 1000),
      },
    ]),
  )
}

it('count each test as a recount of its results does, after creations, deletions and changes of branch', async () => {
  const model = new Model(47)
  for (let count = 0; count < 120; count += 1) await model.act()
  expect(await listCounts(undefined)).toEqual(model.count(undefined))
  expect(await listCounts('main')).toEqual(model.count('main'))
  expect(await listCounts('feature')).toEqual(model.count('feature'))
  const { data: builds } = await get<Page<BuildListItem>>('GET', '/v2/builds?limit=100')
  expect(
    Object.fromEntries(builds.map(({ group, runs, tests }) => [group, { runs: runs.total, ...tests }])),
  ).toEqual(
    Object.fromEntries(
      Object.entries(Object.fromEntries(groupBy(model.runs, ({ group }) => group))).map(
        ([group, runs = []]) => {
          const all = runs.flatMap(({ results }) => [...results.values()])
          const count = (wanted: Outcome) => all.filter(({ outcome }) => outcome === wanted).length
          return [
            group,
            {
              runs: runs.length,
              passed: count('passed'),
              flaky: count('flaky'),
              failed: count('failed'),
              skipped: count('skipped'),
            },
          ]
        },
      ),
    ),
  )
  for (const { id } of model.runs) await get('DELETE', `/v2/runs?ids=${id}`)
  expect(await listCounts(undefined)).toEqual({})
  expect((await get<Page<BuildListItem>>('GET', '/v2/builds')).data).toEqual([])
})
