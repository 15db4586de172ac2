import {
  GetGaugeStudyQuerySchema,
  GetLineMeasurementQuerySchema,
  ListLineProceduresQuerySchema,
  ListYieldsQuerySchema,
} from '@runledger/protocol'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { getGaugeStudy } from '../../record/results/line/gauge'
import { getLineMeasurement } from '../../record/results/line/measurement'
import { listLineProcedures } from '../../record/results/line/procedures'
import { listLineFailures, listYields } from '../../record/results/line/yields'
import { openTestContext, type TestContext } from '../../testing/open-test-context'
import { createRunIn } from '../../testing/start-test-server'

let opened: TestContext
let context: TestContext['context']

beforeEach(async () => {
  opened = await openTestContext('FVT')
  ;({ context } = opened)
})

afterEach(() => opened.close())

interface MadeRun {
  serial: string
  part?: string
  metadata?: Record<string, string>
  value: number
  batch?: string
  minutesAgo: number
}

async function record({
  serial,
  part = 'BOARD',
  value,
  batch,
  minutesAgo,
  metadata,
}: MadeRun): Promise<void> {
  const started_at = new Date(Date.now() - minutesAgo * 60_000).toISOString()
  const passed = value >= 4.9 && value <= 5.1
  await createRunIn(context, opened.principal, {
    procedure_id: 'FVT',
    unit_under_test: { serial_number: serial, part_number: part, batch_number: batch },
    report_variables: metadata,
    run_passed: passed,
    started_at,
    duration: 'PT1S',
    steps: [
      {
        name: 'supply',
        step_passed: passed,
        started_at,
        duration: 'PT1S',
        measurement_value: value,
        measurement_unit: 'V',
        limit_low: 4.9,
        limit_high: 5.1,
      },
    ],
  })
}

/** A value within 10 mV of 5 V that looks random, and is the same in each execution. */
const noise = (index: number) => 0.01 * Math.sin(index * 12.9898 + Math.sin(index) * 7)

const ask = { procedure_id: 'fvt', phase: 'supply' }
const readMeasurement = (over = {}) =>
  getLineMeasurement(context, GetLineMeasurementQuerySchema.parse({ ...ask, ...over }))

it('finds when a voltage drifted, and the batch that it began with', async () => {
  for (let index = 0; index < 90; index += 1) {
    const isLate = index >= 60
    await record({
      serial: `SN-${index}`,
      value: 5 + noise(index) + (isLate ? 0.06 : 0),
      batch: isLate ? 'LOT-2' : 'LOT-1',
      minutesAgo: 90 - index,
    })
  }
  const all = await readMeasurement()
  expect(all).toMatchObject({ n: 90, unit: 'V', in_control: false, within: null })
  expect(all.overall?.centered.value).toBeGreaterThan(0)
  expect(all.drifts).toMatchObject([{ index: 60, began_with: ['batch LOT-2'] }])
  expect(all.drifts[0]?.mean_after).toBeCloseTo(5.06, 2)
  expect((await readMeasurement({ batch_numbers: ['LOT-2'] })).n).toBe(30)
  const frozen = await readMeasurement({ limits_until: all.values[59]?.started_at })
  expect(frozen.control?.values).toBe(60)
  expect(frozen.violations[0]?.index).toBeGreaterThanOrEqual(0)
  expect(frozen.violations.filter(({ rule }) => rule === 1).map(({ index }) => index)).toContain(60)
  expect(all.histogram.reduce((sum, { count }) => sum + count, 0)).toBe(90)
}, 120_000)

it('counts first, second and last passes of units by batch, and what fails', async () => {
  await record({ serial: 'A', value: 4, batch: 'LOT-1', minutesAgo: 9 })
  await record({ serial: 'A', value: 4, batch: 'LOT-1', minutesAgo: 8 })
  await record({ serial: 'A', value: 5, batch: 'LOT-1', minutesAgo: 7 })
  await record({ serial: 'B', value: 5, batch: 'LOT-2', minutesAgo: 6 })
  const { data, total } = await listYields(
    context,
    ListYieldsQuerySchema.parse({ procedure_id: 'FVT', by: 'batch' }),
  )
  expect(total.first_pass).toMatchObject({ count: 1, of: 2 })
  expect(data).toMatchObject([
    {
      key: 'LOT-1',
      first_pass: { count: 0, of: 1 },
      second_pass: { count: 0, of: 1 },
      last_pass: { count: 1, of: 1 },
    },
    { key: 'LOT-2', first_pass: { count: 1, of: 1 } },
  ])
  const weeks = await listYields(context, ListYieldsQuerySchema.parse({ procedure_id: 'FVT', by: 'week' }))
  expect(weeks.data.map(({ key }) => new Date(key ?? '').getUTCDay())).toEqual(weeks.data.map(() => 1))
  expect(await listLineFailures(context, { procedure_id: 'FVT', days: 28 })).toMatchObject({
    data: [{ phase: 'supply', measurement: 'supply', failures: { count: 2, of: 4 }, share: 1 }],
  })
})

it('lists the procedure with its worst batch, its worst measurement and how many values are out of control', async () => {
  for (let index = 0; index < 40; index += 1)
    await record({
      serial: `SN-${index}`,
      value: index === 33 ? 5.3 : 5 + noise(index),
      batch: index < 30 ? 'LOT-1' : 'LOT-2',
      minutesAgo: 40 - index,
    })
  const list = (over = {}) => listLineProcedures(context, ListLineProceduresQuerySchema.parse(over))
  const [line, ...others] = (await list()).data
  expect(others).toEqual([])
  expect(line).toMatchObject({
    procedure: { identifier: 'FVT' },
    first_pass: { count: 39, of: 40 },
    worst_batch: { number: 'LOT-2', first_pass: { count: 9, of: 10 } },
    worst_measurement: { measurement: 'supply', failures: { count: 1, of: 40 } },
    control: { measurements: 1 },
  })
  const all = await readMeasurement()
  const violating = new Set(all.violations.map(({ index }) => index)).size
  expect(violating).toBeGreaterThan(0)
  expect(line?.control.checked).toEqual([
    { phase: 'supply', measurement: 'supply', values: 40, violating, in_control: false },
  ])
  await expect(list({ procedure_ids: 'NOTHING' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('finds the station that measures a golden unit differently', async () => {
  for (let index = 0; index < 9; index += 1)
    await record({
      serial: 'GOLD',
      value: 5 + noise(index) + (index % 3 === 2 ? 0.05 : 0),
      minutesAgo: 9 - index,
    })
  await context.database.write(async ({ query }) => {
    for (const [place, name] of ['one', 'two', 'three'].entries()) {
      await query
        .insertInto('stations')
        .values({
          id: place + 1,
          public_id: name,
          name,
          name_folded: name,
          identifier: null,
          image_id: null,
          deleted_at_us: null,
          created_at_us: 0,
          created_by_user_id: null,
        })
        .execute()
    }
    await sql`UPDATE runs SET created_by_station_id = 1 +
      (SELECT count(*) FROM runs AS earlier WHERE earlier.started_at_us < runs.started_at_us) % 3`.execute(
      query,
    )
    await query.updateTable('units').set({ sample: 'golden' }).execute()
  })
  const { study } = await getGaugeStudy(context, GetGaugeStudyQuerySchema.parse(ask))
  expect(study).toMatchObject({ units: ['GOLD'], readings: 3, left_out: 0 })
  expect(study?.stations.toSorted((one, other) => other.mean - one.mean)[0]?.station).toBe('three')
  expect(study?.p_values.stations).toBeLessThan(0.01)
  expect(study?.reproducibility.share).toBeGreaterThan(0.5)
  expect((await readMeasurement()).n).toBe(0)
})

it('counts a board that is tested in a git repository, and no package that is itself the unit', async () => {
  const git = { framework: 'vitest', git_branch: 'main', git_commit: 'c0ffee' }
  const one = { value: 5, minutesAgo: 5 }
  await record({ ...one, serial: 'SN-1', metadata: git })
  await record({ ...one, serial: 'acme-shop@c0ffee', part: '@acme/shop', metadata: git })
  await record({ ...one, serial: 'acme-shop@laptop', part: '@acme/shop', metadata: { framework: 'vitest' } })
  const { total } = await listYields(context, ListYieldsQuerySchema.parse({ procedure_id: 'FVT' }))
  expect(total.first_pass).toMatchObject({ count: 1, of: 1 })
  expect((await readMeasurement()).values).toMatchObject([{ serial_number: 'SN-1' }])
})
