import { OPERATIONS, type TakenShard, TakeShardRequestSchema } from '@runledger/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Random } from '../../../../../test/support/random'
import { US_PER_DAY } from '../../base/clock'
import { openTestContext, type TestContext } from '../../testing/open-test-context'
import { createRunIn } from '../../testing/start-test-server'
import { sweepOnce } from '../../upkeep/sweep'
import { type CheckedProcedure, type CheckedWrite, createCheckedWrite } from '../call/subjects'
import { deleteProcedure } from '../procedures/handlers'
import { digestKey, insertPlan, updatePlan } from '../../record/results/shards/plan-store'
import { SHARD_HANDLERS } from './handlers'

let opened: TestContext
let context: TestContext['context']
let principal: TestContext['principal']

beforeEach(async () => {
  opened = await openTestContext('FVT', 'EOL')
  ;({ context, principal } = opened)
})

afterEach(() => opened.close())

const ASKED = { procedure_id: 'FVT', build: 'ci-1', framework: 'vitest', shard_index: 1, shard_total: 2 }

async function take(files: readonly string[], change: Record<string, unknown> = {}): Promise<TakenShard> {
  const body = TakeShardRequestSchema.parse({ ...ASKED, files, ...change })
  const write = createCheckedWrite(OPERATIONS.takeShard, { context, principal, params: {}, body })
  const call = { context, principal, params: {}, body, headers: {}, query: undefined }
  return (await SHARD_HANDLERS.takeShard({
    ...call,
    write: write as CheckedWrite<CheckedProcedure>,
  })) as TakenShard
}

async function takeAll(files: readonly string[], change: Record<string, unknown> = {}): Promise<string[][]> {
  const taken = []
  for (const shard_index of [1, 2]) taken.push((await take(files, { ...change, shard_index })).files)
  return taken
}

/** Records a build whose files took these seconds, one after the other, with a pause between them. */
async function record(group: string, seconds: Record<string, number>, pause = 0): Promise<void> {
  let at = Date.parse('2026-11-28T10:00:00Z')
  for (const [file, duration] of Object.entries(seconds)) {
    const started_at = new Date(at).toISOString()
    await createRunIn(context, principal, {
      procedure_id: 'FVT',
      unit_under_test: { serial_number: 'SN', part_number: 'P', revision: 'A' },
      run_passed: true,
      started_at,
      duration: `PT${duration}S`,
      report_variables: { group, file, framework: 'vitest' },
      steps: [{ name: 'adds', kind: 'test', step_passed: true, started_at, duration: 'PT1S' }],
    })
    at += (duration + pause) * 1_000
  }
}

const countPlans = async () =>
  (await context.database.query.selectFrom('shard_plans').select('id').where('shards', '<>', '').execute())
    .length

/** Lists which of three builds have a plan. */
async function listBuilds(): Promise<string[]> {
  const plans = await context.database.query
    .selectFrom('shard_plans')
    .select('digest')
    .where('shards', '<>', '')
    .execute()
  const digests = new Set(plans.map(({ digest }) => digest))
  return ['ci-1', 'ci-2', 'ci-3'].filter((build) => digests.has(digestKey({ ...ASKED, build })))
}

describe('a plan of shards', () => {
  it('is based on the durations of earlier builds', async () => {
    await record('ci-0', { 'a.ts': 1, 'b.ts': 2, 'c.ts': 3, 'd.ts': 6 })
    expect(await takeAll(['a.ts', 'b.ts', 'c.ts', 'd.ts'])).toEqual([['d.ts'], ['a.ts', 'b.ts', 'c.ts']])
    expect((await take(['a.ts', 'b.ts', 'c.ts', 'd.ts'])).by_count).toBe(false)
  })

  it('counts the pauses between files', async () => {
    const files = { 'a.ts': 1, 'b.ts': 1, 'c.ts': 1, 'd.ts': 1, 'long.ts': 4 }
    await record('ci-0', files, 9)
    const sizes = (await takeAll(Object.keys(files))).map(({ length }) => length)
    expect(sizes).toEqual([2, 3])
  })

  it('knows durations of files that share a run', async () => {
    const started_at = '2026-11-28T10:00:00Z'
    const durations = { 'a.ts': 1, 'b.ts': 2, 'c.ts': 3, 'd.ts': 6 }
    await createRunIn(context, principal, {
      procedure_id: 'FVT',
      unit_under_test: { serial_number: 'SN', part_number: 'P', revision: 'A' },
      run_passed: true,
      started_at,
      duration: 'PT12S',
      report_variables: { group: 'ci-0' },
      steps: Object.entries(durations).map(([file, seconds]) => ({
        name: `adds ${file}`,
        kind: 'test' as const,
        location: { file },
        step_passed: true,
        started_at,
        duration: `PT${seconds}S`,
      })),
    })
    expect(await takeAll(Object.keys(durations))).toEqual([['d.ts'], ['a.ts', 'b.ts', 'c.ts']])
  })

  it('is the same for a shard that asks after new runs, and for one that asks again', async () => {
    const files = ['a.ts', 'b.ts', 'c.ts', 'd.ts']
    await record('ci-0', { 'a.ts': 1, 'b.ts': 2, 'c.ts': 3, 'd.ts': 6 })
    const first = await take(files)
    await record('ci-1', { 'a.ts': 60, 'b.ts': 1, 'c.ts': 1, 'd.ts': 1 })
    opened.advance(US_PER_DAY)
    expect((await take(files, { shard_index: 2 })).files).toEqual(['a.ts', 'b.ts', 'c.ts'])
    expect(await take(files)).toEqual(first)
    expect((await take(files, { build: 'ci-2' })).files).toEqual(['a.ts'])
  })

  it('is a single plan when all shards ask at once', async () => {
    const files = Array.from({ length: 30 }, (_, index) => `${index}.ts`)
    const taken = await Promise.all(
      [1, 2, 3, 4, 5].map((shard_index) => take(files, { shard_index, shard_total: 5 })),
    )
    expect(taken.flatMap((shard) => shard.files).toSorted()).toEqual(files.toSorted())
    expect(await countPlans()).toBe(1)
  })

  it('has every file once, also where shards find different files', async () => {
    const random = new Random('different files')
    for (let round = 0; round < 40; round += 1) {
      const all = Array.from({ length: random.between(4, 30) }, (_, index) => `${index}.ts`)
      const total = random.between(1, 5)
      const places: string[] = []
      const found = new Set<string>()
      for (let shard_index = 1; shard_index <= total; shard_index += 1) {
        const files = all.filter((file, index) => index < 3 || file === all.at(-1) || random.chance(0.9))
        const answer = await take(files, { build: `ci-${round}`, shard_index, shard_total: total })
        places.push(...answer.files, ...answer.absent)
        for (const file of files) found.add(file)
      }
      // A file is reported absent only to the shard that should run it, and that shard does not have it.
      expect(places.toSorted()).toEqual([...new Set(places)].toSorted())
      expect(new Set(places).size).toBeLessThanOrEqual(found.size)
      for (const file of found) expect(places).toContain(file)
    }
  })

  it('gives a file that it does not have to the shard that found it, and names files that were not found', async () => {
    expect((await take(['a.ts', 'b.ts', 'c.ts'])).files).toEqual(['a.ts', 'c.ts'])
    const second = await take(['a.ts', 'c.ts', 'new.ts'], { shard_index: 2 })
    expect(second).toMatchObject({ files: ['new.ts'], absent: ['b.ts'] })
    expect((await take(['a.ts', 'b.ts', 'c.ts', 'new.ts'])).files).toEqual(['a.ts', 'c.ts'])
  })

  it('is not that of another suite, which has a name of its own', async () => {
    await take(['a.ts', 'b.ts'])
    const others = ['x.ts', 'y.ts', 'a.ts']
    await expect(take(others, { shard_index: 2 })).rejects.toMatchObject({ code: 'CONFLICT' })
    expect((await take(others, { shard_index: 2, name: 'web' })).files).toEqual(['x.ts'])
    expect((await take(others, { shard_index: 2, framework: 'jest' })).files).toEqual(['x.ts'])
    expect((await take(others, { shard_index: 3, shard_total: 3 })).files).toEqual(['y.ts'])
  })

  it('is made by count for a shard that ran by count, unless a plan exists', async () => {
    await record('ci-0', { 'a.ts': 1, 'b.ts': 2, 'c.ts': 3, 'd.ts': 6 })
    const files = ['a.ts', 'b.ts', 'c.ts', 'd.ts']
    const first = await take(files, { by_count: true })
    expect([first.files, first.by_count]).toEqual([['a.ts', 'c.ts'], true])
    expect((await take(files, { shard_index: 2 })).files).toEqual(['b.ts', 'd.ts'])
    await take(files, { build: 'ci-2' })
    expect((await take(files, { build: 'ci-2', by_count: true })).files).toEqual(['d.ts'])
  })

  it('is deleted after 30 days, and with its procedure', async () => {
    await take(['a.ts'])
    await take(['a.ts'], { procedure_id: 'EOL' })
    await deleteProcedure(context, 'EOL')
    await context.deletions.run()
    expect(await countPlans()).toBe(1)
    // Each clean-up lets records age by at most two days.
    for (let day = 0; day <= 31; day += 1) {
      if (day === 30) expect(await countPlans()).toBe(1)
      await sweepOnce(context, new AbortController().signal)
      opened.advance(US_PER_DAY)
    }
    expect(await countPlans()).toBe(0)
  })

  it('makes room by removing the oldest of its procedure, but none of the last six hours', async () => {
    await take(['a.ts'], { procedure_id: 'EOL', build: 'ci-0' })
    for (const build of ['ci-1', 'ci-2', 'ci-3']) await take(['a.ts'], { build })
    const { database, nextKey, clock } = context
    const known = await database.query
      .selectFrom('shard_plans')
      .select(['id', 'procedure_id', 'digest', 'shards', 'by_count', 'created_at_us'])
      .where('digest', '=', digestKey({ ...ASKED, build: 'ci-3' }))
      .executeTakeFirstOrThrow()
    // Room for four small plans.
    const mostBytes = 20_000
    const insert = () =>
      database.write(({ query }) => {
        const plan = { ...known, id: nextKey(), digest: String(nextKey()), created_at_us: clock() }
        return insertPlan(query, plan, mostBytes)
      })
    const update = () =>
      database.write(({ query }) =>
        updatePlan(query, { ...known, shards: 'x'.repeat(6_000) }, { nowUs: clock(), mostBytes }),
      )
    await insert()
    for (const change of [insert, update])
      await expect(change()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 60 })
    expect(await countPlans()).toBe(5)
    opened.advance(US_PER_DAY / 4)
    await insert()
    expect(await listBuilds()).toEqual(['ci-2', 'ci-3'])
    await update()
    expect(await listBuilds()).toEqual(['ci-3'])
    expect(await countPlans()).toBe(4)
    await expect(take(['a.ts'], { build: 'ci-1', shard_index: 2 })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/^The plan of this build's shards was removed/) as unknown,
    })
  })
})
