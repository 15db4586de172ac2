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
import { applyRetention } from './apply-retention'
import { HistoryClient } from './history-client'
import { send } from './service-load'

// `npm run soak -- history-changes` sets it.
const { SOAK_CHANGES = '120' } = process.env
const CHANGES = Number(SOAK_CHANGES)
const CHANGES_OF_A_KILL = 100
const CLIENTS = 4
/** About so many runs retention deletes at a time. */
const OLD_RUNS = 8
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
    const counted = { changes: 0, kills: 0, old: 0 }
    while (counted.changes < CHANGES) {
      const service = await startService({ folder })
      const until = counted.changes + random.between(1, 2 * CHANGES_OF_A_KILL)
      const isOver = () => (counted.changes += 1) > Math.min(until, CHANGES)
      const ends = Promise.allSettled(clients.map((client) => client.run(service, isOver)))
      // Some are killed while all is under way, others when a change was just answered.
      if (random.chance(0.5)) await ends
      else await Promise.race([ends, setTimeout(random.between(50, 3_000))])
      await service.kill()
      counted.kills += 1
      for (const end of await ends)
        if (end.status === 'rejected' && (end.reason as Error).name === 'WrongAnswerError') throw end.reason
      if (random.chance(0.5)) counted.old += await retire(clients)
      if (counted.kills % 5 === 0)
        expect(await command('check'), `after kill ${counted.kills}`).toMatchObject({ problems: [] })
    }
    await expectCounts(clients)
    console.log(`${CHANGES} changes, ${counted.kills} kills, ${counted.old} runs deleted by retention`)
  },
  240_000 + CHANGES * 600,
)

function createClient(index: number): HistoryClient {
  const [name, seed] = [`client-${index}`, `${SOAK_SEED}/${index}`]
  const random = new Random(seed)
  const files = ['a', 'b'].map((file) => `${name}/${file}.test.ts`)
  return new HistoryClient(new HistoryModel(() => random.next(), files), { name, random })
}

/** While no service runs. Returns how many runs are gone. */
async function retire(clients: readonly HistoryClient[]): Promise<number> {
  const left = await applyRetention({ dataDir, database }, OLD_RUNS)
  let gone = 0
  for (const { model } of clients) {
    const before = model.runs.length
    model.keep(({ id }) => left.has(id))
    gone += before - model.runs.length
  }
  // Each client may have deleted one more and not been answered.
  expect(gone).toBeLessThanOrEqual(OLD_RUNS + CLIENTS)
  return gone
}

async function expectCounts(clients: readonly HistoryClient[]): Promise<void> {
  const service = await startService({ folder })
  for (const client of clients) await client.settle(service)
  const runs = clients.flatMap(({ model }) => model.runs)
  // Names may be merged meanwhile.
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
