import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../world'
import { createFieldClient, messagesOf } from './field-client'

/** docs/interface.md#known-members. */

let world: World
const ask = createFieldClient(() => world, '')

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.stop())

const TIMES = { started_at: '2026-11-20T09:30:00Z', ended_at: '2026-11-20T09:30:02Z' }
const STEP = { name: 'Check', step_passed: true, started_at: TIMES.started_at, duration: 'PT1S' }

const v1Run = (change: Record<string, unknown> = {}) => ({
  procedure_id: 'CONTRACT',
  unit_under_test: { serial_number: world.unique('SN'), part_number: 'PN-1', revision: 'A' },
  run_passed: true,
  duration: 'PT2S',
  ...change,
})

const v2Run = (change: Record<string, unknown> = {}) => ({
  procedure_id: 'CONTRACT',
  outcome: 'PASS',
  ...TIMES,
  serial_number: world.unique('SN'),
  part_number: 'PN-1',
  ...change,
})

/** Each member with the beginning of what is said about it. */
async function expectRefused(
  path: string,
  bodies: Record<string, Record<string, unknown>>,
  method = 'POST',
): Promise<void> {
  for (const [message, body] of Object.entries(bodies)) {
    const refused = await ask(method, path, body)
    expect([message, refused.status]).toEqual([message, 400])
    expect(messagesOf(refused)).toEqual([expect.stringContaining(message)])
  }
}

describe.each(['/v1/runs', '/v1/runs/create'])('%s', (path) => {
  it('keeps what v2 calls the same: operator, docstring, deployment and metadata of the unit', async () => {
    const email = `${world.unique('operator')}@example.com`
    expect((await ask('POST', '/v2/users', { email })).status).toBe(200)
    const sent = v1Run({
      operated_by: email,
      docstring: 'Second try',
      deployment_id: 'DEP-1',
      unit_metadata: { colour: 'red', weight: 2 },
    })
    const { status, body } = await ask('POST', path, sent)
    expect(status).toBe(200)
    const stored = await ask('GET', `/v2/runs/${String(body['id'])}`)
    expect(stored.body).toMatchObject({ docstring: 'Second try', operated_by: { email } })
    const listed = await ask('GET', `/v2/runs?deployment_ids=DEP-1&ids=${String(body['id'])}`)
    expect(listed.body['data']).toHaveLength(1)
    const unit = await ask('GET', `/v2/units/${sent.unit_under_test.serial_number}`)
    expect(unit.body['metadata']).toEqual({ colour: 'red', weight: 2 })
  })

  it('refuses an operator as v2 does', async () => {
    expect(await ask('POST', path, v1Run({ operated_by: 'nobody@example.com' }))).toMatchObject({
      status: 404,
    })
    await expectRefused(path, { 'operated by': v1Run({ operated_by: 'nobody' }) })
  })

  it('refuses what v2 calls otherwise, and says how it is called here', async () => {
    await expectRefused(path, {
      'outcome is not taken here: send run_passed': v1Run({ outcome: 'TIMEOUT' }),
      'ended at is not taken here: send duration': v1Run({ ended_at: TIMES.ended_at }),
      'serial number is not taken here: send unit_under_test.serial_number': v1Run({ serial_number: 'S' }),
      'part number is not taken here': v1Run({ part_number: 'P' }),
      'revision number is not taken here: send unit_under_test.revision': v1Run({ revision_number: 'A' }),
      'batch number is not taken here: send unit_under_test.batch_number': v1Run({ batch_number: 'B' }),
      'metadata is not taken here: send report_variables': v1Run({ metadata: { a: 'b' } }),
      'revision number is not taken here: send revision': v1Run({
        unit_under_test: { serial_number: 'S', revision_number: 'A' },
      }),
      'measured value is not taken here: send measurement_value': v1Run({
        steps: [{ ...STEP, measured_value: 3 }],
      }),
      'measurements is not taken here: send it with one of phases': v1Run({
        steps: [{ ...STEP, measurements: [] }],
      }),
    })
  })

  it('ignores unknown fields, and null for fields of v2', async () => {
    const sent = v1Run({ client: 'Python', outcome: null, metadata: null, steps: [{ ...STEP, units: null }] })
    expect((await ask('POST', path, sent)).status).toBe(200)
  })
})

it('/v2/runs refuses what v1 calls otherwise, and says how it is called here', async () => {
  await expectRefused('/v2/runs', {
    'run passed is not taken here: send outcome': v2Run({ run_passed: false }),
    'duration is not taken here: send ended_at': v2Run({ duration: 'PT1S' }),
    'steps is not taken here: send phases': v2Run({ steps: [STEP] }),
    'report variables is not taken here: send metadata': v2Run({ report_variables: {} }),
    'procedure name is not taken here: send procedure_id': v2Run({ procedure_name: 'Final test' }),
    'attachments is not taken here': v2Run({ attachments: ['a.txt'] }),
    'unit under test is not taken here': v2Run({ unit_under_test: { serial_number: 'S' } }),
  })
  expect((await ask('POST', '/v2/runs', v2Run({ steps: null }))).status).toBe(200)
})

it('a field that an operation would drop is rejected', async () => {
  const id = await world.createRun(world.unique('SN'))
  const serial = world.unique('SN')
  const unit = { serial_number: serial, part_number: 'PN-1', revision_number: 'A' }
  await expectRefused('/v2/units', {
    'batch number is not taken here: send it with PATCH': { ...unit, batch_number: 'B-1' },
    'attachments is not taken here: send it with PATCH': { ...unit, attachments: [] },
    'image id is not taken here: send it with PATCH': { ...unit, image_id: 'x' },
  })
  await expectRefused('/v2/parts', { 'image id is not taken here': { number: 'PN-9', image_id: 'x' } })
  await expectRefused('/v2/parts/PN-1/revisions', { 'image id is not taken': { number: 'Z', image_id: 'x' } })
  await expectRefused('/v2/stations', { 'image id is not taken here': { name: 'New', image_id: 'x' } })
  await expectRefused('/v2/procedures', { 'rootDirectory is not': { name: 'New', rootDirectory: 'x' } })
  await expectRefused(
    `/v2/procedures/${world.procedureId}`,
    { 'identifier is not taken here: it stays': { identifier: 'OTHER' } },
    'PATCH',
  )
  await expectRefused(
    `/v2/runs/${id}`,
    {
      'metadata is not taken here: send it with PATCH /v2/runs/{id}/metadata': { metadata: { a: 1 } },
      'outcome is not taken here: a run stays as it was created': { outcome: 'PASS' },
    },
    'PATCH',
  )
})
