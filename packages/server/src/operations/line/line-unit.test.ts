import {
  type LineUnit,
  LineUnitSchema,
  MAX_TREE_UNITS,
  MAX_UNIT_RUNS,
  RolledYieldsSchema,
} from '@runledger/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAsk, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer
const ask = createAsk(() => server)

interface Tested {
  serial: string
  value?: number
  minutesAgo: number
  procedure?: string
  batch?: string
  part?: string
  subUnits?: string[]
}

beforeAll(async () => {
  server = await startTestServer()
  for (const identifier of ['FVT', 'BURN-IN', 'MODULE'])
    await ask('POST', '/v2/procedures', { name: identifier, identifier })
})

afterAll(() => server.stop())

/** A run of a unit whose supply has to be between 4.9 and 5.1 V. */
async function test({ serial, value = 5, minutesAgo, ...more }: Tested): Promise<string> {
  const { procedure = 'FVT', batch, part = 'BOARD', subUnits = [] } = more
  const started_at = new Date(Date.now() - minutesAgo * 60_000).toISOString()
  const passed = value >= 4.9 && value <= 5.1
  const step = { name: 'supply', step_passed: passed, started_at, duration: 'PT1S' }
  const { id } = await server.createRun({
    procedure_id: procedure,
    unit_under_test: { serial_number: serial, part_number: part, revision: 'A', batch_number: batch },
    run_passed: passed,
    started_at,
    steps: [{ ...step, measurement_value: value, measurement_unit: 'V', limit_low: 4.9, limit_high: 5.1 }],
    sub_units: subUnits.map((serial_number) => ({ serial_number })),
  })
  return id ?? ''
}

async function read(serialNumber: string): Promise<LineUnit> {
  const { status, body } = await ask('GET', `/v2/line/unit?serial_number=${encodeURIComponent(serialNumber)}`)
  expect(status).toBe(200)
  return LineUnitSchema.parse(body)
}

it('tells a unit that was retested until it passed, its verdicts, and its values among those of others', async () => {
  for (const [index, value] of [4.95, 5, 5.05, 5.2].entries())
    await test({ serial: `OTHER-${index}`, value, minutesAgo: 60 - index })
  await test({ serial: 'OTHER-0', procedure: 'BURN-IN', minutesAgo: 50 })
  const failed: string[] = []
  for (const [index, value] of [4, 4.5].entries())
    failed.push(await test({ serial: 'RETESTED', value, minutesAgo: 30 - index, batch: 'LOT-7' }))
  const passed = await test({ serial: 'RETESTED', value: 5.02, minutesAgo: 20, batch: 'LOT-7' })
  const picture = await server.upload('board.png', 'bytes', { 'content-type': 'image/png' })
  const text = await server.upload('board.log', 'bytes', { 'content-type': 'text/plain' })
  await ask('PATCH', `/v2/runs/${failed[1]}`, { attachments: [picture, text] })

  const found = await read('retested')
  expect(found.unit).toMatchObject({
    serial_number: 'RETESTED',
    part: { number: 'BOARD', revision: { number: 'A' } },
    batch: { number: 'LOT-7' },
  })
  expect(found.verdicts).toMatchObject([
    {
      procedure: { identifier: 'FVT' },
      outcome: 'PASS',
      runs: 3,
      failed: 2,
      passed_at: 3,
      last_run: { id: passed },
    },
    { procedure: { identifier: 'BURN-IN' }, outcome: null, runs: 0, passed_at: null, last_run: null },
  ])
  expect(found.runs.map(({ id }) => id)).toEqual([passed, failed[1], failed[0]])
  expect(found.runs[1]).toMatchObject({
    failures: [{ name: 'supply', message: expect.stringContaining('4.5 V') as string }],
    pictures: [{ id: picture, name: 'board.png' }],
  })
  expect(found.failures).toMatchObject([
    { run_id: failed[0], verdict: 'first_failure', unit: { other_units: { tested: 4, failed: 1 } } },
    {
      run_id: failed[1],
      verdict: 'failed_before',
      unit: { earlier_failures: 1, passed_later: { id: passed } },
    },
  ])
  expect(found.measurements).toMatchObject([
    {
      run_id: passed,
      measurement: 'supply',
      unit: 'V',
      value: 5.02,
      limit_low: 4.9,
      limit_high: 5.1,
      passed: true,
    },
  ])
  const { others } = found.measurements[0] ?? {}
  expect(others).toMatchObject({ n: 4, min: 4.95, max: 5.2, below: 0.5, median: 5.025 })
  expect(others?.mean).toBeCloseTo(5.05, 12)
})

it('leaves samples and aborted runs out of what values and verdicts are compared with', async () => {
  await test({ serial: 'ALONE', value: 5, minutesAgo: 9, procedure: 'MODULE', part: 'M' })
  await test({ serial: 'GOLD', value: 4.91, minutesAgo: 8, procedure: 'MODULE', part: 'M' })
  await ask('PATCH', '/v2/units/GOLD', { sample: 'golden' })
  const { status } = await ask('POST', '/v2/runs', {
    outcome: 'ABORTED',
    procedure_id: 'MODULE',
    serial_number: 'ALONE',
    part_number: 'M',
    started_at: new Date(Date.now() - 60_000).toISOString(),
    ended_at: new Date(Date.now() - 50_000).toISOString(),
  })
  expect(status).toBe(200)
  const found = await read('ALONE')
  expect(found.verdicts).toMatchObject([{ outcome: 'PASS', runs: 1, passed_at: 1 }])
  expect(found.runs.map(({ outcome }) => outcome)).toEqual(['ABORTED', 'PASS'])
  expect(found.measurements).toMatchObject([{ value: 5, others: null }])
})

it('shows the tree both ways, and runs of sub-units on the same time line', async () => {
  await test({ serial: 'CELL', minutesAgo: 300, part: 'CELL' })
  await test({ serial: 'PACK', minutesAgo: 200, part: 'PACK', subUnits: ['CELL'] })
  await test({ serial: 'CAR', value: 4, minutesAgo: 100, part: 'CAR', subUnits: ['PACK'] })
  const pack = await read('PACK')
  expect(pack.holders).toMatchObject([
    { serial_number: 'CAR', depth: 1, verdicts: [{ outcome: 'FAIL', runs: 1, failed: 1 }] },
  ])
  expect(pack.sub_units).toMatchObject([{ serial_number: 'CELL', depth: 1, parent: 'PACK' }])
  expect(pack.runs.map(({ unit }) => unit.serial_number)).toEqual(['PACK', 'CELL'])
  const car = await read('CAR')
  expect(car.sub_units.map(({ serial_number: serial, depth }) => [serial, depth])).toEqual([
    ['PACK', 1],
    ['CELL', 2],
  ])
  expect(car.holders).toEqual([])
})

it('bounds the tree and the time line, and says that there is more', async () => {
  for (let index = 0; index < MAX_UNIT_RUNS + 5; index += 1)
    await test({ serial: 'MANY', minutesAgo: 500 - index })
  const cells = Array.from({ length: MAX_TREE_UNITS + 3 }, (_, index) => `CELL-${index}`)
  await Promise.all(cells.map((serial) => test({ serial, minutesAgo: 900, part: 'CELL' })))
  await test({ serial: 'MANY', minutesAgo: 1, subUnits: cells })
  const found = await read('MANY')
  expect(found).toMatchObject({ more_runs: true, more_sub_units: true })
  expect(found.runs).toHaveLength(MAX_UNIT_RUNS)
  expect(found.sub_units).toHaveLength(MAX_TREE_UNITS)
}, 60_000)

it('multiplies the yields of the procedures of a part, and compares a batch with the other units', async () => {
  const part = { part: 'ROLLED' }
  await test({ ...part, serial: 'R-1', value: 4, minutesAgo: 40, batch: 'BAD' })
  await test({ ...part, serial: 'R-1', minutesAgo: 39, batch: 'BAD' })
  await test({ ...part, serial: 'R-2', minutesAgo: 38, batch: 'GOOD' })
  await test({ ...part, serial: 'R-1', value: 4, minutesAgo: 20, procedure: 'BURN-IN', batch: 'BAD' })
  for (const serial of ['R-2', 'R-3', 'R-4'])
    await test({ ...part, serial, minutesAgo: 19, procedure: 'BURN-IN', batch: 'GOOD' })
  const ofPart = RolledYieldsSchema.parse(
    (await ask('GET', '/v2/line/rolled-yields?part_number=rolled')).body,
  )
  expect(ofPart.data).toMatchObject([
    { procedure: { identifier: 'BURN-IN' }, first_pass: { count: 3, of: 4 }, last_pass: { count: 3, of: 4 } },
    { procedure: { identifier: 'FVT' }, first_pass: { count: 1, of: 2 }, last_pass: { count: 2, of: 2 } },
  ])
  expect(ofPart.rolled.first_pass).toBeCloseTo(0.375, 12)
  expect(ofPart.rolled.last_pass).toBeCloseTo(0.75, 12)
  const ofBatch = RolledYieldsSchema.parse((await ask('GET', '/v2/line/rolled-yields?batch_number=bad')).body)
  expect(ofBatch.data[0]).toMatchObject({
    procedure: { identifier: 'BURN-IN' },
    first_pass: { count: 0, of: 1 },
    others: { count: 4, of: 4 },
  })
  const none = await ask('GET', '/v2/line/rolled-yields?part_number=ROLLED&revision_number=Z')
  expect(none).toMatchObject({ status: 404 })
})
