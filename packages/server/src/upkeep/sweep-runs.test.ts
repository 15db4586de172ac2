import { afterEach, beforeEach, expect, it } from 'vitest'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { US_PER_SECOND } from '../base/clock'
import { resolveServerConfig } from '../base/config/server-config'
import { createContext, type OpenContext } from '../open-context'
import { registerStorageFigures } from './metrics/storage-figures'
import { ensureCredentials } from '../operations/first-start/ensure-credentials'
import type { UserPrincipal } from '../record/access/keys/principal'
import { createProcedure } from '../operations/procedures/handlers'
import { type Settings, writeSetting } from '../record/access/settings/store'
import { createRunIn } from '../testing/start-test-server'
import { checkData } from './check-data'
import { sweepOnce } from './sweep'

const DAY_US = 24 * 3600 * US_PER_SECOND

let folder: string
let context: OpenContext
let principal: UserPrincipal
let nowUs: number
let logged: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-retention-'))
  nowUs = Date.now() * 1000
  logged = []
  context = await createContext(
    resolveServerConfig({ data: folder, projectDir: folder, publicUrl: 'http://x.test' }, {}),
    { clock: () => nowUs, log: { error: note, warn: note, info: note } },
  )
  principal = { kind: 'user', userId: await ensureCredentials(context), role: 'admin', keyId: null }
  for (const identifier of ['FVT', 'EOL'])
    await createProcedure(context, principal, { name: identifier, identifier })
})

afterEach(async () => {
  await context.close()
  await rm(folder, { recursive: true, force: true })
})

function note(message: string, ...facts: unknown[]): void {
  logged.push(`${message} ${JSON.stringify(facts)}`)
}

function set<Name extends keyof Settings>(name: Name, value: Settings[Name]): Promise<void> {
  return context.database.write((transaction) => writeSetting(transaction, name, value))
}

async function create(procedure: string, serialNumber: string): Promise<void> {
  const request = {
    procedure_id: procedure,
    unit_under_test: { serial_number: serialNumber, part_number: 'P', revision: 'A' },
    run_passed: true,
    duration: 'PT1S',
    // Long ago: age counts from the receipt.
    started_at: '2020-01-01T00:00:00Z',
    inline_attachments: [{ name: 'a.log', text: `log of ${serialNumber}` }],
  }
  await createRunIn(context, principal, request)
}

/** What is left, by the serial numbers of the units. */
async function listKept(): Promise<string[]> {
  const rows = await context.database.query
    .selectFrom('live_runs')
    .innerJoin('units', 'units.id', 'live_runs.unit_id')
    .select('units.serial_number')
    .orderBy('units.serial_number')
    .execute()
  return rows.map(({ serial_number: serialNumber }) => serialNumber)
}

/** Days with a clean-up each. */
async function pass(days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    nowUs += DAY_US
    await cleanUp()
  }
}

async function cleanUp(): Promise<void> {
  await sweepOnce(context, new AbortController().signal)
  await context.deletions.run()
}

it('deletes nothing unless it is told to', async () => {
  await create('FVT', 'U1')
  nowUs += 400 * DAY_US
  await cleanUp()
  expect(await listKept()).toEqual(['U1'])
})

it('deletes a run with its bytes when its time is over, and none that is younger', async () => {
  await set('retention.days', 30)
  await create('FVT', 'OLD')
  await pass(10)
  await create('FVT', 'YOUNG')
  await pass(20)
  expect(await listKept()).toEqual(['OLD', 'YOUNG'])
  await pass(1)
  expect(await listKept()).toEqual(['YOUNG'])
  expect(logged).toEqual(['Deleted runs that the settings keep no longer [{"runs":1}]'])
  const files = (await readdir(join(folder, 'blobs'), { recursive: true })).filter((name) => name.length > 64)
  expect(files).toHaveLength(1)
  expect(await checkData(folder, { bytes: true })).toMatchObject({ ok: true, runs: 1, leftover_files: 0 })
})

it('deletes more than one transaction takes', async () => {
  await set('retention.days', 1)
  await Promise.all(Array.from({ length: 250 }, (_, count) => create('FVT', `U${count}`)))
  await pass(2)
  expect(await listKept()).toEqual([])
})

it('follows the rule of a procedure in the place of the general one', async () => {
  await set('retention.days', 5)
  await set('retention.days_by_procedure', { eol: 2, FVT: null })
  await create('FVT', 'FOR-EVER')
  await create('EOL', 'TWO-DAYS')
  const first = await context.database.query
    .selectFrom('procedures')
    .select('public_id')
    .orderBy('id')
    .executeTakeFirstOrThrow()
  await create(first.public_id, 'FIVE-DAYS')
  await pass(3)
  expect(await listKept()).toEqual(['FIVE-DAYS', 'FOR-EVER'])
  await pass(3)
  expect(await listKept()).toEqual(['FOR-EVER'])
})

it('takes a run for as young as it is although its clock was set back', async () => {
  await set('retention.days', 30)
  nowUs -= 365 * DAY_US
  await create('FVT', 'RIGHT-NOW')
  nowUs += 365 * DAY_US
  await cleanUp()
  expect(await listKept()).toEqual(['RIGHT-NOW'])
})

it('goes on when keys are ahead of the clock, which was ahead itself once', async () => {
  await set('retention.days', 30)
  nowUs -= 365 * DAY_US
  await create('FVT', 'U1')
  await pass(30)
  expect(await listKept()).toEqual(['U1'])
  await pass(1)
  expect(await listKept()).toEqual([])
})

it('deletes nothing when the clock jumps ahead', async () => {
  await set('retention.days', 30)
  await create('FVT', 'U1')
  await pass(28)
  await create('FVT', 'U2')
  const rightUs = nowUs
  nowUs += 10_000 * DAY_US
  for (let hour = 0; hour < 3; hour += 1) await cleanUp()
  expect(await listKept()).toEqual(['U1', 'U2'])
  expect(logged[0]).toContain('The clock went ahead by more than a day')
  nowUs = rightUs
  await pass(29)
  expect(await listKept()).toEqual(['U2'])
  await pass(2)
  expect(await listKept()).toEqual([])
})

it('catches up although the service runs for minutes on weekdays', async () => {
  await set('retention.days', 30)
  await create('FVT', 'U1')
  await cleanUp()
  // The nights of six weeks, without those before Saturday and Sunday.
  for (let start = 0; start < 30; start += 1) {
    nowUs += (start % 5 === 0 ? 3 : 1) * DAY_US + 60 * US_PER_SECOND
    await cleanUp()
  }
  expect(await listKept()).toEqual([])
})

it('catches up when the service was off for a while', async () => {
  await set('retention.days', 30)
  await create('FVT', 'U1')
  await cleanUp()
  nowUs += 40 * DAY_US
  await cleanUp()
  expect(await listKept()).toEqual(['U1'])
  for (let hour = 0; hour < 40; hour += 1) await cleanUp()
  expect(await listKept()).toEqual([])
})

it('tells metrics when it ended and what it deleted', async () => {
  await set('retention.days', 1)
  await create('FVT', 'U1')
  await pass(2)
  registerStorageFigures(context.metrics.registry)({
    ...context.database.stats(),
    databaseBytes: 1,
    freeBytes: 2,
    blobBytes: 3,
    unlinkedBytes: 0,
    pendingDeletions: 4,
  })
  const { text } = await context.metrics.format()
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      `runledger_cleanup_last_end_seconds ${nowUs / US_PER_SECOND}`,
      'runledger_cleanup_deleted_total{kind="runs"} 1',
      'runledger_cleanup_deleted_total{kind="attachments"} 0',
      'runledger_cleanup_backlog 4',
      'runledger_disk_free_bytes 2',
    ]),
  )
})
