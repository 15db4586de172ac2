import { rename } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createRequest,
  listErrorCodes,
  OPERATION_ROUTES,
  OPERATIONS,
} from '../../packages/protocol/src/index'
import type { Database } from '../../packages/server/src/storage/database/database'
import { startTestServer, type TestServer } from '../../packages/server/src/testing/start-test-server'
import { readResponse } from './ask'
import { UNKNOWN_ID } from './cases/unknown-id'
import { dummyInput, OPERATION_NAMES } from './generated-cases'

/** What every operation answers when what the service stands on is broken. */

let server: TestServer
let failure: Error | undefined
/** How often a request may turn to the database before it fails: once, to see whose key it is. */
let turnsLeft = 0

beforeAll(async () => {
  server = await startTestServer({}, { wrapDatabase: failOnOrder })
})

afterAll(async () => {
  failure = undefined
  await server.stop()
})

function failOnOrder(plain: Database): Database {
  return {
    get query() {
      turn()
      return plain.query
    },
    read: async (work, options) => {
      turn()
      return plain.read(work, options)
    },
    write: (work) => (failure ? Promise.reject(failure) : plain.write(work)),
    stats: () => plain.stats(),
    close: () => plain.close(),
  }
}

function turn(): void {
  if (failure) turnsLeft -= 1
  if (failure && turnsLeft < 0) throw failure
}

async function askBroken(name: (typeof OPERATION_NAMES)[number], prefix: string) {
  const { method, path: address } = createRequest(name, dummyInput(name))
  turnsLeft = 1
  return readResponse(await server.send(method, prefix + address + sampleQuery(name), sampleBody(name)))
}

/** Of the fields below those that the operation has. */
function sampleBody(name: (typeof OPERATION_NAMES)[number]): object | undefined {
  const { body } = OPERATIONS[name] as { body?: { shape: object } }
  return body && Object.fromEntries(Object.entries(SAMPLE_BODY).filter(([field]) => field in body.shape))
}

const SAMPLE_RUN = {
  procedure_id: UNKNOWN_ID,
  unit_under_test: { serial_number: 'x', part_number: 'x', revision: 'x' },
  run_passed: true,
  duration: 'PT1S',
}

/** Every field that some operation requires, so that all are well formed. */
const SAMPLE_BODY = {
  ...SAMPLE_RUN,
  runs: [{ run: SAMPLE_RUN }],
  name: 'x',
  url: 'https://example.com/',
  number: 'x',
  new_number: 'x',
  tag: 'x',
  kind: 'user',
  email: 'x@example.com',
  serial_number: 'x',
  part_number: 'x',
  revision_number: 'x',
  child_serial_number: 'x',
  sub_units: [],
  outcome: 'PASS',
  started_at: '2026-11-20T09:30:00Z',
  ended_at: '2026-11-20T09:30:01Z',
  upload_id: UNKNOWN_ID,
  run_id: UNKNOWN_ID,
  test_id: UNKNOWN_ID,
  any_error: true,
  owner: 'x',
  reason: 'x',
  ends_at: '2026-11-20T09:30:00Z',
  group: 'x',
  importer: 'OPENHTF',
  items: [{ upload_id: UNKNOWN_ID, importer: 'OPENHTF' }],
  build: 'x',
  framework: 'x',
  shard_index: 1,
  shard_total: 1,
  files: ['x'],
  mapping: {
    fields: {
      serial_number: { column: 'x' },
      outcome: { value: 'PASS' },
      started_at: { column: 'x' },
      ended_at: { column: 'x' },
    },
    measurements: { layout: 'wide', columns: [{ column: 'x' }] },
  },
}

const SAMPLE_QUERY = `?procedure_id=x&ids=${UNKNOWN_ID}&serial_number=x&serial_numbers=x&child_serial_number=x&query=xx&base=x&head=x&phase=x&batch_number=x`

function sampleQuery(name: (typeof OPERATION_NAMES)[number]): string {
  const { query } = OPERATIONS[name] as { query?: unknown }
  return query === undefined ? '' : SAMPLE_QUERY
}

const WITH_KEY = OPERATION_NAMES.filter((name) => {
  const { access } = OPERATIONS[name]
  return access !== 'none' && access !== 'station-key'
})

describe.each(['', '/api'])('below %j', (prefix) => {
  it.each(WITH_KEY)('%s answers 500 and nothing of the reason when the database fails', async (name) => {
    failure = new Error('SECRET of the database')
    const { status, body } = await askBroken(name, prefix)
    expect({ status, body }).toMatchObject({
      status: 500,
      body: { code: 'INTERNAL_SERVER_ERROR', message: 'Internal server error' },
    })
    expect(JSON.stringify(body)).not.toContain('SECRET')
  })

  it.each(WITH_KEY)('%s answers 503 when the disk is full', async (name) => {
    failure = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR' })
    expect(await askBroken(name, prefix)).toMatchObject({
      status: 503,
      body: { code: 'SERVICE_UNAVAILABLE' },
    })
  })

  it.each(OPERATION_NAMES.filter((name) => listErrorCodes(OPERATIONS[name]).includes('BAD_GATEWAY')))(
    '%s answers 502 when the store of attachments cannot be reached',
    async (name) => {
      failure = undefined
      const blobs = path.join(server.dataDir, 'blobs')
      await rename(blobs, `${blobs}.gone`)
      try {
        const { method, path: address } = createRequest(name, dummyInput(name))
        const answered = await readResponse(await server.send(method, prefix + address, SAMPLE_BODY))
        expect(answered).toMatchObject({ status: 502, body: { code: 'BAD_GATEWAY' } })
      } finally {
        await rename(`${blobs}.gone`, blobs)
      }
    },
  )
})

it('the response does not name the station of a key either', async () => {
  failure = new Error('SECRET of the database')
  turnsLeft = 0
  const { path: address } = OPERATION_ROUTES.getCurrentStation
  expect(await readResponse(await server.send('GET', address))).toMatchObject({ status: 500 })
})
