import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../testing/start-test-server'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

async function readMetrics(prefix = ''): Promise<string> {
  const response = await fetch(`${server.url}${prefix}/metrics`)
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  return response.text()
}

it('counts requests, runs and bytes for Prometheus, without a key', async () => {
  const headers = { 'idempotency-key': 'once' }
  await server.createRun({ unit_under_test: { serial_number: 'SECRET-SN' } }, headers)
  await server.createRun({ unit_under_test: { serial_number: 'SECRET-SN' } }, headers)
  await server.send('GET', '/v2/runs/unknown-run')
  await server.send('GET', '/api/v2/runs/unknown-run')
  await server.send('GET', '/no-such-route')
  await server.upload('secret-name.txt', '12345')
  const lines = (await readMetrics()).split('\n')
  for (const line of [
    'runledger_http_requests_total{operation="createV1Run",status="200"} 2',
    'runledger_http_requests_total{operation="getRun",status="404"} 2',
    'runledger_http_requests_total{operation="uploadBytes",status="200"} 1',
    'runledger_http_requests_total{operation="other",status="404"} 1',
    'runledger_http_request_duration_seconds_count{operation="getRun"} 2',
    'runledger_runs_created_total 1',
    'runledger_blob_stored_bytes 5',
  ]) {
    expect(lines).toContain(line)
  }
  expect(lines.some((line) => line.startsWith('process_resident_memory_bytes '))).toBe(true)
})

it('tells nothing of what is stored or asked', async () => {
  const text = await readMetrics('/api')
  for (const word of ['SECRET', 'secret', 'unknown-run', 'no-such-route', server.procedureId, server.apiKey])
    expect(text).not.toContain(word)
})
