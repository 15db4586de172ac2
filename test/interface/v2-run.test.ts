import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWholeRun } from './sample-run'
import { createWorld, type World } from './world'

/** What a client sends is what GET gives back. */

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.stop())

async function createAndGet(change: Record<string, unknown> = {}) {
  const body = createWholeRun(world, change)
  const { id } = await world.client.createRun({ body: body as never })
  return { body, run: await world.client.getRun({ params: { id } }) }
}

/** Whatever of `got` was sent, in the form it was sent in. */
function onlySent(got: unknown, sent: unknown): unknown {
  if (Array.isArray(sent) && Array.isArray(got))
    return got.map((item, index) => onlySent(item, (sent as unknown[])[index]))
  if (!isObject(sent) || !isObject(got)) return got
  return Object.fromEntries(Object.keys(sent).map((key) => [key, onlySent(got[key], sent[key])]))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

describe('a v2 run', () => {
  it('is given back with its head', async () => {
    const { body, run } = await createAndGet()
    expect(run).toMatchObject({
      outcome: 'FAIL',
      started_at: body.started_at,
      ended_at: body.ended_at,
      duration: 'PT30S',
      docstring: body.docstring,
      procedure: { id: world.procedureId, name: 'Contract procedure', version: { tag: '1.2.0' } },
      unit: {
        serial_number: body.serial_number,
        part: { number: 'PN-1', revision: { number: 'A' } },
        batch: { number: 'BATCH-1' },
      },
      operated_by: { email: world.operatorEmail, name: 'Operator' },
      created_by_user: { name: 'Local user' },
      created_by_station: null,
      metadata: body.metadata,
    })
  })

  it('is given back with its logs', async () => {
    const { body, run } = await createAndGet()
    expect(onlySent(run.logs, body.logs)).toEqual(body.logs)
  })

  it('is given back with its phases and their plain measurements', async () => {
    const { body, run } = await createAndGet()
    const plain = body.phases.map((phase) => ({ ...phase, measurements: undefined }))
    expect(onlySent(run.phases, plain)).toEqual(
      plain.map((phase) => ({ ...phase, measurements: expect.any(Array) as unknown })),
    )
    const [power] = run.phases
    const sent = (body.phases[0] as { measurements: { name: string; measured_value?: unknown }[] })
      .measurements
    expect(power?.measurements.map(({ name, measured_value }) => [name, measured_value])).toEqual(
      sent.map(({ name, measured_value }) => [name, measured_value ?? null]),
    )
    expect(power?.measurements[0]).toMatchObject({
      units: 'V',
      docstring: 'At the test point.',
      validators: [
        { operator: '>=', expected_value: 3, outcome: 'PASS', expression: 'x >= 3' },
        { operator: '<=', expected_value: 3.6, outcome: 'PASS', expression: 'x <= 3.6' },
      ],
    })
    expect(power?.measurements[1]?.validators).toEqual([
      {
        outcome: 'PASS',
        operator: '==',
        expected_value: '1.2.0',
        expression: 'x == "1.2.0"',
        is_decisive: true,
        is_expression_only: false,
        analytics_expression: null,
        has_custom_expression: true,
      },
    ])
  })

  it('is given back with its axes, their validators and aggregations', async () => {
    const { run } = await createAndGet()
    const [response, noise, matrix] = run.phases[1]?.measurements ?? []
    expect(response).toMatchObject({
      outcome: 'FAIL',
      measured_value: null,
      data_series: [
        { data: [1, 2, 3], units: 'Hz', name: 'Frequency', description: 'Of the generator' },
        {
          data: [0.1, 0.2, 0.9],
          name: 'Gain',
          validators: [{ operator: '<=', expected_value: 0.5, outcome: 'FAIL' }],
          aggregations: [{ type: 'max', value: 0.9, unit: 'dB', outcome: 'FAIL' }],
        },
      ],
    })
    expect(noise?.aggregations).toMatchObject([
      { type: 'mean', value: 0.02, validators: [{ operator: '<', expected_value: 0.1 }] },
      { type: 'label', value: 'quiet', outcome: null },
    ])
    expect(matrix).toMatchObject({
      measured_value: [
        [1, 2],
        [3, 4],
      ],
      data_series: [
        { data: [1, 2], units: 's' },
        { data: [3, 4], units: 'V' },
      ],
    })
    const ids = run.phases.flatMap(({ measurements }) =>
      measurements.flatMap((one) => [
        one.id,
        ...[one.aggregations, ...(one.data_series ?? []).map(({ aggregations }) => aggregations)].flatMap(
          (list) => list?.map(({ id }) => id) ?? [],
        ),
      ]),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('puts sub-units into its unit, and what it says of the unit on it', async () => {
    const child = world.unique('CHILD')
    await world.createRun(child)
    const { body, run } = await createAndGet({ sub_units: [child] })
    expect(run.sub_units).toMatchObject([{ serial_number: child, part_number: 'PN-1' }])
    const unit = await world.client.getUnit({ params: { serial_number: body.serial_number } })
    expect(unit).toMatchObject({
      metadata: body.unit_metadata,
      batch: { number: 'BATCH-1' },
      children: [{ serial_number: child }],
      created_during: { id: run.id, outcome: 'FAIL' },
    })
  })

  it('is found by everything that a list of runs is filtered by', async () => {
    const { body, run } = await createAndGet()
    const { id: userId } = run.created_by_user ?? { id: '' }
    const filters = [
      { procedure_versions: ['1.2.0'] },
      { deployment_ids: ['deployment-1'] },
      { batch_numbers: ['batch-1'] },
      { operated_by_ids: [run.operated_by?.id ?? ''] },
      { created_by_user_ids: [userId] },
      { metadata: { line: { gte: 3, lt: 4 } } },
      { metadata: { rework: { eq: true } } },
      { metadata: { site: { contains: 'lyo' } } },
    ]
    for (const filter of filters) {
      const found = await world.client.listRuns({
        query: { serial_numbers: [body.serial_number], ...filter } as never,
      })
      expect([filter, found.data.map(({ id }) => id)]).toEqual([filter, [run.id]])
    }
    const others = [
      { procedure_versions: ['9'] },
      { environments: ['production'] },
      { batch_numbers: ['none'] },
      { created_by_station_ids: [world.stationId] },
      { samples: ['golden'] },
      { metadata: { line: { gt: 3 } } },
      { metadata: { rework: { eq: false } } },
    ]
    for (const filter of others) {
      const found = await world.client.listRuns({
        query: { serial_numbers: [body.serial_number], ...filter } as never,
      })
      expect([filter, found.data]).toEqual([filter, []])
    }
  })
})

describe('phases, measurements and logs across runs', () => {
  it('come page by page in every order, each once', async () => {
    const serialNumber = world.unique('PAGES')
    for (let index = 0; index < 3; index += 1) await createAndGet({ serial_number: serialNumber })
    const filter = { procedure_id: world.procedureId, serial_numbers: [serialNumber], exclude_retries: false }
    const whole = { ...filter, limit: 100 }
    const phases = await world.client.listPhases({ query: whole })
    const measurements = await world.client.listMeasurements({ query: whole })
    expect([phases.data.length, measurements.data.length]).toEqual([12, 36])
    for (const sort_by of ['started_at', 'duration', 'outcome', 'serial_number', 'phase_name'] as const) {
      const paged = await readPages((cursor) =>
        world.client.listPhases({ query: { ...filter, sort_by, limit: 5, cursor } }),
      )
      expect(new Set(paged)).toEqual(new Set(phases.data.map(({ id }) => id)))
      expect(paged.length).toBe(12)
    }
    for (const sort_by of ['value', 'outcome', 'measurement_name', 'phase_name', 'started_at'] as const) {
      for (const sort_order of ['asc', 'desc'] as const) {
        const paged = await readPages((cursor) =>
          world.client.listMeasurements({ query: { ...filter, sort_by, sort_order, limit: 7, cursor } }),
        )
        expect(new Set(paged)).toEqual(new Set(measurements.data.map(({ id }) => id)))
        expect(paged.length).toBe(36)
      }
    }
  })

  it('leave out earlier attempts unless they are asked for', async () => {
    const { run } = await createAndGet()
    const filter = { procedure_id: world.procedureId, ids: [run.id] }
    const final = await world.client.listPhases({ query: filter })
    expect(
      final.data.map(({ name, retry_count, is_final_attempt }) => [name, retry_count, is_final_attempt]),
    ).toEqual(
      expect.arrayContaining([
        ['Power on', 0, true],
        ['Sweep', 1, true],
        ['Burn-in', 0, true],
      ]),
    )
    expect(final.data).toHaveLength(3)
    const all = await world.client.listPhases({ query: { ...filter, exclude_retries: false } })
    expect(all.data.filter(({ is_final_attempt }) => !is_final_attempt)).toMatchObject([
      { name: 'Sweep', retry_count: 0 },
    ])
  })

  it('are found by value, type and text', async () => {
    const { run } = await createAndGet()
    const names = async (query: object) => {
      const page = await world.client.listMeasurements({
        query: { procedure_id: world.procedureId, ids: [run.id], ...query } as never,
      })
      return page.data.map(({ measurement_name }) => measurement_name)
    }
    expect(await names({ value_min: 3, value_max: 4 })).toEqual(['Voltage'])
    expect(await names({ value_bool: true })).toEqual(['LED'])
    expect(await names({ value_bool: false })).toEqual([])
    expect(await names({ value_strings: ['1.2.0'] })).toEqual(['Firmware'])
    expect(await names({ measurement_types: ['empty'] })).toEqual(['Nothing'])
    expect((await names({ measurement_types: ['json'] })).toSorted()).toEqual(['Channels', 'Options'])
    expect((await names({ measurement_types: ['multidimensional'] })).toSorted()).toEqual([
      'Matrix',
      'Response',
    ])
    const logs = await world.client.listLogs({
      query: { run_ids: [run.id], levels: ['ERROR'], search_query: 'SPANNUNG' },
    })
    expect(logs.data).toMatchObject([{ level: 'ERROR', line_number: 57 }])
  })
})

interface Paged {
  data: { id: string }[]
  meta: { next_cursor: number | null }
}

async function readPages(read: (cursor: number | undefined) => Promise<Paged>): Promise<string[]> {
  const ids: string[] = []
  let cursor: number | undefined
  do {
    const page = await read(cursor)
    ids.push(...page.data.map(({ id }) => id))
    cursor = page.meta.next_cursor ?? undefined
  } while (cursor !== undefined)
  return ids
}
