import type { UnitDetail } from '@runledger/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/start-test-server'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
  await server.send('PATCH', '/v2/settings', {
    'serial_number.pattern': '^(?P<part_number>[A-Z]+)-(?P<revision_number>\\w+)-(?P<batch_number>\\w+)-',
  })
})

afterAll(() => server.stop())

async function runOf(serialNumber: string, change: object = {}): Promise<unknown> {
  const response = await server.send('POST', '/v2/runs', {
    procedure_id: server.procedureId,
    outcome: 'PASS',
    started_at: '2026-11-20T09:30:00Z',
    ended_at: '2026-11-20T09:31:00Z',
    serial_number: serialNumber,
    ...change,
  })
  expect(response.status).toBe(200)
  const unit = (await (await server.send('GET', `/v2/units/${serialNumber}`)).json()) as UnitDetail
  return [unit.part.number, unit.part.revision.number, unit.batch?.number ?? null]
}

it('reads part, revision and batch of a new unit from its serial number', async () => {
  expect(await runOf('LAMP-B-L7-1')).toEqual(['LAMP', 'B', 'L7'])
})

it('takes what is sent before what the serial number says', async () => {
  expect(await runOf('LAMP-B-L7-2', { batch_number: 'L8' })).toEqual(['LAMP', 'B', 'L8'])
  expect(await runOf('LAMP-B-L7-3', { part_number: 'lamp' })).toEqual(['LAMP', 'B', 'L7'])
  expect(await runOf('LAMP-B-L7-4', { part_number: 'Other' })).toEqual(['Other', 'A', 'L7'])
})

it('takes the batch of a v1 run', async () => {
  const unit = { serial_number: 'V1-1', part_number: 'LAMP', revision: 'B', batch_number: ' l7 ' }
  const body = { procedure_id: server.procedureId, unit_under_test: unit, run_passed: true, duration: 'PT1S' }
  for (const path of ['/v1/runs', '/v1/runs/create'])
    expect((await server.send('POST', path, body)).status).toBe(200)
  const detail = (await (await server.send('GET', '/v2/units/V1-1')).json()) as UnitDetail
  expect(detail.batch?.number).toBe('L7')
})

it('leaves a known unit where it is', async () => {
  const sent = { part_number: 'HAND', revision_number: 'R9', batch_number: 'X' }
  expect(await runOf('LAMP-B-L7-5', sent)).toEqual(['HAND', 'R9', 'X'])
  expect(await runOf('LAMP-B-L7-5')).toEqual(['HAND', 'R9', 'X'])
})
