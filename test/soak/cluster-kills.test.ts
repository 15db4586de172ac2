import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RunDetailSchema, RunPageSchema } from '@runledger/protocol'
import { type S3StandIn, startS3StandIn } from '../../packages/server/src/testing/s3-stand-in'
import { connectToDatabase } from '../../packages/server/src/testing/test-database'
import { describeWithPostgres } from '../postgres/with-postgres'
import { Random, SOAK_SEED } from '../support/random'
import { REPOSITORY } from '../support/repository'
import { type Service, startService } from '../support/service'
import { createRun, deleteRun, findFaults, type KnownRun, linkFile, send, ServiceLoad } from './service-load'

// `npm run soak -- cluster-kills` sets these.
const { SOAK_KILLS = '2' } = process.env
const KILLS = Number(SOAK_KILLS)
const SERVICES = 3
const CLIENTS_OF_EACH = 10
const BUCKET = 'runs'
const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

describeWithPostgres('several services of one database and one bucket', (postgres) => {
  let store: S3StandIn
  let folder: string
  let url: string
  const services: Service[] = []
  const given = { ...process.env }

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-cluster-'))
    store = await startS3StandIn()
    url = await postgres().createDatabase('cluster')
    Object.assign(process.env, {
      RUNLEDGER_DATABASE: url,
      RUNLEDGER_STORAGE: store.addressOf(BUCKET),
      AWS_ACCESS_KEY_ID: store.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.credentials.secretAccessKey,
    })
  })

  afterAll(async () => {
    for (const service of services) await service.kill()
    await store.stop()
    await rm(folder, { recursive: true, force: true })
    process.env = given
  })

  const start = async (index: number): Promise<void> => {
    const own = path.join(folder, String(index))
    await mkdir(own, { recursive: true })
    services[index] = await startService({ folder: own })
  }

  it(
    `lose nothing that they acknowledged, killed ${KILLS} times, as the database is (seed ${SOAK_SEED})`,
    async () => {
      const random = new Random(SOAK_SEED)
      const runs: KnownRun[] = []
      const counts = { service: 0, database: 0, store: 0 }
      for (let index = 0; index < SERVICES; index += 1) await start(index)
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const loads = makeLoads(kill)
        const stopping = new AbortController()
        const ends = Promise.all(
          loads.map((load, index) => load.run(services[index % SERVICES] as Service, stopping.signal)),
        )
        await setTimeout(random.between(20, 900))
        const what = random.chance(0.6) ? 'service' : random.chance(0.6) ? 'database' : 'store'
        counts[what] += 1
        await disturb(what, random)
        await setTimeout(random.between(0, 300))
        stopping.abort()
        await ends
        runs.push(...loads.flatMap((load) => load.runs))
        await settle(runs, kill)
      }
      await expectAll(runs)
      const files = runs.flatMap((run) => run.files)
      console.log(`${JSON.stringify(counts)}: ${runs.length} runs, ${files.length} attachments`)
    },
    120_000 + KILLS * 60_000,
  )

  function makeLoads(kill: number): ServiceLoad[] {
    return Array.from(
      { length: SERVICES * CLIENTS_OF_EACH },
      (_, client) => new ServiceLoad(`k${kill}c${client}`, new Random(`${SOAK_SEED}/${kill}/${client}`)),
    )
  }

  async function disturb(what: 'service' | 'database' | 'store', random: Random): Promise<void> {
    if (what === 'service') {
      const index = random.between(0, SERVICES - 1)
      await services[index]?.kill()
      await start(index)
    } else if (what === 'database') {
      await postgres().kill()
      await setTimeout(random.between(0, 500))
      await postgres().start()
    } else {
      const method = random.chance(0.5) ? 'PUT' : random.chance(0.5) ? 'HEAD' : 'DELETE'
      store.refuse(method, random.chance(0.5) ? 503 : 0)
      await setTimeout(random.between(100, 2_000))
      store.refuse(method, 503, 0)
    }
  }

  /** What nobody heard of is done again, by any of the services, and what they heard of is there. */
  async function settle(runs: readonly KnownRun[], kill: number): Promise<void> {
    const service = services[kill % SERVICES] as Service
    for (const each of services) await expect.poll(async () => (await each.get('/readyz')).status).toBe(200)
    for (const run of runs.filter((each) => !settled.has(each))) {
      if (run.id === undefined) await createRun(service, run)
      if (run.deleted === 'sent') await deleteRun(service, run)
      if (run.deleted === 'not begun')
        for (const file of run.files)
          if (file.received === 'acknowledged' && file.linked !== 'acknowledged')
            await linkFile(service, run, file)
      settled.add(run)
    }
  }

  async function expectAll(runs: readonly KnownRun[]): Promise<void> {
    // A start removes what kills left, once that is old enough that nobody is about to record it.
    store.advance(25 * 3600)
    for (const [index, service] of services.entries()) {
      await service.stop()
      await start(index)
    }
    const faults: string[] = []
    for (const [index, run] of runs.entries()) faults.push(...(await findFaults(run, await read(run, index))))
    expect(faults).toEqual([])
    const alive = runs.filter(({ deleted }) => deleted === 'not begun').map(({ id }) => id as string)
    expect((await listIds()).toSorted()).toEqual(alive.toSorted())
    const client = await connectToDatabase(url)
    const ask = async <Row>(text: string) => (await client.query(text)).rows as Row[]
    const [month] = await ask<{ runs: string }>('SELECT sum(created_runs) AS runs FROM run_months')
    expect(Number(month?.runs)).toBe(runs.length)
    await client.end()
    // Each file with its digest; what kills left without a record goes with the clean-up of a start.
    await expect
      .poll(() => check(), { timeout: 60_000 })
      .toMatchObject({ ok: true, runs: alive.length, leftover_files: 0 })
  }

  /** `runledger check`, by its JSON. */
  async function check(): Promise<unknown> {
    const args = [CLI, 'check', '--bytes', '--json', '--data', path.join(folder, '0')]
    return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout) as unknown
  }

  async function read(run: KnownRun, index: number) {
    const service = services[index % SERVICES] as Service
    const answer = await send(service, `GET /v2/runs/${run.id}`, { accepts: [200, 404] })
    return (answer as { code?: string }).code === 'NOT_FOUND' ? undefined : RunDetailSchema.parse(answer)
  }

  async function listIds(): Promise<string[]> {
    const ids: string[] = []
    for (let cursor = ''; ;) {
      const page = RunPageSchema.parse(await send(services[0] as Service, `GET /v2/runs?limit=100${cursor}`))
      ids.push(...page.data.map(({ id }) => id))
      if (!page.meta.has_more) return ids
      cursor = `&cursor=${page.meta.next_cursor}`
    }
  }
})

const settled = new WeakSet<KnownRun>()
