import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BuildListItemSchema, pageOf, TestDetailSchema, TestPageSchema } from '@runledger/protocol'
import {
  countBuildsOfModel,
  countListedBuilds,
  countListedTests,
  countTestsOfModel,
  HistoryModel,
  type ModelRun,
} from '../../packages/server/src/testing/history-model'
import { createTestDatabase, dropTestDatabase } from '../../packages/server/src/testing/test-database'
import { runCommand } from '../support/project'
import { Random, SOAK_SEED } from '../support/random'
import { REPOSITORY } from '../support/repository'
import { type Service, startService } from '../support/service'
import { ageRuns } from './age-runs'
import { HistoryClient } from './history-client'
import { send } from './service-load'

// `npm run soak -- history-changes` sets it.
const { SOAK_CHANGES = '120' } = process.env
const CHANGES = Number(SOAK_CHANGES)
const CHANGES_OF_A_KILL = 100
const CLIENTS = 4
/** Runs that retention deletes after a kill. */
const AGED_RUNS = 4
const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

let folder: string
let dataDir: string
let database: string | undefined

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-history-'))
  dataDir = path.join(folder, '.runledger')
  database = await createTestDatabase(dataDir)
})

afterAll(async () => {
  await dropTestDatabase(dataDir)
  await rm(folder, { recursive: true, force: true })
})

it(
  `counts as a recount does after ${CHANGES} changes, killed every ${CHANGES_OF_A_KILL} (seed ${SOAK_SEED})`,
  async () => {
    const random = new Random(SOAK_SEED)
    const clients = Array.from({ length: CLIENTS }, (_, index) => createClient(index))
    let [changes, kills, aged] = [0, 0, 0]
    while (changes < CHANGES) {
      const service = await startService({ folder })
      if (kills === 0) await send(service, 'PATCH /v2/settings', { body: { 'retention.days': 300 } })
      const until = changes + random.between(1, 2 * CHANGES_OF_A_KILL)
      const isOver = () => (changes += 1) > Math.min(until, CHANGES)
      const ends = Promise.allSettled(clients.map((client) => client.run(service, isOver)))
      // Some are killed while all is under way, others when a change was just answered.
      if (random.chance(0.5)) await ends
      else await Promise.race([ends, setTimeout(random.between(50, 3_000))])
      await service.kill()
      kills += 1
      for (const end of await ends)
        if (end.status === 'rejected' && (end.reason as Error).name === 'WrongAnswerError') throw end.reason
      aged += await retire(clients, random)
      if (kills % 5 === 0)
        expect(await command('check'), `after kill ${kills}`).toMatchObject({ problems: [] })
    }
    await expectCounts(clients)
    console.log(`${CHANGES} changes, ${kills} kills, ${aged} runs deleted by retention`)
  },
  240_000 + CHANGES * 600,
)

function createClient(index: number): HistoryClient {
  const [name, seed] = [`client-${index}`, `${SOAK_SEED}/${index}`]
  const random = new Random(seed)
  const files = ['a', 'b'].map((file) => `${name}/${file}.test.ts`)
  return new HistoryClient(new HistoryModel(() => random.next(), files), { name, random })
}

/** Makes some runs older than retention allows, while no service runs. Returns how many. */
async function retire(clients: readonly HistoryClient[], random: Random): Promise<number> {
  const old: ModelRun[] = []
  for (const { model, isUnanswered } of clients) {
    // What was not answered is sent again, and may be about one of them.
    if (isUnanswered || model.runs.length <= AGED_RUNS || !random.chance(0.5)) continue
    old.push(...model.runs.splice(random.between(0, model.runs.length - AGED_RUNS), AGED_RUNS))
  }
  await ageRuns(
    { dataDir, database },
    old.map(({ id }) => id),
  )
  return old.length
}

async function expectCounts(clients: readonly HistoryClient[]): Promise<void> {
  const service = await startService({ folder })
  for (const client of clients) await client.settle(service)
  const runs = clients.flatMap(({ model }) => model.runs)
  // Retention deletes after a start, and names may be merged meanwhile.
  await expect.poll(() => listDifferences(service, runs), { timeout: 120_000, interval: 2_000 }).toEqual([])
  await service.stop()
  expect(await command('check')).toMatchObject({ problems: [], runs: runs.length })
  const unchanged = { changed_runs: 0, changed_roll_ups: 0, different: 0 }
  expect(await command('rebuild-rollups')).toMatchObject({ runs: runs.length, ...unchanged })
}

/** What the service counts otherwise than the model. */
async function listDifferences(service: Service, runs: readonly ModelRun[]): Promise<unknown[]> {
  const names = await listNames(service)
  const nameOf = (key: string) => names.get(key) ?? key
  const differences: unknown[] = []
  for (const branch of [undefined, 'main', 'feature']) {
    const listed = countListedTests(await listTests(service, branch))
    differences.push(...compare(listed, countTestsOfModel(runs, branch, nameOf)))
  }
  const builds = pageOf(BuildListItemSchema).parse(await send(service, 'GET /v2/builds?limit=100'))
  return [...differences, ...compare(countListedBuilds(builds.data), countBuildsOfModel(runs))]
}

function compare(
  listed: Readonly<Record<string, unknown>>,
  counted: Readonly<Record<string, unknown>>,
): unknown[] {
  const keys = new Set([...Object.keys(listed), ...Object.keys(counted)])
  return [...keys]
    .filter((key) => JSON.stringify(sorted(listed[key])) !== JSON.stringify(sorted(counted[key])))
    .map((key) => ({ key, listed: listed[key], counted: counted[key] }))
}

function sorted(counts: unknown): unknown {
  return Object.entries(counts ?? {}).toSorted(([one], [other]) => (one < other ? -1 : 1))
}

async function listTests(service: Service, branch: string | undefined) {
  const ofBranch = branch === undefined ? '' : `&branch=${branch}`
  return TestPageSchema.parse(await send(service, `GET /v2/tests?days=60&limit=100${ofBranch}`)).data
}

/** By each name that a test had before, its present one. */
async function listNames(service: Service): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const { id, file, name } of await listTests(service, undefined)) {
    const { aliases } = TestDetailSchema.parse(await send(service, `GET /v2/tests/${id}`))
    for (const alias of aliases) names.set(`${alias.file} ${alias.name}`, `${file} ${name}`)
  }
  return names
}

async function command(name: string): Promise<unknown> {
  const env = database === undefined ? {} : { RUNLEDGER_DATABASE: database }
  const args = [CLI, name, '--json', '--data', dataDir]
  const { stdout, stderr } = await runCommand(process.execPath, args, { dir: folder, env })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}
