import { afterAll, beforeAll, expect, it } from 'vitest'
import { failed, passed, type RecordedService, startRecordedService } from '../testing/record'

let service: RecordedService
let failedRun = ''

beforeAll(async () => {
  service = await startRecordedService()
  failedRun = await service.createRun([failed('supply', 'too low\u001B[31m')])
  await service.createRun([{ ...passed('supply'), measurements: [VOLTAGE] }], {
    startedAt: '2026-11-20T10:30:00.000Z',
  })
})

const VOLTAGE = { name: 'voltage', outcome: 'PASS', measured_value: 5.01, units: 'V' }

afterAll(() => service.stop())

it('tells the verdict of a unit in each procedure, its runs with why they failed, and its values', async () => {
  const { code, out, err } = await service.run(['unit', 'SHOP@1'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^# Unit `shop@1`\n\n- part `shop`/)
  expect(out).toMatch(/## Verdicts\n\n- \*\*Passed\*\* `[^`]+` · in run 2, after 1 failed · last run /)
  expect(out).toContain(`(${service.url}/runs/${failedRun})`)
  expect(out).toContain('  - `supply` · `too low')
  expect(out).toContain('- `supply`: `voltage` · 5.01 `V`')
  expect(out).not.toContain('\u001B')
})

it('prints JSON as the service answers it', async () => {
  const { code, out } = await service.run(['unit', 'shop@1', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({
    unit: { serial_number: 'shop@1' },
    verdicts: [{ outcome: 'PASS', runs: 2, failed: 1, passed_at: 2 }],
  })
})

it.each([[['unit', 'NOTHING']], [['unit', 'NOTHING', '--json']]])(
  'names a unit that does not exist: %j',
  async (argv) => {
    const { code, err } = await service.run(argv)
    expect(code).toBe(1)
    expect(err).toContain('NOTHING')
  },
)
