import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAsk, minimalRun, startTestServer, type TestServer } from '../testing/start-test-server'

let server: TestServer
const ask = createAsk(() => server)

beforeAll(async () => {
  server = await startTestServer()
  await server.createRun()
})

afterAll(() => server.stop())

const UNIT = { serial_number: 'U', part_number: 'PART-1', revision: 'A' }
const PATH = { runs: '/v1/runs/create', part: '/v2/parts/PART-1', unit: '/v2/units/UNIT-1' }

const REQUESTS: readonly [field: string, method: string, path: string, body: (text: string) => object][] = [
  ['serial number', 'POST', PATH.runs, (text) => ({ unit_under_test: { ...UNIT, serial_number: text } })],
  ['part number', 'POST', PATH.runs, (text) => ({ unit_under_test: { ...UNIT, part_number: text } })],
  ['revision', 'POST', PATH.runs, (text) => ({ unit_under_test: { ...UNIT, revision: text } })],
  ['batch number', 'POST', PATH.runs, (text) => ({ unit_under_test: { ...UNIT, batch_number: text } })],
  ['procedure version', 'POST', PATH.runs, (text) => ({ unit_under_test: UNIT, procedure_version: text })],
  ['number', 'POST', '/v2/parts', (text) => ({ number: text })],
  ['new number', 'PATCH', PATH.part, (text) => ({ new_number: text })],
  ['number', 'POST', `${PATH.part}/revisions`, (text) => ({ number: text })],
  ['number', 'PATCH', `${PATH.part}/revisions/A`, (text) => ({ number: text })],
  ['number', 'POST', '/v2/batches', (text) => ({ number: text })],
  ['new serial number', 'PATCH', PATH.unit, (text) => ({ new_serial_number: text })],
  ['identifier', 'POST', '/v2/procedures', (text) => ({ name: 'Dots', identifier: text })],
  ['tag', 'POST', '/v2/procedures/PROCEDURE/versions', (text) => ({ tag: text })],
]

describe.each(['.', '..', ' .. '])('"%s"', (text) => {
  it.each(REQUESTS)('is refused as %s of %s %s', async (field, method, path, createBody) => {
    const run = path === PATH.runs ? minimalRun(server.procedureId) : {}
    const address = path.replace('PROCEDURE', server.procedureId)
    const { status, body } = await ask<{ issues: { message: string }[] }>(method, address, {
      ...run,
      ...createBody(text),
    })
    const [issue] = body.issues
    expect([status, issue?.message]).toEqual([400, expect.stringMatching(`^${field} must .*received "`)])
  })
})

it('dots within a text are fine', async () => {
  await server.createRun({ unit_under_test: { serial_number: '...', part_number: '1..2', revision: '.1' } })
  expect((await ask('GET', '/v2/units/...')).status).toBe(200)
})
