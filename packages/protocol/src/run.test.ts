import { describe, expect, it } from 'vitest'
import { CreateRunRequestSchema, LenientCreateRunRequestSchema } from './run'
import { LenientStepSchema } from './step'

const REQUEST = {
  procedure_id: 'FVT1',
  unit_under_test: { serial_number: ' SN-1 ' },
  run_passed: true,
  duration: 'PT1S',
}

const STEP = { name: 'boot', step_passed: true, started_at: '2026-11-20T09:30:00Z', duration: 'PT1S' }

describe('CreateRunRequestSchema', () => {
  it('takes the least that the strict path requires, trims identifiers and drops unknown keys', () => {
    expect(CreateRunRequestSchema.parse({ ...REQUEST, color: 'red' })).toMatchObject({
      procedure_id: 'FVT1',
      unit_under_test: { serial_number: 'SN-1' },
    })
    expect(CreateRunRequestSchema.parse({ ...REQUEST, color: 'red' })).not.toHaveProperty('color')
  })

  it('reads null as absent for every optional field', () => {
    const parsed = CreateRunRequestSchema.parse({
      ...REQUEST,
      unit_under_test: { serial_number: 'SN-1', part_number: null, revision: null },
      started_at: null,
      steps: null,
      sub_units: null,
      report_variables: null,
      attachments: null,
    })
    expect(parsed.steps).toBeUndefined()
    expect(parsed.unit_under_test.part_number).toBeUndefined()
  })

  it.each(['procedure_id', 'unit_under_test', 'run_passed', 'duration'])('requires %s', (field) => {
    const parsed = CreateRunRequestSchema.safeParse({ ...REQUEST, [field]: undefined })
    expect(parsed.error?.issues[0]?.path).toEqual([field])
  })

  it.each([
    ['duration', '5 seconds'],
    ['started_at', '2026-11-20'],
    ['run_passed', 'yes'],
    ['steps', [{ ...STEP, measurement_value: '3.3' }]],
    ['steps', [{ ...STEP, name: undefined }]],
    ['sub_units', [{}]],
    ['report_variables', { line: 3 }],
    ['unit_under_test', { serial_number: '   ' }],
    ['unit_under_test', { serial_number: 'a\u0000b' }],
  ])('refuses %s = %j', (field, value) => {
    const parsed = CreateRunRequestSchema.safeParse({ ...REQUEST, [field]: value })
    expect(parsed.error?.issues[0]?.path[0]).toBe(field)
  })
})

describe('LenientCreateRunRequestSchema', () => {
  it('lets the duration default to PT0S and takes a numeric string as a measured value', () => {
    const { duration: _, ...rest } = REQUEST
    const parsed = LenientCreateRunRequestSchema.parse({
      ...rest,
      steps: [{ ...STEP, measurement_value: '3.30' }],
    })
    expect(parsed.duration).toBe('PT0S')
    expect(parsed.steps?.[0]?.measurement_value).toBe(3.3)
  })

  it.each(['', 'abc', '1e999', '0x10', 'Infinity'])('refuses the measured value %j', (value) => {
    const request = { ...REQUEST, steps: [{ ...STEP, measurement_value: value }] }
    expect(LenientCreateRunRequestSchema.safeParse(request).success).toBe(false)
  })
})

it.each([
  ['digits', (many: number) => `${'1'.repeat(many)}x`],
  ['digits with a point', (many: number) => `${'1'.repeat(many)}.${'1'.repeat(many)}x`],
  ['blanks', (many: number) => `${' '.repeat(many)}x`],
  ['an exponent', (many: number) => `1e${'1'.repeat(many)}x`],
])('refuses a measured value of a million %s that is no number in no time', (_, write) => {
  const beganAt = performance.now()
  const step = { name: 'a', step_passed: true, started_at: '2026-11-20T09:00:00Z', duration: 'PT1S' }
  expect(LenientStepSchema.safeParse({ ...step, measurement_value: write(1_000_000) }).success).toBe(false)
  expect(performance.now() - beganAt).toBeLessThan(1_000)
})
