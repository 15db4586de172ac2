import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RunDetailSchema, RunPageSchema, type RunDetail } from '@runledger/protocol'
import { runCommand } from '../support/project'
import { Random, SOAK_SEED } from '../support/random'
import { REPOSITORY } from '../support/repository'
import { type Service, startService } from '../support/service'
import { createRun, deleteRun, findFaults, type KnownRun, linkFile, send, ServiceLoad } from './service-load'

// `npm run soak -- service-kills` sets these.
const { SOAK_KILLS = '2' } = process.env
const KILLS = Number(SOAK_KILLS)
const CLIENTS = 4
const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-kills-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

it(
  `loses nothing that it acknowledged and keeps nothing by halves, killed ${KILLS} times (seed ${SOAK_SEED})`,
  async () => {
    const random = new Random(SOAK_SEED)
    const runs: KnownRun[] = []
    for (let kill = 1; kill <= KILLS; kill += 1) {
      if (random.chance(0.1)) await killStarting(random.between(0, 1_000))
      const service = await startService({ folder })
      expect(await check(), `after kill ${kill - 1}`).toMatchObject({ problems: [] })
      await settle(service, runs)
      const loads = Array.from(
        { length: CLIENTS },
        (_, client) => new ServiceLoad(`k${kill}c${client}`, new Random(`${SOAK_SEED}/${kill}/${client}`)),
      )
      const ends = Promise.all(loads.map((load) => load.run(service)))
      await setTimeout(random.between(20, 900))
      await service.kill()
      await ends
      runs.push(...loads.flatMap((load) => load.runs))
    }
    await expectAll(runs)
    console.log(describeRuns(runs))
  },
  120_000 + KILLS * 30_000,
)

/** What nobody heard of is done again, as clients do, and what they heard of is there. */
async function settle(service: Service, runs: readonly KnownRun[]): Promise<void> {
  for (const run of runs.filter((each) => !isSettled(each))) {
    if (run.id !== undefined) expect(await findFaults(run, await readRun(service, run))).toEqual([])
    else await createRun(service, run)
    if (run.deleted === 'sent') await deleteRun(service, run)
    if (run.deleted !== 'not begun') continue
    for (const file of run.files)
      if (file.received === 'acknowledged' && file.linked !== 'acknowledged')
        await linkFile(service, run, file)
    settled.add(run)
  }
}

const settled = new WeakSet<KnownRun>()

function isSettled(run: KnownRun): boolean {
  return run.deleted === 'acknowledged' || (settled.has(run) && run.deleted === 'not begun')
}

async function expectAll(runs: readonly KnownRun[]): Promise<void> {
  const service = await startService({ folder })
  let alive: number
  try {
    alive = await expectServed(service, runs)
  } finally {
    await service.stop()
  }
  // A start deletes what kills left.
  const last = await startService({ folder })
  await expect.poll(() => check(), { timeout: 60_000 }).toMatchObject({ leftover_files: 0 })
  await last.stop()
  expect(await check('--bytes')).toMatchObject({ problems: [], runs: alive, leftover_files: 0 })
}

/** Returns how many runs there are. */
async function expectServed(service: Service, runs: readonly KnownRun[]): Promise<number> {
  await settle(service, runs)
  const faults: string[] = []
  for (const run of runs) faults.push(...(await findFaults(run, await readRun(service, run))))
  expect(faults).toEqual([])
  const alive = runs.filter(({ deleted }) => deleted === 'not begun').map(({ id }) => id as string)
  const stored = await listIds(service)
  expect(stored.toSorted()).toEqual(alive.toSorted())
  return alive.length
}

async function listIds(service: Service): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ;) {
    const page = RunPageSchema.parse(await send(service, `GET /v2/runs?limit=100${cursor}`))
    ids.push(...page.data.map(({ id }) => id))
    if (!page.meta.has_more) return ids
    cursor = `&cursor=${page.meta.next_cursor}`
  }
}

async function readRun(service: Service, run: KnownRun): Promise<RunDetail | undefined> {
  const answer = await send(service, `GET /v2/runs/${run.id}`, { accepts: [200, 404] })
  return (answer as { code?: string }).code === 'NOT_FOUND' ? undefined : RunDetailSchema.parse(answer)
}

async function check(...flags: string[]): Promise<unknown> {
  const args = [CLI, 'check', '--json', '--data', path.join(folder, '.runledger'), ...flags]
  const { stdout, stderr } = await runCommand(process.execPath, args, { dir: folder })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

/** A service is killed that may not even listen yet. */
async function killStarting(afterMs: number): Promise<void> {
  const args = [CLI, 'serve', '--json', '--port', '0', '--data', path.join(folder, '.runledger')]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' })
  const exit = once(child, 'exit')
  await setTimeout(afterMs)
  child.kill('SIGKILL')
  await exit
}

function describeRuns(runs: readonly KnownRun[]): string {
  const files = runs.flatMap((run) => run.files)
  const count = <Item>(items: readonly Item[], is: (item: Item) => boolean) => items.filter(is).length
  return [
    `${KILLS} kills: ${runs.length} runs, ${count(runs, (run) => run.deleted === 'acknowledged')} of them deleted`,
    `${files.length} attachments, ${count(files, (file) => file.linked === 'acknowledged')} acknowledged`,
  ].join('; ')
}
