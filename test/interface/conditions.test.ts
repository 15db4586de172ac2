import { afterEach, beforeAll, afterAll, describe, expect, it } from 'vitest'
import type { Settings } from '../../packages/protocol/src/index'
import { ask } from './ask'
import type { Asker } from './world'
import { createWholeRun } from './sample-run'
import { createWorld, type World } from './world'

/** Every condition of docs/interface.md#errors and docs/interface.md#settings-that-refuse, with its message. */

let world: World
let defaults: Settings

beforeAll(async () => {
  world = await createWorld()
  defaults = await world.client.getSettings()
})

afterEach(() => world.client.updateSettings({ body: defaults }))
afterAll(() => world.stop())

async function createV2(change: Record<string, unknown> = {}, as: Asker = 'user') {
  return ask(world, {
    operation: 'createRun',
    input: { body: createWholeRun(world, change) },
    as,
    prefix: '',
  })
}

const set = (settings: Partial<Settings>) => world.client.updateSettings({ body: settings })

function refusal(status: number, code: string, message: string) {
  return { status, body: { code, message: expect.stringMatching(new RegExp(message, 'i')) as unknown } }
}

describe('BAD_REQUEST', () => {
  it('part number missing while no automatic parsing of serial numbers is configured', async () => {
    expect(await createV2({ part_number: undefined })).toMatchObject(
      refusal(400, 'BAD_REQUEST', 'part number .*no automatic parsing of serial numbers is configured'),
    )
    await set({ 'serial_number.pattern': '^(?P<part_number>[A-Z]+)-(?P<revision_number>\\d)-\\d+$' })
    const created = await createV2({
      part_number: undefined,
      revision_number: undefined,
      serial_number: 'LAMP-2-0001',
    })
    expect(created.status).toBe(200)
    const { id } = created.body as { id: string }
    const { unit } = await world.client.getRun({ params: { id } })
    expect(unit.part).toMatchObject({ number: 'LAMP', revision: { number: '2' } })
    expect(await createV2({ part_number: undefined, serial_number: '0001' })).toMatchObject(
      refusal(400, 'BAD_REQUEST', 'part number'),
    )
  })

  it('a pattern that would stall a backtracking engine stalls nothing', async () => {
    await set({ 'serial_number.pattern': '^(?P<part_number>(a+)+)$' })
    expect(await createV2({ part_number: undefined, serial_number: `${'a'.repeat(59)}!` })).toMatchObject(
      refusal(400, 'BAD_REQUEST', 'part number'),
    )
  })
})

describe('FORBIDDEN', () => {
  it('a station that is not authorized for the procedure', async () => {
    const message = 'not authorized.*Link the procedure'
    expect(await createV2({}, 'other-station')).toMatchObject(refusal(403, 'FORBIDDEN', message))
  })

  it.each([
    ['auto_create.part', { part_number: 'NEW-PART' }, 'part creation failed'],
    ['auto_create.revision', { revision_number: 'NEW-REVISION' }, 'revision creation failed'],
    ['auto_create.batch', { batch_number: 'NEW-BATCH' }, 'batch creation failed'],
    ['auto_create.unit', {}, 'unit creation failed'],
    ['auto_create.version', { procedure_version: 'NEW-VERSION' }, 'version creation failed'],
  ] as const)('%s is off and a new one is sent', async (name, change, message) => {
    await createV2()
    await set({ [name]: false })
    expect(await createV2(change)).toMatchObject(refusal(403, 'FORBIDDEN', message))
    await set({ [name]: true })
    expect(await createV2(change)).toMatchObject({ status: 200 })
  })

  it('plan upgrade required', async () => {
    await set({ 'plan.upgrade_required': true })
    expect(await createV2()).toMatchObject(refusal(403, 'FORBIDDEN', 'plan upgrade required'))
  })

  it('monthly limit exceeded, by the very next run, in both interfaces', async () => {
    const { data } = await world.client.listRuns({ query: { limit: 100 } })
    await set({ 'limits.runs_per_month': data.length + 1 })
    await world.createRun()
    expect(await createV2()).toMatchObject(refusal(403, 'FORBIDDEN', 'monthly limit exceeded'))
    const v1 = await ask(world, {
      operation: 'createV1Run',
      as: 'user',
      prefix: '',
      input: {
        body: {
          procedure_id: world.procedureId,
          unit_under_test: { serial_number: 'LIMIT' },
          run_passed: true,
          duration: 'PT1S',
        },
      },
    })
    expect(v1).toMatchObject({ status: 403, body: { status_code: 403, code: 'FORBIDDEN' } })
    await set({ 'limits.runs_per_month': null })
    expect(await createV2()).toMatchObject({ status: 200 })
  })
})

describe('NOT_FOUND', () => {
  it('the operator does not exist and must be created first', async () => {
    const operated_by = `${world.unique('operator')}@example.com`
    expect(await createV2({ operated_by })).toMatchObject(
      refusal(404, 'NOT_FOUND', 'operator .*does not exist and must be created first'),
    )
    await world.client.createUser({ body: { email: operated_by.toUpperCase() } })
    expect(await createV2({ operated_by })).toMatchObject({ status: 200 })
  })

  it('the procedure does not exist and must be created first', async () => {
    expect(await createV2({ procedure_id: '00000000-0000-4000-8000-000000000000' })).toMatchObject(
      refusal(404, 'NOT_FOUND', 'no procedure was found .*does not exist and must be created first'),
    )
  })
})

it('a rejected request leaves nothing behind', async () => {
  await set({ 'auto_create.version': false })
  const serial_number = world.unique('REFUSED')
  const refused = {
    serial_number,
    part_number: 'REFUSED-PART',
    batch_number: 'REFUSED-BATCH',
    procedure_version: 'X',
  }
  expect(await createV2(refused)).toMatchObject({ status: 403 })
  expect((await world.client.listRuns({ query: { serial_numbers: [serial_number] } })).data).toEqual([])
  await set({ 'auto_create.part': false })
  expect(await createV2({ ...refused, procedure_version: undefined })).toMatchObject(
    refusal(403, 'FORBIDDEN', 'part creation failed'),
  )
})

it('null stands for what a client has no value for, in metadata and report variables too', async () => {
  const created = await createV2({ metadata: { site: 'Lyon', none: null }, unit_metadata: { none: null } })
  const { id } = created.body as { id: string }
  expect((await world.client.getRun({ params: { id } })).metadata).toEqual({ site: 'Lyon' })
  const v1 = await world.client.createLenientV1Run({
    body: {
      procedure_id: world.procedureId,
      unit_under_test: { serial_number: world.unique('NULLS') },
      run_passed: true,
      report_variables: { site: 'Lyon', none: null },
      steps: [
        {
          name: 'measured',
          step_passed: true,
          started_at: '2026-11-20T09:30:00Z',
          duration: 'PT1S',
          measurement_value: '1.5',
          limit_low: '0',
          limit_high: ' 2 ',
        },
      ],
    },
  })
  const run = await world.client.getRun({ params: { id: v1.id ?? '' } })
  expect(run.metadata).toEqual({ site: 'Lyon' })
  expect(run.phases[0]?.measurements[0]).toMatchObject({
    measured_value: 1.5,
    validators: [{ expected_value: 0 }, { expected_value: 2 }],
  })
})
