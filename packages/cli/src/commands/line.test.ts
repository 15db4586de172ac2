import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RecordedService, startRecordedService } from '../testing/record'

let service: RecordedService

beforeAll(async () => {
  service = await startRecordedService()
  for (const [index, value] of [3, 3.3, 3.2].entries()) await createRun(index, { measurement_value: value })
})

async function createRun(
  index: number,
  step: { name?: string; measurement_value: number; measurement_unit?: string },
) {
  const started_at = new Date(Date.now() - (10 - index) * 60_000).toISOString()
  const passed = step.measurement_value > 3.1
  const defaults = { name: 'supply', measurement_unit: 'V', limit_low: 3.1, started_at, duration: 'PT1S' }
  const body = {
    procedure_id: service.procedureId,
    unit_under_test: {
      serial_number: `SN-${Math.min(index, 1)}`,
      part_number: 'BOARD',
      batch_number: 'LOT-1',
    },
    run_passed: passed,
    started_at,
    duration: 'PT1S',
    steps: [{ ...defaults, step_passed: passed, ...step }],
  }
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
  const sent = { method: 'POST', headers, body: JSON.stringify(body) }
  expect((await fetch(`${service.url}/v1/runs`, sent)).status).toBe(200)
}

afterAll(() => service.stop())

it('tells yields by batch, and what fails most', async () => {
  const { code, out } = await service.run(['line', service.procedureId, '--by', 'batch'])
  expect(code).toBe(0)
  expect(out).toContain('LOT-1  50.0 %      9.5 % to 90.5 %')
  expect(out).toMatch(/1 +3 +100\.0 % +supply/)
})

it('tells whether a measurement is in control and capable, with one limit', async () => {
  const { out } = await service.run(['line', service.procedureId, '--phase', 'supply'])
  expect(out).toContain('supply: 3 values, mean 3.167 V')
  expect(out).toContain('Limits: at least 3.1 V')
  expect(out).toContain('In control? Yes: none of 3 values breaks a rule.')
  expect(out).toMatch(/Capable\? Cpk 0\.\d+ \(95 % interval .*\), Ppk 0\.\d+ .*; n = 3\./)
})

it('prints values as CSV with limits, unit of measure and batch', async () => {
  const { out } = await service.run(['line', service.procedureId, '--phase', 'supply', '--csv'])
  const [heads, first] = out.split('\r\n')
  expect(heads).toBe(
    'procedure,phase,measurement,unit_of_measure,run_id,serial_number,station,batch,version,value,limit_low,limit_high,started_at,passed',
  )
  expect(first).toContain('supply,supply,V,')
  expect(first).toContain(',SN-0,,LOT-1,,3,3.1,,')
})

it('names a procedure that does not exist', async () => {
  const { code, err } = await service.run(['line', 'NOTHING'])
  expect(code).toBe(1)
  expect(err).toContain('No procedure was found with the identifier "NOTHING"')
})

it('prints nothing that a terminal obeys', async () => {
  await createRun(3, {
    name: 'rail',
    measurement_value: 5,
    measurement_unit: 'V\u001B]0;title\u0007\u009B31m',
  })
  const { out } = await service.run(['line', service.procedureId, '--phase', 'rail'])
  expect(out).toContain('rail: 1 values, mean 5 V')
  expect(out).not.toMatch(/[\u0007\u001B\u0080-\u009F]/)
})
