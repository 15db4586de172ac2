import { expect } from 'vitest'
import type {
  GaugeStudyAnswer,
  LineFailureList,
  LineMeasurement,
  LineProcedureList,
  LineUnit,
  RolledYields,
  WhereUsed,
  YieldList,
} from '../../../packages/protocol/src/index'
import type { ContractCase } from '../contract-case'
import type { World } from '../world'

interface Measured {
  serial: string
  value: number
  sample?: 'golden'
}

/** A procedure of its own with a run for each value, in their order, which passes from 3.1 on. */
async function makeLine(world: World, measured: readonly Measured[]): Promise<{ procedure_id: string }> {
  const identifier = world.unique('LINE')
  await world.client.createProcedure({ body: { name: identifier, identifier } })
  for (const [index, { serial, value, sample }] of measured.entries()) {
    const started_at = new Date(Date.now() - (measured.length - index) * 1_000).toISOString()
    const passed = value >= 3.1
    await world.client.createLenientV1Run({
      body: {
        procedure_id: identifier,
        unit_under_test: { serial_number: `${identifier}-${serial}`, part_number: 'BOARD', revision: 'A' },
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
            limit_low: 3.1,
          },
          { name: 'look at it', step_passed: true, started_at, duration: 'PT1S' },
        ],
      } as never,
    })
    if (sample)
      await world.client.updateUnit({
        params: { serial_number: `${identifier}-${serial}` },
        body: { sample },
      } as never)
  }
  return { procedure_id: identifier }
}

/** A unit that is repaired, one that passes and a golden one. */
const MEASURED: readonly Measured[] = [
  { serial: '1', value: 3 },
  { serial: '1', value: 3.3 },
  { serial: '2', value: 3.2 },
  { serial: 'gold', value: 2.9, sample: 'golden' },
  { serial: 'gold', value: 3.1 },
]

const LINE_OPERATION_NAMES = [
  'listYields',
  'listLineFailures',
  'getLineMeasurement',
  'getGaugeStudy',
] as const

/** What is answered of the production line. */
export const LINE_CASES: readonly ContractCase[] = [
  {
    operation: 'listLineProcedures',
    answers: 'ok',
    input: async (world) => {
      const { procedure_id } = await makeLine(world, MEASURED)
      return { query: { procedure_ids: procedure_id, days: 1 } }
    },
    check: ({ data, has_more: hasMore }: LineProcedureList) => {
      expect(hasMore).toBe(false)
      expect(data).toMatchObject([
        {
          first_pass: { count: 1, of: 2, rate: 0.5 },
          last_pass: { count: 2, of: 2 },
          worst_batch: null,
          worst_measurement: { phase: 'supply', failures: { count: 1, of: 3 }, has_numbers: true },
          control: {
            measurements: 1,
            checked: [{ phase: 'supply', measurement: 'supply', values: 3, violating: 0, in_control: true }],
          },
        },
      ])
    },
  },
  {
    operation: 'listLineProcedures',
    answers: 'NOT_FOUND',
    input: () => ({ query: { procedure_ids: 'NOTHING' } }),
  },
  {
    operation: 'listLineProcedures',
    answers: 'BAD_REQUEST',
    when: 'with a limit that makes no sense',
    input: () => ({ query: { limit: 0 } }),
  },
  {
    operation: 'listYields',
    answers: 'ok',
    input: async (world) => ({ query: { ...(await makeLine(world, MEASURED)), by: 'revision' } }),
    check: ({ data, total, samples }: YieldList) => {
      expect(total).toMatchObject({
        first_pass: { count: 1, of: 2, rate: 0.5 },
        second_pass: { count: 2, of: 2 },
        last_pass: { count: 2, of: 2 },
        runs: { count: 2, of: 3 },
      })
      expect(data).toMatchObject([{ key: 'BOARD A', id: null, first_pass: { count: 1, of: 2 } }])
      expect(samples).toMatchObject({ first_pass: { count: 0, of: 1 }, last_pass: { count: 1, of: 1 } })
    },
  },
  {
    operation: 'listLineFailures',
    answers: 'ok',
    input: async (world) => ({ query: await makeLine(world, MEASURED) }),
    check: ({ data }: LineFailureList) => {
      expect(data).toMatchObject([
        {
          phase: 'supply',
          measurement: 'supply',
          unit: 'V',
          failures: { count: 1, of: 3 },
          has_numbers: true,
          share: 1,
        },
        { phase: 'look at it', measurement: null, failures: { of: 3 }, has_numbers: false, cumulative: 1 },
      ])
    },
  },
  {
    operation: 'getLineMeasurement',
    answers: 'ok',
    input: async (world) => ({ query: { ...(await makeLine(world, MEASURED)), phase: 'supply' } }),
    check: (answer: LineMeasurement) => {
      expect(answer).toMatchObject({
        unit: 'V',
        n: 3,
        failed: 1,
        limits: { low: 3.1, high: null },
        in_control: true,
        within: { spread: null },
        drifts: [],
      })
      expect(answer.mean).toBeCloseTo(9.5 / 3, 9)
      expect(answer.control?.individuals.center).toBeCloseTo(9.5 / 3, 9)
      // (0.3 + 0.1) ÷ 2 ÷ 1.128
      expect(answer.control?.sigma).toBeCloseTo(0.2 / 1.1283791671, 6)
      expect(answer.values.map(({ value, passed }) => [value, passed])).toEqual([
        [3, false],
        [3.3, true],
        [3.2, true],
      ])
      expect(answer.histogram.reduce((sum, { count }) => sum + count, 0)).toBe(3)
    },
  },
  {
    operation: 'getLineMeasurement',
    answers: 'BAD_REQUEST',
    when: 'with limits_until that is no time',
    input: async (world) => ({
      query: { procedure_id: world.procedureId, phase: 'supply', limits_until: 'x' },
    }),
  },
  {
    operation: 'getLineMeasurement',
    answers: 'NOT_FOUND',
    when: 'no such measurement',
    input: (world) => ({ query: { procedure_id: world.procedureId, phase: 'nothing' } }),
  },
  {
    operation: 'getGaugeStudy',
    answers: 'ok',
    input: async (world) => ({ query: { ...(await makeLine(world, MEASURED)), phase: 'supply' } }),
    check: ({ values, study }: GaugeStudyAnswer) => {
      expect(values).toBe(2)
      expect(study).toMatchObject({ readings: 2, reproducibility: { sigma: 0 }, tolerance_share: null })
      expect(study?.repeatability.sigma).toBeCloseTo(Math.sqrt(0.02), 9)
    },
  },
  {
    operation: 'listWhereUsed',
    answers: 'ok',
    input: async (world) => {
      const batch_number = world.unique('LOT')
      const [board, frame, car] = [world.unique('SN'), world.unique('SN'), world.unique('SN')]
      for (const serial_number of [board, frame, car])
        await world.client.createLenientV1Run({
          body: {
            procedure_id: world.procedureId,
            unit_under_test: {
              serial_number,
              part_number: 'BOARD',
              revision: 'A',
              ...(serial_number === board && { batch_number }),
            },
            run_passed: true,
          } as never,
        })
      for (const [parent = '', child = ''] of [
        [frame, board],
        [car, frame],
      ])
        await world.client.addUnitChild({
          params: { serial_number: parent },
          body: { child_serial_number: child },
        } as never)
      return { query: { batch_number } }
    },
    check: ({ batch, data, has_more: hasMore }: WhereUsed, _world, { query }) => {
      expect(batch.number).toBe((query as { batch_number: string }).batch_number)
      expect(data.map(({ sub_units: subUnits }) => subUnits.length)).toEqual([1, 1])
      expect(data[0]?.sub_units).toEqual(data[1]?.sub_units)
      expect(hasMore).toBe(false)
    },
  },
  {
    operation: 'listWhereUsed',
    answers: 'NOT_FOUND',
    input: () => ({ query: { batch_number: 'NOTHING' } }),
  },
  {
    operation: 'listWhereUsed',
    answers: 'BAD_REQUEST',
    when: 'without a batch',
    input: () => ({ query: {} }),
  },
  {
    operation: 'getLineUnit',
    answers: 'ok',
    input: async (world) => {
      const { procedure_id: identifier } = await makeLine(world, MEASURED)
      return { query: { serial_number: `${identifier}-1` } }
    },
    check: ({ unit, verdicts, runs, failures, measurements }: LineUnit, _world, { query }) => {
      expect(unit.serial_number).toBe((query as { serial_number: string }).serial_number)
      expect(verdicts[0]).toMatchObject({ outcome: 'PASS', runs: 2, failed: 1, passed_at: 2 })
      expect(runs.map(({ outcome }) => outcome)).toEqual(['PASS', 'FAIL'])
      expect(failures).toMatchObject([{ verdict: 'first_failure', name: 'supply' }])
      expect(measurements).toMatchObject([{ value: 3.3, others: { n: 1, mean: 3.2, below: 1 } }])
    },
  },
  {
    operation: 'getLineUnit',
    answers: 'NOT_FOUND',
    input: () => ({ query: { serial_number: 'NOTHING' } }),
  },
  {
    operation: 'getLineUnit',
    answers: 'BAD_REQUEST',
    when: 'without a serial number',
    input: () => ({ query: {} }),
  },
  {
    operation: 'getRolledYields',
    answers: 'ok',
    input: async (world) => {
      await makeLine(world, MEASURED)
      return { query: { part_number: 'board', revision_number: 'A' } }
    },
    check: ({ data, rolled }: RolledYields) => {
      expect(data.length).toBeGreaterThan(0)
      const product = data.reduce((all, { first_pass: { rate } }) => all * (rate ?? NaN), 1)
      expect(rolled.first_pass).toBeCloseTo(product, 12)
    },
  },
  ...['part_number', 'batch_number', 'station'].map((name): ContractCase => ({
    operation: 'getRolledYields',
    answers: 'NOT_FOUND',
    when: `no such ${name}`,
    input: () => ({ query: { [name]: 'NOTHING' } }),
  })),
  {
    operation: 'getRolledYields',
    answers: 'BAD_REQUEST',
    when: 'of nothing',
    input: () => ({ query: {} }),
  },
  ...LINE_OPERATION_NAMES.flatMap((operation): ContractCase[] => [
    {
      operation,
      answers: 'NOT_FOUND',
      when: 'no such procedure',
      input: () => ({ query: { procedure_id: 'NOTHING', phase: 'supply' } }),
    },
    {
      operation,
      answers: 'BAD_REQUEST',
      when: 'with days that make no sense',
      input: ({ procedureId }) => ({ query: { procedure_id: procedureId, phase: 'supply', days: 'x' } }),
    },
  ]),
]
