import { OPERATIONS, PutExecutionRequestSchema, type PutExecutionResponse } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { US_PER_DAY } from '../../base/clock'
import { type CheckedProcedure, type CheckedWrite, createCheckedWrite } from '../call/subjects'
import type { Principal, StationPrincipal } from '../../record/access/keys/principal'
import { deleteProcedure } from '../procedures/handlers'
import { findProcedure } from '../../record/catalogue/procedures/store'
import { findRunKeys } from '../../record/results/runs/store'
import { createStation } from '../stations/handlers'
import { findStation, linkProcedure } from '../../record/access/stations/store'
import { openTestContext, type TestContext } from '../../testing/open-test-context'
import { createRunIn } from '../../testing/start-test-server'
import { sweepOnce } from '../../upkeep/sweep'
import { BUILD_HANDLERS } from './handlers'
import { readBuild } from '../../record/results/builds/read-build'
import { insertExecution } from '../../record/results/builds/store'
import { markDeleted } from '../../record/results/deletion-store'

let opened: TestContext
let context: TestContext['context']
let principal: TestContext['principal']

beforeEach(async () => {
  opened = await openTestContext('FVT', 'EOL')
  ;({ context, principal } = opened)
})

afterEach(() => opened.close())

async function put(
  group: string,
  procedure_id = 'FVT',
  asker: Principal = principal,
): Promise<PutExecutionResponse> {
  const body = PutExecutionRequestSchema.parse({ procedure_id, group, started_at: '2026-11-28T10:02:40Z' })
  const params = { id: randomUUID() }
  const write = createCheckedWrite(OPERATIONS.putExecution, { context, principal: asker, params, body })
  const call = { context, principal: asker, params, body, headers: {}, query: undefined }
  const checked = { ...call, write: write as CheckedWrite<CheckedProcedure> }
  return (await BUILD_HANDLERS.putExecution(checked)) as PutExecutionResponse
}

async function record(group: string, procedure_id = 'FVT', asker: Principal = principal): Promise<string> {
  const { id } = await createRunIn(context, asker, {
    procedure_id,
    unit_under_test: { serial_number: 'SN', part_number: 'P', revision: 'A' },
    run_passed: true,
    duration: 'PT1S',
    report_variables: { group },
  })
  return id
}

async function remove(runId: string): Promise<void> {
  await context.database.write(async ({ query }) => {
    const keys = await findRunKeys(query, [runId])
    await markDeleted(query, { kind: 'run', keys: [...keys.values()] }, context.clock())
  })
  await context.deletions.run()
}

const countExecutions = async (group: string) => (await readBuild(context, group))?.executions.begun ?? 0

it('go with the last run of their group', async () => {
  await put('ci-1')
  const runs = [await record('ci-1'), await record('ci-1')]
  await remove(runs[0] ?? '')
  expect(await countExecutions('ci-1')).toBe(1)
  await remove(runs[1] ?? '')
  expect(await countExecutions('ci-1')).toBe(0)
})

it('go after 30 days where no run ever came, and stay with the runs of their group', async () => {
  await put('ci-1')
  await put('ci-2')
  await record('ci-2')
  const sweep = () => sweepOnce(context, new AbortController().signal)
  opened.advance(29 * US_PER_DAY)
  await sweep()
  expect(await countExecutions('ci-1')).toBe(1)
  // A clock that goes ahead by more than a day at once deletes nothing.
  for (let days = 0; days < 2; days += 1) {
    opened.advance(US_PER_DAY)
    await sweep()
  }
  expect([await countExecutions('ci-1'), await countExecutions('ci-2')]).toEqual([0, 1])
  expect((await readBuild(context, 'ci-2'))?.state).toBe('incomplete')
})

const HISTORY = [
  'builds',
  'build_procedures',
  'suites',
  'tests',
  'test_results',
  'test_days',
  'executions',
] as const

it('stay, with all of the history, for 20 hours under a clock that is 40 days ahead', async () => {
  await put('ci-1')
  const started_at = '2026-11-28T10:02:40Z'
  await createRunIn(context, principal, {
    procedure_id: 'FVT',
    unit_under_test: { serial_number: 'SN', part_number: 'P', revision: 'A' },
    run_passed: true,
    started_at,
    duration: 'PT1S',
    report_variables: { group: 'ci-2', file: 'a.test.ts' },
    steps: [{ name: 'adds', kind: 'test', step_passed: true, started_at, duration: 'PT1S' }],
  })
  const sweep = () => sweepOnce(context, new AbortController().signal)
  const readHistory = () =>
    Promise.all(HISTORY.map((table) => context.database.query.selectFrom(table).selectAll().execute()))
  await sweep()
  const before = await readHistory()
  expect(before.map((rows) => rows.length > 0)).toEqual(HISTORY.map(() => true))
  opened.advance(40 * US_PER_DAY)
  for (let hour = 0; hour < 20; hour += 1) await sweep()
  expect(await readHistory()).toEqual(before)
})

it('go with their procedure', async () => {
  await put('ci-1', 'EOL')
  await deleteProcedure(context, 'EOL')
  await context.deletions.run()
  expect(await countExecutions('ci-1')).toBe(0)
})

/** A station that is linked to these procedures. */
async function createBench(name: string, ...procedures: string[]): Promise<StationPrincipal> {
  const { id } = await createStation(context, principal, { name, procedure_id: undefined })
  return context.database.write(async (transaction) => {
    const station = await findStation(transaction.query, id)
    const stationId = station?.id ?? 0
    for (const procedure of procedures) {
      const found = await findProcedure(transaction, procedure)
      await linkProcedure(transaction.query, stationId, found?.id ?? 0)
    }
    return { kind: 'station', stationId }
  })
}

describe('of a station', () => {
  it('keep a build running that others have runs in', async () => {
    const bench = await createBench('bench', 'EOL')
    await put('ci-1', 'EOL', bench)
    await record('ci-1')
    expect((await readBuild(context, 'ci-1'))?.state).toBe('running')
  })

  it('leave room for those of other stations and users', async () => {
    const [one, other] = [await createBench('one', 'FVT'), await createBench('other', 'FVT')]
    await put('ci-1', 'FVT', one)
    await fill('ci-1')
    await expect(put('ci-1', 'FVT', one)).rejects.toThrow('This station reported 1000 executions')
    await put('ci-1', 'FVT', other)
    await put('ci-1')
    expect(await countExecutions('ci-1')).toBe(1_002)
  })
})

/** Repeats the execution of a group until there are 1,000. */
async function fill(group: string): Promise<void> {
  await context.database.write(async ({ query }) => {
    const all = query.selectFrom('executions').selectAll().where('group_name', '=', group)
    const first = await all.executeTakeFirstOrThrow()
    for (let count = 1; count < 1_000; count += 1)
      await insertExecution(query, { ...first, id: context.nextKey(), public_id: randomUUID() })
  })
}

it('are at most 1,000 of one group', async () => {
  const { build } = await put('ci-1')
  expect(build.missing).toHaveLength(1)
  await fill('ci-1')
  await expect(put('ci-1')).rejects.toThrow('The user and project keys of this procedure reported 1000')
  expect((await put('ci-2')).build.state).toBe('running')
  expect((await readBuild(context, 'ci-1'))?.missing.at(-1)).toBe('980 more executions have not ended')
})
