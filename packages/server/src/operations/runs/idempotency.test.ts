import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { minimalRun, startTestServer, type TestServer } from '../../testing/start-test-server'
import { digestOnce } from '../../record/results/run-request'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

async function countRuns(): Promise<number> {
  const page = (await (await server.send('GET', '/v2/runs?limit=100')).json()) as { data: unknown[] }
  return page.data.length
}

describe('Idempotency-Key', () => {
  it('answers the first response again and creates nothing', async () => {
    const headers = { 'Idempotency-Key': 'again' }
    const first = await server.createRun({ run_passed: false }, headers)
    const before = await countRuns()
    expect(await server.createRun({ run_passed: false, unknown: 1 }, headers)).toEqual(first)
    expect(await countRuns()).toBe(before)
  })

  it('knows a body of many phases again, whatever unknown names it has', async () => {
    const times = { started_at: '2026-11-20T09:00:00Z', ended_at: '2026-11-20T09:00:01Z' }
    const bodyOf = (unknown: object) => ({
      procedure_id: server.procedureId,
      outcome: 'PASS',
      serial_number: 'SN-phases',
      part_number: 'LAMP',
      ...times,
      phases: Array.from({ length: 1_900 }, () => ({ name: 'a', outcome: 'PASS', ...times, ...unknown })),
      metadata: { a: 'b' },
    })
    const answers = []
    for (const unknown of [{}, { x: 1, y: 2 }]) {
      const headers = { 'Idempotency-Key': 'phases' }
      const response = await server.send('POST', '/v2/runs', bodyOf(unknown), headers)
      expect(response.status).toBe(200)
      answers.push(((await response.json()) as { id: string }).id)
    }
    expect(answers[1]).toBe(answers[0])
  })

  it('answers 409 for another body', async () => {
    await server.createRun({}, { 'Idempotency-Key': 'other' })
    const before = await countRuns()
    const body = { ...minimalRun(server.procedureId), run_passed: false }
    const response = await server.send('POST', '/v1/runs/create', body, { 'Idempotency-Key': 'other' })
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ code: 'CONFLICT', status_code: 409 })
    expect(await countRuns()).toBe(before)
  })

  it('creates one run for 20 requests at once with the same key', async () => {
    const before = await countRuns()
    const headers = { 'Idempotency-Key': 'race' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => server.createRun({}, headers)))
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    expect(await countRuns()).toBe(before + 1)
  })

  it('is free again when its request was refused', async () => {
    const headers = { 'Idempotency-Key': 'refused first' }
    const bad = { ...minimalRun('nope') }
    expect((await server.send('POST', '/v1/runs/create', bad, headers)).status).toBe(404)
    await server.createRun({}, headers)
  })

  it('refuses a key that is empty or too long', async () => {
    const body = minimalRun(server.procedureId)
    const response = await server.send('POST', '/v1/runs/create', body, {
      'Idempotency-Key': 'k'.repeat(256),
    })
    expect(response.status).toBe(400)
  })

  it('knows a large body by the digest of its JSON, as it does a small one', async () => {
    const steps = Array.from({ length: 3_000 }, (_, index) => ({
      name: `"${index}ä`,
      a: undefined,
      b: [null, 1.5],
    }))
    for (const request of [
      { a: undefined, b: { c: [[steps], undefined, {}] }, steps },
      { steps: steps.slice(0, 1) },
    ]) {
      const digest = createHash('sha256').update(JSON.stringify(request)).digest('base64url')
      expect(await digestOnce(request)()).toBe(digest)
      const turned = Object.fromEntries(Object.entries(request).toReversed())
      expect(await digestOnce(turned)()).toBe(digest)
    }
  })
})
