import type { Home } from '@runledger/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createResponse, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer

beforeEach(async () => {
  server = await startTestServer()
})

afterEach(() => server.stop())

const get = createResponse(() => server)

it('names the batch of a production procedure whose units passed least at first', async () => {
  const record = async (batch: string, passed: number, of: number) => {
    for (let unit = 0; unit < of; unit += 1) {
      const at = new Date(Date.now() - 60_000).toISOString()
      await get('POST', '/v2/runs', {
        procedure_id: server.procedureId,
        serial_number: `${batch}-${unit}`,
        part_number: 'board',
        batch_number: batch,
        outcome: unit < passed ? 'PASS' : 'FAIL',
        started_at: at,
        ended_at: at,
      })
    }
  }
  await record('good', 6, 6)
  await record('worse', 3, 6)
  await record('small', 0, 2)
  const { lines } = await get<Home>('GET', '/v2/home')
  expect(lines).toMatchObject([
    { first_pass: { passed: 9, of: 14 }, worst_batch: { number: 'worse', passed: 3, of: 6 } },
  ])
})
