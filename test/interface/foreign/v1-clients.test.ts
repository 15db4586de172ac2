import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../world'
import { createFieldClient, messagesOf, PREFIXES } from './field-client'

/** docs/interface.md#clients-of-v1. */

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.stop())

const STARTED_MILLIS = Date.UTC(2026, 10, 20, 9, 30)

const PHASE = {
  name: 'Power on',
  outcome: 'PASS',
  start_time_millis: STARTED_MILLIS,
  end_time_millis: STARTED_MILLIS + 1500,
  docstring: 'Switches the unit on.',
  measurements: [
    {
      name: 'Voltage',
      outcome: 'PASS',
      measured_value: 3.3,
      units: 'V',
      lower_limit: 3,
      upper_limit: 3.6,
      validators: null,
      docstring: null,
    },
    { name: 'Firmware', outcome: 'UNSET', measured_value: '1.2.3' },
  ],
}
const LOG = {
  level: 'WARNING',
  timestamp: '2026-11-20T09:30:00.250Z',
  message: 'The supply is slow',
  source_file: 'supply.py',
  line_number: 42,
}
const STEP = { name: 'Check', step_passed: true, started_at: '2026-11-20T09:29:59Z', duration: 'PT1S' }

describe.each(PREFIXES)('below "%s"', (prefix) => {
  const ask = createFieldClient(() => world, prefix)

  const run = (change: Record<string, unknown> = {}) => ({
    procedure_id: 'CONTRACT',
    unit_under_test: { serial_number: world.unique('SN'), part_number: 'PN-1', revision: 'A' },
    run_passed: true,
    duration: 'PT2S',
    client: 'Python',
    client_version: '1.9.0',
    ...change,
  })

  it.each(['/v1/runs', '/v1/runs/create'])('%s keeps version, phases and logs', async (path) => {
    const tag = world.unique('v1.2')
    const sent = run({ procedure_version: tag, steps: [STEP], phases: [PHASE], logs: [LOG] })
    const created = await ask('POST', path, sent)
    expect(created).toMatchObject({ status: 200, body: { url: expect.any(String) as string } })
    const { body } = await ask('GET', `/v2/runs/${String(created.body['id'])}`)
    expect(body).toMatchObject({
      procedure: { version: { tag } },
      phases: [
        { name: 'Check', outcome: 'PASS', measurements: [] },
        {
          name: 'Power on',
          outcome: 'PASS',
          started_at: '2026-11-20T09:30:00.000Z',
          ended_at: '2026-11-20T09:30:01.500Z',
          duration: 'PT1.500S',
          docstring: PHASE.docstring,
          measurements: [
            { name: 'Voltage', measured_value: 3.3, units: 'V', validators: [{}, {}] },
            { name: 'Firmware', outcome: 'UNSET', measured_value: '1.2.3' },
          ],
        },
      ],
      logs: [LOG],
    })
    expect(body['phases']).toHaveLength(2)
  })

  it.each(['/v1/runs', '/v1/runs/create'])('%s refuses phases and logs that it cannot keep', async (path) => {
    const refused = [
      run({ phases: [{ ...PHASE, end_time_millis: STARTED_MILLIS - 1 }] }),
      run({ phases: [{ ...PHASE, start_time_millis: '2026-11-20T09:30:00Z' }] }),
      run({ phases: [{ ...PHASE, start_time_millis: 1e300 }] }),
      run({ phases: [{ ...PHASE, outcome: 'DONE' }] }),
      run({ logs: [{ ...LOG, level: 'LOUD' }] }),
      run({ procedure_version: '' }),
    ]
    const fields: string[][] = []
    for (const body of refused) {
      const answered = await ask('POST', path, body)
      expect(answered.status).toBe(400)
      fields.push(messagesOf(answered).map((message) => message.split(' must ')[0] ?? ''))
    }
    expect(fields).toEqual([
      ['end time millis'],
      ['start time millis'],
      ['start time millis'],
      ['outcome'],
      ['level'],
      ['procedure version'],
    ])
  })

  it('a user names a procedure by name, and one that does not exist is created', async () => {
    const name = world.unique('Final test')
    const ids: unknown[] = []
    for (const sent of [name, name.toUpperCase(), ` ${name} `]) {
      const { body } = await ask('POST', '/v1/runs', run({ procedure_id: undefined, procedure_name: sent }))
      const stored = await ask('GET', `/v2/runs/${String(body['id'])}`)
      ids.push((stored.body['procedure'] as { id: string }).id)
      expect(stored.body['procedure']).toMatchObject({ name })
    }
    expect(new Set(ids).size).toBe(1)
    const { status, body } = await ask(
      'POST',
      '/v1/runs',
      run({ procedure_id: null, procedure_name: 'Contract procedure' }),
    )
    expect(status).toBe(200)
    const stored = await ask('GET', `/v2/runs/${String(body['id'])}`)
    expect(stored.body['procedure']).toMatchObject({ id: world.procedureId })
  })

  it('a station names only procedures that are linked to it, and creates none', async () => {
    const byName = (name: string, as: 'station' | 'other-station') =>
      ask('POST', '/v1/runs', run({ procedure_id: undefined, procedure_name: name }), as)
    expect((await byName('contract procedure', 'station')).status).toBe(200)
    const name = world.unique('Nobody’s test')
    for (const refused of [
      await byName('Contract procedure', 'other-station'),
      await byName(name, 'station'),
    ]) {
      expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
      expect(refused.body['message']).toMatch(/not authorized.*Link the procedure/)
    }
    const { body } = await ask('GET', `/v2/procedures?search_query=${encodeURIComponent(name)}`)
    expect(body['data']).toEqual([])
  })

  it('neither an id nor a name is 400 and names procedure_id; the strict path needs the id', async () => {
    for (const [path, body] of [
      ['/v1/runs', run({ procedure_id: undefined })],
      ['/v1/runs', run({ procedure_id: null, procedure_name: null })],
      ['/v1/runs/create', run({ procedure_id: undefined })],
      ['/v1/runs/create', run({ procedure_id: undefined, procedure_name: 'Contract procedure' })],
    ] as const) {
      const refused = await ask('POST', path, body)
      expect([path, refused.status, messagesOf(refused)]).toEqual([
        path,
        400,
        [expect.stringMatching(/^procedure id is required/)],
      ])
    }
  })

  it('a name that differs from that of the procedure is reported, not ignored', async () => {
    for (const path of ['/v1/runs', '/v1/runs/create']) {
      const same = await ask('POST', path, run({ procedure_name: 'contract procedure' }))
      expect(same.body['warnings']).toBeUndefined()
      const other = await ask('POST', path, run({ procedure_name: 'Some other name' }))
      expect(other).toMatchObject({
        status: 200,
        body: { warnings: [expect.stringContaining('procedure_name') as string] },
      })
    }
  })

  it('PATCH /v1/units takes the serial number in the body', async () => {
    const [box, card] = [world.unique('Box'), world.unique('Card')]
    await world.createRun(box)
    await world.createRun(card)
    const updated = await ask('PATCH', '/v1/units', {
      serial_number: box.toLowerCase(),
      sub_units: [{ serial_number: card }],
    })
    expect(updated).toMatchObject({ status: 200, body: { message: expect.any(String) as string } })
    const { body } = await ask('GET', `/v2/units/${box}`)
    expect(body['children']).toMatchObject([{ serial_number: card }])
    expect((await ask('PATCH', '/v1/units', { serial_number: 'none', sub_units: [] })).status).toBe(404)
    expect((await ask('PATCH', '/v1/units', { sub_units: [] })).status).toBe(400)
  })

  it('an upload that is announced larger than the service takes is refused before it is sent', async () => {
    const refused = await ask('POST', '/v1/uploads/initialize', {
      name: 'huge.bin',
      sizeBytes: 200 * 2 ** 20,
    })
    expect(refused).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE', status_code: 413 } })
  })
})
