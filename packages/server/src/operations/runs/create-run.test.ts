import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { minimalRun, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

function unit(serialNumber: string, partNumber?: string, revision?: string) {
  return { unit_under_test: { serial_number: serialNumber, part_number: partNumber, revision } }
}

async function countRuns(): Promise<number> {
  const page = (await (await server.send('GET', '/v2/runs?limit=100')).json()) as { data: unknown[] }
  return page.data.length
}

async function refusal(change: Record<string, unknown>, path = '/v1/runs/create') {
  const before = await countRuns()
  const response = await server.send('POST', path, { ...minimalRun(server.procedureId), ...change })
  const body = (await response.json()) as { message: string; issues: { path: unknown[]; message: string }[] }
  expect(await countRuns()).toBe(before)
  return { status: response.status, ...body }
}

describe('create run', () => {
  it('leaves no rejection unhandled when it refuses the unit of a run that takes long to prepare', async () => {
    const unhandled: unknown[] = []
    const keep = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', keep)
    for (const revision of ['1', '2']) await server.createRun(unit('U-REVISIONS', 'P-REVISIONS', revision))
    const steps = Array.from({ length: 30_000 }, (_, index) => ({
      name: `step ${index}`,
      step_passed: true,
      started_at: '2026-11-20T09:00:00Z',
      duration: 'PT0S',
    }))
    const change = { ...unit('U-OTHER', 'P-REVISIONS'), steps }
    const { status, issues } = await refusal(change)
    process.off('unhandledRejection', keep)
    expect([status, issues[0]?.path, unhandled]).toEqual([400, ['unit_under_test', 'revision'], []])
  })

  it('gives back exactly what was sent', async () => {
    const steps = [
      {
        name: 'boots',
        step_passed: true,
        started_at: '2026-11-20T10:00:00.123456+01:00',
        duration: 'PT0.000001S',
      },
      {
        name: 'boots › voltage',
        step_passed: false,
        started_at: '2026-11-20T09:00:01Z',
        duration: 'PT0S',
        measurement_value: 0.1,
        measurement_unit: 'V',
        limit_low: 0.2,
        limit_high: 1e-7,
      },
    ]
    const created = await server.createRun({
      ...unit('U-1', 'P-1', '1.2.3'),
      run_passed: false,
      duration: 'PT27M15S',
      started_at: '2026-11-20T09:00:00.000001Z',
      steps,
      report_variables: { zeta: '', alpha: 'ä\n', group: 'build 7/x' },
      attachments: ['C:\\logs\\a.txt', 'b.png', 'b.png'],
    })
    expect(created.url).toBe(`${server.url}/runs/${created.id}`)
    expect(created.group_url).toBe(`${server.url}/runs?group=build%207%2Fx`)
    expect(created.warnings).toEqual([expect.stringContaining('low limit above the high one')])
    const run = await server.getRun(created.id)
    expect(run).toMatchObject({
      outcome: 'FAIL',
      started_at: '2026-11-20T09:00:00.000001Z',
      ended_at: '2026-11-20T09:27:15.000001Z',
      duration: 'PT27M15S',
      metadata: { zeta: '', alpha: 'ä\n', group: 'build 7/x' },
      declared_attachments: ['C:\\logs\\a.txt', 'b.png'],
    })
    expect(run.unit).toMatchObject({
      serial_number: 'U-1',
      part: { number: 'P-1', revision: { number: '1.2.3' } },
    })
    expect(run.phases[0]).toMatchObject({
      name: 'boots',
      outcome: 'PASS',
      started_at: '2026-11-20T09:00:00.123456Z',
      ended_at: '2026-11-20T09:00:00.123457Z',
      duration: 'PT0.000001S',
      measurements: [],
    })
    expect(run.phases[1]?.measurements).toMatchObject([
      {
        outcome: 'FAIL',
        measured_value: 0.1,
        units: 'V',
        validators: [
          { operator: '>=', expected_value: 0.2, outcome: 'FAIL' },
          { operator: '<=', expected_value: 1e-7, outcome: 'FAIL' },
        ],
      },
    ])
  })

  it('keeps 500 steps in the order sent, equal names apart', async () => {
    const steps = Array.from({ length: 500 }, (_, index) => ({
      name: `step ${index % 170}`,
      step_passed: index % 7 !== 0,
      started_at: '2026-11-20T09:00:00Z',
      duration: 'PT1S',
      ...(index % 3 === 0 ? { measurement_value: index } : {}),
    }))
    const run = await server.getRun((await server.createRun({ steps })).id)
    expect(run.phases.map(({ name, outcome }) => [name, outcome])).toEqual(
      steps.map(({ name, step_passed }) => [name, step_passed ? 'PASS' : 'FAIL']),
    )
    expect(run.phases.map(({ measurements: [first] }) => first?.measured_value)).toEqual(
      steps.map(({ measurement_value }) => measurement_value),
    )
  })

  it('takes the time of receipt less the duration when no start is sent', async () => {
    const run = await server.getRun((await server.createRun({ duration: 'PT2H' })).id)
    expect(Date.parse(run.created_at) - Date.parse(run.started_at)).toBe(7_200_000)
    expect(run.ended_at).toBe(run.created_at)
  })

  it('reads null for an optional field as absent and ignores unknown keys', async () => {
    const created = await server.createRun({
      started_at: null,
      steps: null,
      sub_units: null,
      colour: 'red',
      warnings: 3,
    })
    expect((await server.getRun(created.id)).phases).toEqual([])
  })

  it('warns when a step passed with a value outside its limits, and stores it as sent', async () => {
    const step = { name: 'hot', step_passed: true, started_at: '2026-11-20T09:00:00Z', duration: 'PT0S' }
    const created = await server.createRun({ steps: [{ ...step, measurement_value: 9, limit_high: 8 }] })
    expect(created.warnings).toEqual([expect.stringContaining('"hot"')])
    expect((await server.getRun(created.id)).phases[0]?.outcome).toBe('PASS')
  })

  it('finds a procedure without regard to case or by its UUID', async () => {
    const id = (await server.getRun((await server.createRun()).id)).procedure.id
    await server.createRun({ procedure_id: ` ${server.procedureId.toUpperCase()} ` })
    const run = await server.getRun((await server.createRun({ procedure_id: id.toUpperCase() })).id)
    expect(run.procedure.id).toBe(id)
  })

  it('answers 404 in the v1 record for an unknown procedure and creates no unit', async () => {
    const body = await refusal({ procedure_id: 'FVT9', ...unit('NEVER', 'NEVER') })
    expect(body).toMatchObject({ status: 404, status_code: 404, code: 'NOT_FOUND', issues: [] })
    expect(body.message).toMatch(/No procedure was found with the identifier "FVT9"/)
    const sub = await refusal({ sub_units: [{ serial_number: 'NEVER' }] })
    expect(sub.status).toBe(400)
  })
})

describe('validation', () => {
  it('names each wrong field, what was received and what is wanted', async () => {
    const body = await refusal({
      duration: '5 minutes',
      run_passed: 'yes',
      procedure_id: null,
      steps: [{ name: 'x', step_passed: true, started_at: 'yesterday', duration: 'PT1S', limit_low: 'low' }],
    })
    expect(body).toMatchObject({ status: 400, message: 'Input validation failed' })
    expect(
      Object.fromEntries(body.issues.map(({ path, message }) => [path.join('.'), message])),
    ).toMatchObject({
      procedure_id: 'procedure id is required: send a string',
      run_passed: 'run passed must be true or false; received "yes"',
      duration: expect.stringMatching(/PT27M15S; received "5 minutes"$/) as unknown,
      'steps.0.started_at': expect.stringMatching(/ISO 8601.*received "yesterday"$/) as unknown,
      'steps.0.limit_low': 'limit low must be a number; received "low"',
    })
  })

  it('requires the duration on the strict path and takes PT0S on the lenient one, with numeric strings', async () => {
    expect((await refusal({ duration: undefined })).issues[0]?.path).toEqual(['duration'])
    const step = { name: 'n', step_passed: true, started_at: '2026-11-20T09:00:00Z', duration: 'PT0S' }
    const body = {
      ...minimalRun(server.procedureId),
      duration: undefined,
      steps: [{ ...step, measurement_value: '3.5' }],
    }
    const created = (await (await server.send('POST', '/api/v1/runs', body)).json()) as { id: string }
    const run = await server.getRun(created.id)
    expect([run.duration, run.phases[0]?.measurements[0]?.measured_value]).toEqual(['PT0S', 3.5])
    expect((await refusal({ steps: body.steps })).status).toBe(400)
  })

  it('refuses texts and times that no database gives back as sent', async () => {
    expect((await refusal({ report_variables: { a: 'x\u0000' } })).issues[0]?.path).toEqual([
      'report_variables',
      'a',
    ])
    expect((await refusal({ started_at: '9999-01-01T00:00:00Z' })).issues[0]?.path).toEqual(['started_at'])
    expect((await refusal({ duration: 'P50000000D' })).status).toBe(400)
    expect(
      (await refusal({ started_at: '2250-01-01T00:00:00Z', duration: 'P10000D' })).issues[0]?.path,
    ).toEqual(['duration'])
  })

  it('refuses a report variable named __proto__, which no reader would be given back', async () => {
    const text = JSON.stringify({ ...minimalRun(server.procedureId), report_variables: { a: '1' } }).replace(
      '"a"',
      '"__proto__"',
    )
    const refused = await server.send('POST', '/v1/runs/create', text)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      issues: [{ path: ['report_variables'], message: expect.stringContaining('__proto__') as unknown }],
    })
    const report_variables = { constructor: 'c', toString: 't', '': 'empty' }
    expect((await server.getRun((await server.createRun({ report_variables })).id)).metadata).toEqual(
      report_variables,
    )
  })

  it('answers 400 to lists nested ever deeper, and names a number that is none', async () => {
    const nested = (field: string) =>
      JSON.stringify({ ...minimalRun(server.procedureId), [field]: 'DEEP' }).replace(
        '"DEEP"',
        '['.repeat(200_000) + ']'.repeat(200_000),
      )
    for (const field of ['procedure_id', 'steps']) {
      const refused = await server.send('POST', '/v1/runs/create', nested(field))
      expect(refused.status).toBe(400)
      expect(await refused.json()).toMatchObject({ code: 'BAD_REQUEST' })
    }
    const text = JSON.stringify({ ...minimalRun(server.procedureId), procedure_id: 7 }).replace('7', '1e400')
    const refused = (await (await server.send('POST', '/v1/runs/create', text)).json()) as {
      issues: { message: string }[]
    }
    expect(refused.issues[0]?.message).toBe('procedure id must be a string; received Infinity')
  })

  it('takes a body with a key named __proto__ without changing any prototype', async () => {
    const text = JSON.stringify({ ...minimalRun(server.procedureId) }).replace(
      '{',
      '{"__proto__":{"polluted":1},',
    )
    expect((await server.send('POST', '/v1/runs/create', text)).status).toBe(200)
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('a large run', () => {
  const time = '2026-11-20T10:00:00Z'
  const numbers = Array.from({ length: 3_000 }, (_, index) => index)
  const phases = numbers.map((index) => ({
    name: `phase ${index}`,
    outcome: 'PASS',
    started_at: time,
    ended_at: time,
    measurements:
      index === 7
        ? numbers.map((at) => ({
            name: `value ${at}`,
            outcome: 'PASS',
            measured_value: at / 2,
            docstring: 'é',
          }))
        : [{ name: 'text', outcome: 'PASS', measured_value: `"${index}, [` }],
  }))
  const run = {
    outcome: 'PASS',
    serial_number: 'LARGE-1',
    part_number: 'PART-1',
    started_at: time,
    ended_at: time,
  }
  const create = (sent: unknown[]) =>
    server.send('POST', '/v2/runs', { ...run, procedure_id: server.procedureId, phases: sent })

  it('is stored as it was sent', async () => {
    const { id } = (await (await create(phases)).json()) as { id: string }
    const stored = await server.getRun(id)
    expect(stored.phases).toHaveLength(3_000)
    for (const [index, { name, measurements }] of stored.phases.entries()) {
      if (index !== 7) expect(measurements[0]?.measured_value).toBe(`"${index}, [`)
      expect(name).toBe(`phase ${index}`)
    }
    expect(stored.phases[7]?.measurements.map((one) => one.measured_value)).toEqual(
      numbers.map((at) => at / 2),
    )
  })

  it('is refused with the place of what is wrong', async () => {
    const sent = structuredClone(phases)
    Object.assign(sent[7]?.measurements[2_999] ?? {}, { outcome: 'MAYBE' })
    const refused = await create(sent)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      issues: [
        {
          path: ['phases', 7, 'measurements', 2_999, 'outcome'],
          message: expect.stringContaining('"MAYBE"') as string,
        },
      ],
    })
  })
})
