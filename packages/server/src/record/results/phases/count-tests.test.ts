import {
  countPhases,
  formatTestCounts,
  hasFailedBefore,
  type Page,
  type PhaseListItem,
} from '@runledger/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/start-test-server'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const at = '2026-11-20T09:30:00.000Z'
const phase = (name: string, outcome: string, more: object = {}) => ({
  name,
  outcome,
  started_at: at,
  ended_at: at,
  ...more,
})
const attempts = (...outcomes: string[]) => ({
  attempts: outcomes.map((outcome) => ({ outcome, started_at: at, duration: 'PT1S' })),
})

const PHASES = [
  phase('passes', 'PASS', { kind: 'test' }),
  phase('flaky', 'PASS', { kind: 'test', ...attempts('FAIL', 'PASS') }),
  phase('repeated', 'PASS', { kind: 'test', ...attempts('PASS', 'SKIP', 'PASS') }),
  phase('fails', 'FAIL', { kind: 'test', ...attempts('FAIL', 'FAIL') }),
  phase('fails › step', 'FAIL', { kind: 'step', parent: 3 }),
  phase('fails › volts', 'FAIL', { kind: 'measurement', parent: 3 }),
  phase('errs', 'ERROR', { kind: 'test' }),
  phase('skipped', 'SKIP'),
  phase('retried elsewhere', 'PASS', { retry_count: 2 }),
  phase('part of it', 'PASS', { parent: 8 }),
  phase('afterAll hook', 'FAIL', { kind: 'hook' }),
  phase('Suite failed', 'FAIL', { kind: 'suite' }),
]

let id: string

beforeAll(async () => {
  const response = await server.send('POST', '/v2/runs', {
    procedure_id: server.procedureId,
    serial_number: 'U1',
    part_number: 'P1',
    outcome: 'FAIL',
    started_at: at,
    ended_at: at,
    phases: PHASES,
    skipped: [{ name: 'todo' }],
  })
  id = ((await response.json()) as { id: string }).id
})

it('counts in SQL what the rule of protocol counts', async () => {
  const counts = countPhases(await server.getRun(id))
  expect(counts).toEqual({ passed: 4, flaky: 2, failed: 2, skipped: 2, errors: 2 })
  expect(await (await server.send('GET', `/runs/${id}.md`)).text()).toContain(
    `- Tests: ${formatTestCounts(counts)}\n`,
  )
})

it('lists as flaky the phases that the rule of protocol calls so', async () => {
  const response = await server.send('GET', `/v2/phases?procedure_id=${server.procedureId}&ids=${id}`)
  const { data } = (await response.json()) as Page<PhaseListItem>
  const { phases } = await server.getRun(id)
  const flaky = phases.filter((one) => one.outcome === 'PASS' && hasFailedBefore(one))
  expect(flaky.map(({ name }) => name)).toEqual(['flaky', 'retried elsewhere'])
  const listed = data.filter((one) => one.flaky).map(({ name }) => name)
  expect(listed.toSorted()).toEqual(['flaky', 'retried elsewhere'])
})
