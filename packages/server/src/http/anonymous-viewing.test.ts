import { type Operation, OPERATION_ROUTES, type OperationName, OPERATIONS } from '@runledger/protocol'
import { get } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort } from '../testing/find-free-port'
import { startTestServer, type TestServer } from '../testing/start-test-server'

let open: TestServer
let closed: TestServer
let runId: string | null | undefined
let fileId: string

beforeAll(async () => {
  open = await startTestServer({ anonymousViewing: true })
  closed = await startTestServer()
  const { id } = await open.createRun({ operated_by: 'owner@localhost' })
  runId = id
  fileId = await open.upload('notes.txt', 'as printed')
})

afterAll(async () => {
  await open.stop()
  await closed.stop()
})

const NAMES = Object.keys(OPERATION_ROUTES) as OperationName[]

/** Reads that need a key. */
const CLOSED_READS = [
  'listKeys',
  'listAuditEntries',
  'listStations',
  'getSettings',
  'listUnlinkedAttachments',
  'listSessions',
  'listWebhooks',
  'listWebhookDeliveries',
  'getQuarantineList',
  'getCurrentStation',
]

function isOpen(name: OperationName): boolean {
  const { access }: Operation = OPERATIONS[name]
  return access === 'none' || (OPERATION_ROUTES[name].method === 'GET' && !CLOSED_READS.includes(name))
}

async function ask(
  server: TestServer,
  name: OperationName,
  headers: Record<string, string> = {},
): Promise<number> {
  const { method, path } = OPERATION_ROUTES[name]
  const response = await fetch(server.url + path.replaceAll(/\{\w+\}/g, 'x'), { method, headers })
  await response.arrayBuffer()
  return response.status
}

async function listOpen(server: TestServer, headers?: Record<string, string>): Promise<OperationName[]> {
  const found: OperationName[] = []
  for (const name of NAMES) if (![401, 403].includes(await ask(server, name, headers))) found.push(name)
  return found
}

describe('without a key', () => {
  it('only reads of the record are open where anyone may view', async () => {
    expect(await listOpen(open)).toEqual(NAMES.filter(isOpen))
  })

  it('nothing is open elsewhere', async () => {
    expect(await listOpen(closed)).toEqual(NAMES.filter((name) => OPERATIONS[name].access === 'none'))
  })

  it('the list of users has no e-mail addresses, and there is no current user', async () => {
    const read = async (path: string) => (await fetch(open.url + path)).json()
    expect(await read('/v2/users')).toMatchObject([{ email: 'hidden@users.invalid' }])
    expect(await read('/v2/users?current=true')).toEqual([])
  })

  it('a run can be read as JSON and as Markdown', async () => {
    expect((await fetch(`${open.url}/v2/runs/${runId}`)).status).toBe(200)
    expect((await fetch(`${open.url}/runs/${runId}.md`)).status).toBe(200)
    expect((await fetch(`${closed.url}/runs/${runId}.md`)).status).toBe(401)
  })
})

it('files are open by the addresses that Markdown has, with GET and HEAD', async () => {
  const address = `/downloads/${fileId}`
  const statuses = async (server: TestServer) =>
    Promise.all(['GET', 'HEAD'].map(async (method) => (await fetch(server.url + address, { method })).status))
  expect(await statuses(open)).toEqual([200, 200])
  expect((await statuses(closed)).every((status) => status >= 400)).toBe(true)
})

/** Asks with this `Host` header. */
async function askAt(host: string, { url } = open): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    get(`${url}/v2/runs`, { headers: { host } }, (response) => {
      const { statusCode: status } = response
      response.toArray().then((parts) => resolve({ status, body: Buffer.concat(parts).toString() }), reject)
    }).on('error', reject)
  })
}

describe('a request without a key', () => {
  it.each(['localhost', '[::1]', '192.168.1.7:7357'])('to %s reads', async (host) => {
    expect(await askAt(host)).toMatchObject({ status: 200 })
  })

  it('to the name of --public-url reads', async () => {
    const publicUrl = 'https://runledger.example.com'
    const named = await startTestServer({ anonymousViewing: true, publicUrl, port: await findFreePort() })
    expect(await askAt('runledger.example.com', named)).toMatchObject({ status: 200 })
    expect(await askAt('localhost:7357', named)).toMatchObject({ status: 200 })
    await named.stop()
  })

  it('to a name that another site may have pointed here is refused, with what to do', async () => {
    const { status, body } = await askAt('evil.example:7357')
    expect(status).toBe(403)
    expect(body).toMatch(/the request is for .*evil\.example:7357.* Set --public-url, and let a proxy pass/)
  })
})

it('a wrong key opens nothing, even where anyone may view', async () => {
  const headers = { authorization: `Bearer rl_user_${'x'.repeat(43)}` }
  expect(await listOpen(open, headers)).toEqual(NAMES.filter((name) => OPERATIONS[name].access === 'none'))
})
