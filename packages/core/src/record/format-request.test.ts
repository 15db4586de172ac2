import { StepSchema, type CreateRunRequest } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { formatRequest } from './format-request'

const STEP = {
  name: 'adds "one" › \\ é 🚀\u2028',
  step_passed: true,
  started_at: '2026-11-20T10:00:00.000Z',
  duration: 'PT0.5S',
  measurement_unit: undefined,
  measurement_value: undefined,
  limit_low: undefined,
  limit_high: undefined,
}
const MEASURED = {
  ...STEP,
  step_passed: false,
  measurement_unit: 'V',
  measurement_value: 3.3,
  limit_low: 3.2,
  limit_high: 3.4,
}

function createRequest(steps: CreateRunRequest['steps']): CreateRunRequest {
  return {
    procedure_id: 'FVT1',
    unit_under_test: { serial_number: 'S1', part_number: undefined, revision: undefined },
    run_passed: true,
    started_at: STEP.started_at,
    duration: 'PT1S',
    steps,
    sub_units: undefined,
    report_variables: { a: '"1"' },
    attachments: [],
    inline_attachments: undefined,
  }
}

it.each([
  ['no steps', []],
  ['one step', [STEP]],
  ['many steps', Array.from({ length: 3_000 }, () => STEP)],
  ['measured steps', [STEP, MEASURED, STEP]],
  [
    'single members of a measurement',
    [
      { ...STEP, measurement_value: 0 },
      { ...STEP, limit_low: 1 },
    ],
  ],
  [
    'others',
    [
      { ...STEP, limit_high: 1 },
      { ...STEP, measurement_unit: '' },
    ],
  ],
])('writes %s as JSON.stringify has them', (_, steps) => {
  const request = createRequest(steps)
  expect(JSON.parse(Buffer.from(formatRequest(request)).toString())).toEqual(
    JSON.parse(JSON.stringify(request)),
  )
})

it('leaves out no member of a step', () => {
  const [written] = (
    JSON.parse(Buffer.from(formatRequest(createRequest([MEASURED]))).toString()) as CreateRunRequest
  ).steps as object[]
  expect(Object.keys(written as object).sort()).toEqual(Object.keys(StepSchema.shape).sort())
  expect(Object.keys(MEASURED).sort()).toEqual(Object.keys(StepSchema.shape).sort())
})
