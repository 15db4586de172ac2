import type { RunDetail } from '@runledger/protocol'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '../../storage/database/database'
import { minimalRun, startTestServer, type TestServer } from '../../testing/start-test-server'

const STEPS = 6_000

let server: TestServer
let reads = 0
let longId: string
let shortId: string

beforeAll(async () => {
  server = await startTestServer({}, { wrapDatabase: countReads })
  longId = await create(STEPS, { unit_under_test: { serial_number: 'LONG', part_number: 'PART-1' } })
  shortId = await create(3, { unit_under_test: { serial_number: 'LONG', part_number: 'PART-1' } })
}, 60_000)

afterAll(() => server.stop())

function countReads(plain: Database): Database {
  return {
    ...plain,
    get query() {
      return plain.query
    },
    read: (work, options) => {
      reads += 1
      return plain.read(work, options)
    },
    write: (work) => plain.write(work),
    stats: () => plain.stats(),
    close: () => plain.close(),
  }
}

/** Long enough that what is on its way to a client that does not read is a small part of the run. */
function describe(index: number): string {
  return `the "${index}" ${'.'.repeat(1_000)}`
}

/** Some steps have none, some a few, and two more than are read at once. */
function countMeasurements(index: number): number {
  if (index === 100) return 2_345
  return index === 200 ? 1_000 : index % 3
}

/** A run as v2 takes it. */
async function create(steps: number, change: object): Promise<string> {
  const at = '2026-11-20T09:00:00.000Z'
  const { procedure_id } = minimalRun(server.procedureId)
  const phases = Array.from({ length: steps }, (_, index) => ({
    name: `step ${index % 500}`,
    outcome: 'PASS',
    started_at: at,
    ended_at: at,
    docstring: describe(index),
    measurements: Array.from({ length: countMeasurements(index) }, (_none, nth) => ({
      name: `value ${nth}`,
      outcome: 'PASS',
      measured_value: index * 10 + nth,
    })),
  }))
  const logs = Array.from({ length: steps }, (_, index) => ({
    level: 'INFO',
    timestamp: at,
    message: `line ${index}`,
    source_file: 'a.py',
    line_number: index,
  }))
  const { unit_under_test: unit } = change as { unit_under_test: Record<string, string> }
  const response = await server.send('POST', '/v2/runs', {
    ...unit,
    procedure_id,
    outcome: 'PASS',
    started_at: at,
    ended_at: at,
    phases,
    logs,
    metadata: { order: 'A-1' },
  })
  expect(response.status, await response.clone().text()).toBe(200)
  return ((await response.json()) as { id: string }).id
}

async function getText(path: string): Promise<string> {
  const response = await server.send('GET', path)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
  return response.text()
}

it('answers a long run with the same members as a short one, and all that it has, in the order sent', async () => {
  const long = JSON.parse(await getText(`/v2/runs/${longId}`)) as RunDetail
  const short = JSON.parse(await getText(`/v2/runs/${shortId}`)) as RunDetail
  expect(Object.keys(long)).toEqual(Object.keys(short))
  expect(Object.keys(long.phases[1] ?? {})).toEqual(Object.keys(short.phases[1] ?? {}))
  expect(long.phases.map(({ docstring }) => docstring)).toEqual(
    Array.from({ length: STEPS }, (_, index) => describe(index)),
  )
  expect(long.phases.map(({ measurements }) => measurements.map((one) => one.measured_value))).toEqual(
    Array.from({ length: STEPS }, (_, index) =>
      Array.from({ length: countMeasurements(index) }, (_none, nth) => index * 10 + nth),
    ),
  )
  expect(long.logs.map(({ message }) => message)).toEqual(
    Array.from({ length: STEPS }, (_, index) => `line ${index}`),
  )
  expect(long.metadata).toEqual(short.metadata)
})

it('answers long and short runs twice to old clients, byte for byte the same', async () => {
  const short = await getText(`/v2/runs/${shortId}`)
  const long = await getText(`/v2/runs/${longId}`)
  expect(await getText('/v1/runs?serial_number=LONG')).toBe(
    `{"message":"2 runs found","data":[${short},${long}],"result":[${short},${long}]}`,
  )
  const none = '{"message":"0 runs found","data":[],"result":[]}'
  expect(await getText('/v1/runs?serial_number=NONE')).toBe(none)
})

it('reads no more of a long run than its client takes', async () => {
  reads = 0
  await getText(`/v2/runs/${longId}`)
  const whole = reads
  expect(whole).toBeGreaterThan(20)
  reads = 0
  const asked = request(`${server.url}/v2/runs/${longId}`, {
    headers: { authorization: `Bearer ${server.apiKey}` },
  })
  const got = new Promise((resolve) => asked.once('response', resolve))
  asked.end()
  await got
  let before: number
  do {
    before = reads
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  } while (reads > before)
  expect(reads).toBeLessThan(whole)
  asked.destroy()
})

it('breaks off when the run is deleted meanwhile, rather than to answer a part of it as the whole', async () => {
  const id = await create(STEPS, { unit_under_test: { serial_number: 'GONE', part_number: 'PART-1' } })
  const response = await server.send('GET', `/v2/runs/${id}`)
  const reader = response.body?.getReader()
  await reader?.read()
  expect((await server.send('DELETE', `/v2/runs?ids=${id}`)).status).toBe(200)
  const rest = (async () => {
    for (;;) if ((await reader?.read())?.done !== false) return
  })()
  await expect(rest).rejects.toThrow()
})
