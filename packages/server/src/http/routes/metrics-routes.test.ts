import { statfs } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/start-test-server'

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
  await server.send('GET', '/v2/runs/00000000-0000-4000-8000-000000000000')
  await server.send('GET', '/api/v2/runs/00000000-0000-4000-8000-000000000000')
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
    'runledger_http_refused_total{reason="NOT_FOUND"} 3',
    'runledger_ingested_bytes_total{kind="attachment"} 5',
    'runledger_blob_stored_bytes 5',
    'runledger_database_writes_queued 0',
    'runledger_database_reads_queued 0',
    'runledger_database_reads_stopped_total 0',
    'runledger_cleanup_backlog 0',
    'runledger_cleanup_deleted_total{kind="runs"} 0',
  ]) {
    expect(lines).toContain(line)
  }
  const runBytes = lines.find((line) => line.startsWith('runledger_ingested_bytes_total{kind="run"} '))
  expect(Number(runBytes?.split(' ')[1])).toBeGreaterThan(200)
  expect(lines.some((line) => line.startsWith('process_resident_memory_bytes '))).toBe(true)
})

it('measures the database, its log and the disk', async () => {
  const read = async (name: string) =>
    Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await readMetrics())?.[1])
  for (const name of ['database_wal_bytes', 'database_bytes', 'disk_free_bytes', 'cleanup_last_end_seconds'])
    expect(await read(`runledger_${name}`), name).toBeGreaterThanOrEqual(0)
  const writes = await read('runledger_database_writes_total')
  await Promise.all(Array.from({ length: 10 }, () => server.createRun()))
  await expect
    .poll(() => read('runledger_database_writes_total'), { timeout: 5_000 })
    .toBeGreaterThanOrEqual(writes + 10)
  expect(await read('runledger_database_commits_total')).toBeLessThanOrEqual(
    await read('runledger_database_writes_total'),
  )
  const { bavail, bsize } = await statfs(server.dataDir)
  const free = await read('runledger_disk_free_bytes')
  expect(Math.abs(free - bavail * bsize)).toBeLessThan(1_000_000_000)
})

it('is read once a second at most, whichever path is asked', async () => {
  const count = async (prefix: string) =>
    Number(/operation="getMetrics",status="200"\} (\d+)$/m.exec(await readMetrics(prefix))?.[1])
  await expect.poll(() => count('')).toBeGreaterThan(0)
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  const first = await count('')
  expect([await count(''), await count('/api')]).toEqual([first, first])
  await expect.poll(() => count('/api'), { timeout: 5_000 }).toBeGreaterThanOrEqual(first + 3)
})

it('tells nothing of what is stored or asked', async () => {
  const text = await readMetrics('/api')
  for (const word of [
    'SECRET',
    'secret',
    '00000000-0000-4000-8000-000000000000',
    'no-such-route',
    server.procedureId,
    server.apiKey,
  ])
    expect(text).not.toContain(word)
})

it.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])(
  'keeps the metrics from whoever comes through a proxy, by %s',
  async (header) => {
    const ask = async (headers: Record<string, string>) =>
      (await fetch(`${server.url}/metrics`, { headers })).status
    expect(await ask({ [header]: '203.0.113.7' })).toBe(403)
    expect(await ask({})).toBe(200)
  },
)
