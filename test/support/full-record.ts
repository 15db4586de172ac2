import path from 'node:path'
import {
  loadSqlite,
  type SqliteConnection,
} from '../../packages/server/src/storage/database/sqlite/sqlite-driver'
import type { MigrationProgress } from '../../packages/server/src/upkeep/migration/running-migration'
import type { TestServer } from '../../packages/server/src/testing/start-test-server'
import { createWholeRun } from '../interface/sample-run'
import type { World } from '../interface/world'
import { DATABASE_FILE } from '../../packages/server/src/storage/folder/data-folder'

/** Numbers that lose something when they are not written with all their digits. */
export const EXACT_NUMBERS = [
  0.1 + 0.2,
  1 / 3,
  1.7976931348623157e308,
  -123456789.12345679,
  2 ** 53,
  5e-324,
  1.7e-17,
]

export interface FullRecord {
  runId: string
  /** Where the first attachment of the run is downloaded, below the address of the service. */
  downloadPath: string
}

/** Puts on record something of everything that the interface takes, and stops the service. */
export async function createFullRecord(server: TestServer): Promise<FullRecord> {
  const post = async (route: string, body: unknown, headers?: Record<string, string>) => {
    const response = await server.send('POST', route, body, headers)
    if (response.status !== 200) throw new Error(`${route}: ${response.status} ${await response.text()}`)
    return (await response.json()) as { id: string; key: string }
  }
  await server.send('PATCH', '/v2/settings', { 'retention.days': 3000 })
  await post('/v2/users', { email: 'operator@example.com', name: 'Øperator' })
  const station = await post('/v2/stations', { name: 'Bench', procedure_id: server.procedureId })
  await post('/v2/keys', { kind: 'station', name: 'Bench', station_id: station.id })
  // Older than the unit that it is a part of.
  await server.createRun({ unit_under_test: { serial_number: 'CARD', part_number: 'PN-1' } })
  const world = {
    procedureId: server.procedureId,
    operatorEmail: 'operator@example.com',
    unique: () => 'RACK',
  }
  const whole = createWholeRun(world as unknown as World, { sub_units: ['CARD'] })
  await post('/v2/runs', whole, { 'Idempotency-Key': 'whole' })
  const attachments = [
    await server.upload('log.txt', 'what the test printed'),
    await server.upload('empty', ''),
  ]
  const report_variables = { group: 'ci-7', git_branch: 'main', file: 'src/cart.test.ts' }
  const { id } = await server.createRun({
    run_passed: false,
    steps: STEPS,
    attachments: ['trace.zip'],
    report_variables,
  })
  await server.send('PATCH', `/v2/runs/${id}`, { attachments })
  await server.upload('unlinked.bin', new Uint8Array([0, 1, 255]))
  const { attachments: linked } = await server.getRun(id)
  const { pathname, search } = new URL(linked[0]?.download_url ?? '')
  await server.send('PUT', '/v2/executions/7d5d1f7e-8b1c-4c0e-9d2b-5a1f0f6b8c3a', {
    procedure_id: server.procedureId,
    group: 'ci-7',
    started_at: '2026-11-20T09:30:00.000Z',
  })
  await post('/v2/shards', {
    procedure_id: server.procedureId,
    build: 'ci-7',
    framework: 'vitest',
    shard_index: 1,
    shard_total: 2,
    files: ['src/cart.test.ts', 'src/größe.test.ts'],
  })
  const results = await server.send('GET', '/v2/builds/ci-7/tests')
  const { data } = (await results.json()) as { data: { test: { id: string } }[] }
  const entry = await post('/v2/quarantine', {
    test_id: data[0]?.test.id,
    fingerprint: 'ab'.repeat(32),
    owner: '@cart-team',
    reason: 'größer 🚀',
    link: 'https://example.com/issues/7',
    ends_at: new Date(Date.now() + 86_400_000).toISOString(),
  })
  await server.send('DELETE', `/v2/quarantine/${entry.id}`)
  const webhook = await post('/v2/webhooks', {
    name: 'größer 🚀',
    // Nothing listens there.
    url: 'http://127.0.0.1:9/hook',
    procedure_ids: [server.procedureId],
    events: ['test.fixed', 'line.yield_below'],
    yield_below: 0.1 + 0.2,
  })
  await post(`/v2/webhooks/${webhook.id}/test`, undefined)
  await signIn(server)
  await server.running.createSignInLink()
  await server.stop()
  await addRows(server)
  return { runId: id as string, downloadPath: pathname + search }
}

const STEPS = [
  {
    name: 'adds',
    kind: 'test',
    step_passed: false,
    started_at: '2026-11-20T09:00:00Z',
    duration: 'PT1S',
    location: { file: 'src/cart.test.ts', line: 8 },
    tags: ['@smoke', 'größer 🚀'],
    owner: '@cart-team',
    errors: [{ message: 'expected 3 to be 4', stack: 'Error: expected 3 to be 4', diff: '- 4\n+ 3\t\\' }],
    attempts: [
      { outcome: 'FAIL', started_at: '2026-11-20T09:00:00.000Z', duration: 'PT0.500S', worker: 0 },
      { outcome: 'FAIL', started_at: '2026-11-20T09:00:00.500Z', duration: 'PT0.500S', worker: 4 },
    ],
  },
  ...EXACT_NUMBERS.map((value, index) => ({
    name: `measures ${index}`,
    step_passed: true,
    started_at: '2026-11-20T09:00:01Z',
    duration: 'PT1S',
    measurement_value: value,
  })),
]

async function signIn(server: TestServer): Promise<void> {
  const code = new URL(await server.running.createSignInLink()).searchParams.get('code')
  const headers = { 'content-type': 'application/json' }
  await fetch(`${server.url}/session`, { method: 'POST', headers, body: JSON.stringify({ code }) })
}

/** A deletion that is under way, and an account at a sign-in provider. */
async function addRows({ dataDir }: TestServer): Promise<void> {
  const connection = await openSqlite(dataDir)
  connection.exec(`INSERT INTO deletions (kind, record_id, requested_at_us) VALUES ('run', 1, 1)`)
  connection.exec(`INSERT INTO identities (issuer, subject, user_id, created_at_us)
    SELECT 'https://login.example.com', 'größer 🚀', min(id), 1 FROM users`)
  connection.close()
}

export async function openSqlite(dataDir: string): Promise<SqliteConnection> {
  const { DatabaseSync } = await loadSqlite()
  return new DatabaseSync(path.join(dataDir, DATABASE_FILE))
}

/** Breaks a migration off when so many rows or files have come. */
export function breakAfter(count: number): MigrationProgress {
  let left = count
  return {
    expect: () => undefined,
    step: (_label, some) => {
      left -= some
      if (left < 0) throw new Error('broken off')
    },
  }
}
