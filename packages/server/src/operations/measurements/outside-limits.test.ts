import type { RunPageSchema } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

const TIMES = { started_at: '2026-11-20T09:30:00Z', ended_at: '2026-11-20T09:30:01Z' }

const step = (name: string, value: number, high: number) => ({
  name,
  step_passed: true,
  started_at: TIMES.started_at,
  duration: 'PT0S',
  measurement_value: value,
  limit_high: high,
})

/** A v2 run that passed; each phase is one attempt with one measurement. */
async function createV2Run(phases: { name: string; retry_count?: number; measurement: object }[]) {
  const response = await server.send('POST', '/v2/runs', {
    ...TIMES,
    outcome: 'PASS',
    procedure_id: server.procedureId,
    serial_number: 'SN-1',
    part_number: 'LAMP',
    phases: phases.map(({ measurement, ...phase }) => ({
      ...TIMES,
      outcome: 'PASS',
      ...phase,
      measurements: [{ name: 'volts', ...measurement }],
    })),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as { id: string }
}

async function readCounts(id: string) {
  const list = (await (await server.send('GET', `/v2/runs?ids=${id}`)).json()) as z.output<
    typeof RunPageSchema
  >
  const run = await server.getRun(id)
  return [list.data[0]?.measurements_outside_limits, run.measurements_outside_limits]
}

describe('measurements outside their limits', () => {
  it('are counted for a v1 run, whatever its steps say', async () => {
    const steps = [step('inside', 1, 2), step('at the limit', 2, 2), step('outside', 3, 2)]
    const { id } = await server.createRun({ run_passed: true, steps })
    expect(await readCounts(String(id))).toEqual([1, 1])
    await server.send('PATCH', `/v2/runs/${String(id)}/metadata`, { metadata: { fixture: 'B' } })
    expect(await readCounts(String(id))).toEqual([1, 1])
  })

  it('are those of a v2 run whose outcome is FAIL or whose value is outside', async () => {
    const { id } = await createV2Run([
      { name: 'said', measurement: { outcome: 'FAIL', measured_value: 'dark' } },
      { name: 'outside', measurement: { outcome: 'UNSET', measured_value: 1, lower_limit: 2 } },
      { name: 'inside', measurement: { outcome: 'PASS', measured_value: 2, lower_limit: 2 } },
    ])
    expect(await readCounts(id)).toEqual([2, 2])
  })

  it('are those of the last attempts alone', async () => {
    const { id } = await createV2Run([
      { name: 'tried', retry_count: 0, measurement: { outcome: 'FAIL', measured_value: 1 } },
      { name: 'tried', retry_count: 1, measurement: { outcome: 'PASS', measured_value: 3 } },
    ])
    expect(await readCounts(id)).toEqual([0, 0])
  })

  it('are told of in the Markdown of a run that passed, and of a list', async () => {
    const group = 'outside'
    const steps = [step('one', 3, 2), step('two', 4, 2)]
    const { id } = await server.createRun({ run_passed: true, steps, report_variables: { group } })
    await server.createRun({ run_passed: false, steps, report_variables: { group } })
    const read = async (path: string) => (await server.send('GET', path)).text()
    expect(await read(`/runs/${String(id)}.md`)).toMatch(/^# Passed, 2 measurements outside their limits: /)
    const list = await read(`/runs.md?group=${group}`)
    expect(list).toMatch(/^- 2 measurements outside their limits, in runs that passed$/m)
    expect(list).toMatch(/^- Passed, 2 measurements outside their limits: /m)
    expect(list).toMatch(/^- Failed: /m)
  })
})

describe('units of several dimensions', () => {
  const values = [
    [0, 1],
    [3.3, 3.4],
  ]

  it.each([
    ['a list', ['s', 'V']],
    ['a text', 's, V'],
  ])('are answered in one text, and one by one with their data: %s', async (_form, units) => {
    const { id } = await createV2Run([
      { name: 'curve', measurement: { outcome: 'PASS', measured_value: values, units } },
    ])
    const [phase] = (await server.getRun(id)).phases
    const [measurement] = phase?.measurements ?? []
    expect(measurement?.units).toBe('s, V')
    const listed = await server.send(
      'GET',
      `/v2/measurements?procedure_id=${server.procedureId}&ids=${measurement?.id}`,
    )
    expect(((await listed.json()) as { data: object[] }).data[0]).toMatchObject({ units: 's, V' })
    const single = await server.send('GET', `/v2/measurements/${measurement?.id}`)
    expect(await single.json()).toMatchObject({ units: 's, V' })
    if (Array.isArray(units)) expect(measurement?.data_series?.map((series) => series.units)).toEqual(units)
  })
})
