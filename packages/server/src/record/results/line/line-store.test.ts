import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { US_PER_DAY } from '../../../base/clock'
import { openTestContext, type TestContext } from '../../../testing/open-test-context'
import { createRunIn } from '../../../testing/start-test-server'
import { fillHistory } from '../../../upkeep/roll-ups/fill-history'
import { rebuildRollUps } from '../../../upkeep/roll-ups/rebuild-roll-ups'
import { updateUnitRow } from '../../catalogue/units/store'
import { markDeleted } from '../deletion-store'
import { changeLine, DIFFERENT_LINE } from './line-store'

/** More of them prove more: 10,000 take a few minutes. */
const STEPS = Number(process.env.RUNLEDGER_LINE_STEPS ?? 400)
const START_MS = Date.parse('2026-03-01T00:00:00Z')

/** A run as the test knows it. */
interface ModelRun {
  id: number
  unit: string
  procedure: string
  startedUs: number
  outcome: 'PASS' | 'FAIL' | 'ABORTED'
  batch: string
  version: string
}

let opened: TestContext
let context: TestContext['context']
let runs: ModelRun[]
let samples: Set<string>
let draw: (below: number) => number

beforeEach(async () => {
  opened = await openTestContext('FVT', 'EOL')
  ;({ context } = opened)
  runs = []
  samples = new Set()
  let state = 48
  draw = (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
})

afterEach(() => opened.close())

async function create(): Promise<void> {
  const [procedure, unit] = [draw(3) === 0 ? 'EOL' : 'FVT', `SN-${draw(Math.max(40, STEPS / 20))}`]
  // One of five arrives late: it began before others that are on record.
  const minutes = draw(5) === 0 ? draw(runs.length + 1) * 30 : runs.length * 30
  const startedMs = START_MS + minutes * 60_000
  const [passed, version] = [draw(4) > 0, `1.${draw(2)}`]
  await createRunIn(context, opened.principal, {
    procedure_id: procedure,
    procedure_version: version,
    unit_under_test: { serial_number: unit, part_number: 'BOARD', batch_number: `LOT-${draw(3)}` },
    run_passed: passed,
    started_at: new Date(startedMs).toISOString(),
    duration: 'PT60S',
    steps: ['power', 'radio'].map((name, index) => ({
      name,
      step_passed: passed || index > 0,
      started_at: new Date(startedMs).toISOString(),
      duration: 'PT30S',
      measurement_value: draw(1000) / 7,
      measurement_unit: 'V',
      limit_low: 3,
    })),
  })
  const { rows } =
    await sql<ModelRun>`SELECT runs.id, units.serial_number AS unit, procedures.identifier AS procedure,
      started_at_us AS "startedUs", outcome, batches.number AS batch, tag AS version
    FROM runs JOIN units ON units.id = runs.unit_id JOIN procedures ON procedures.id = runs.procedure_id
      JOIN batches ON batches.id = runs.batch_id JOIN procedure_versions ON procedure_versions.id = version_id
    ORDER BY runs.id DESC LIMIT 1`.execute(context.database.query)
  for (const row of rows) runs.push({ ...row, outcome: passed ? 'PASS' : 'FAIL' })
}

async function remove(kind: 'run' | 'batch', keys: readonly number[]): Promise<void> {
  await context.database.write(({ query }) => markDeleted(query, { kind, keys }, context.clock()))
  await context.deletions.run()
}

async function deleteSome(): Promise<void> {
  const gone = runs.splice(draw(runs.length), 1 + draw(3)).map(({ id }) => id)
  await remove('run', gone)
}

async function markUnit(): Promise<void> {
  const { unit } = runs[draw(runs.length)] ?? { unit: '' }
  const keys = runs.filter((run) => run.unit === unit).map(({ id }) => id)
  const sample = samples.has(unit) ? null : ('golden' as const)
  await context.database.write(async ({ query }) => {
    const found = await query
      .selectFrom('units')
      .select('id')
      .where('serial_number', '=', unit)
      .executeTakeFirst()
    await changeLine(query, keys, () => updateUnitRow(query, found?.id ?? 0, { sample }))
  })
  if (!samples.delete(unit)) samples.add(unit)
}

async function abort(): Promise<void> {
  const run = runs[draw(runs.length)]
  if (!run) return
  run.outcome = 'ABORTED'
  await context.database.write(({ query }) =>
    changeLine(query, [run.id], () =>
      query.updateTable('runs').set({ outcome: 'ABORTED' }).where('id', '=', run.id).execute(),
    ),
  )
}

async function deleteBatch(): Promise<void> {
  const { query } = context.database
  const batch = `LOT-${draw(3)}`
  const found = await query.selectFrom('batches').select('id').where('number', '=', batch).executeTakeFirst()
  if (!found) return
  await remove('batch', [found.id])
  for (const run of runs) if (run.batch === batch) run.batch = ''
}

type Counts = Record<string, number[]>

/** What the yields have to be, counted from the model. */
function countModel(): Counts {
  const counts: Counts = {}
  const add = (run: ModelRun, index: number) => {
    const day = Math.floor(run.startedUs / US_PER_DAY)
    const key = [run.procedure, day, run.batch, run.version, samples.has(run.unit) ? 1 : 0].join(' ')
    const row = (counts[key] ??= [0, 0, 0, 0, 0, 0, 0, 0])
    row[index] = (row[index] ?? 0) + 1
  }
  const completed = runs.filter(({ outcome }) => outcome !== 'ABORTED')
  for (const key of new Set(completed.map(({ unit, procedure }) => `${unit} ${procedure}`))) {
    const passes = completed
      .filter(({ unit, procedure }) => `${unit} ${procedure}` === key)
      .toSorted((one, other) => one.startedUs - other.startedUs || one.id - other.id)
    const hasPassed = (run: ModelRun | undefined) => run?.outcome === 'PASS'
    const [first, second] = passes
    if (!first) continue
    add(first, 0)
    if (hasPassed(first)) add(first, 1)
    if (hasPassed(first) || hasPassed(second)) add(first, 2)
    if (hasPassed(passes.at(-1))) add(first, 3)
    const days = new Set<number>()
    for (const run of passes) {
      const day = Math.floor(run.startedUs / US_PER_DAY)
      if (!days.has(day)) {
        add(run, 4)
        if (hasPassed(run)) add(run, 5)
      }
      days.add(day)
      add(run, 6)
      if (hasPassed(run)) add(run, 7)
    }
  }
  return counts
}

async function readYields(): Promise<Counts> {
  const { rows } = await sql<Record<string, string | number | null>>`
    SELECT identifier, day, coalesce(batches.number, '') AS batch, tag, is_sample, units, first_passed, second_passed,
      last_passed, day_units, day_passed, runs, passed_runs
    FROM line_days JOIN procedures ON procedures.id = line_days.procedure_id
      JOIN procedure_versions ON procedure_versions.id = version_id
      LEFT JOIN batches ON batches.id = batch_id`.execute(context.database.query)
  return Object.fromEntries(
    rows.map(({ identifier, day, batch, tag, is_sample: isSample, ...counts }) => [
      [identifier, day, batch, tag, isSample].join(' '),
      Object.values(counts).map(Number),
    ]),
  )
}

/** How many roll-ups are wrong. */
async function countDifferent(): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count
    FROM (${sql.raw(DIFFERENT_LINE)}) AS different`.execute(context.database.query)
  return Number(rows[0]?.count)
}

async function change(): Promise<void> {
  const kind = draw(40)
  if (kind === 0) await deleteSome()
  else if (kind === 1) await markUnit()
  else if (kind === 2) await abort()
  else if (kind === 3 && draw(4) === 0) await deleteBatch()
  else await create()
}

it(
  'keeps roll-ups that equal a recount through random creations, late arrivals, changes and deletions',
  async () => {
    for (let step = 0; step < STEPS; step += 1) await change()
    expect(await readYields()).toEqual(countModel())
    expect(await countDifferent()).toBe(0)
    const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM line_values`.execute(
      context.database.query,
    )
    expect(Number(rows[0]?.count)).toBe(2 * runs.filter(({ outcome }) => outcome !== 'ABORTED').length)
  },
  Math.max(120_000, STEPS * 300),
)

it('finds and mends wrong roll-ups, and fills in what was stored before there were any', async () => {
  for (let step = 0; step < 30; step += 1) await create()
  const before = await readYields()
  const break_ = (...statements: string[]) =>
    context.database.write(async ({ query }) => {
      for (const statement of statements) await sql.raw(statement).execute(query)
    })
  await break_('UPDATE line_days SET units = units + 1', 'UPDATE line_values SET value = value + 1')
  expect(await countDifferent()).toBeGreaterThan(0)
  expect(await rebuildRollUps(context)).toMatchObject({ different: 0 })
  await break_('DELETE FROM line_days', 'DELETE FROM line_values', 'DELETE FROM measurement_days')
  await fillHistory(context, new AbortController().signal)
  expect(await readYields()).toEqual(before)
  expect(await countDifferent()).toBe(0)
})

it('writes nothing for runs of software', async () => {
  await createRunIn(context, opened.principal, {
    procedure_id: 'FVT',
    unit_under_test: { serial_number: 'shop@1', part_number: 'shop', revision: '1' },
    run_passed: true,
    duration: 'PT1S',
    report_variables: { framework: 'vitest', group: 'ci-1', git_branch: 'main', file: 'a.test.ts' },
    steps: [
      {
        name: 'adds',
        kind: 'test',
        step_passed: true,
        started_at: '2026-03-01T00:00:00Z',
        duration: 'PT1S',
        measurement_value: 1,
      },
    ],
  })
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM (SELECT day FROM line_days
    UNION ALL SELECT day FROM measurement_days UNION ALL SELECT id FROM line_values) AS written`.execute(
    context.database.query,
  )
  expect(Number(rows[0]?.count)).toBe(0)
})
