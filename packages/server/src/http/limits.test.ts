import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Database, Query } from '../storage/database/database'
import { createKysely } from '../storage/database/kysely'
import { SQLITE } from '../storage/database/sqlite/sqlite-engine'
import { minimalRun, startTestServer, type TestServer } from '../testing/start-test-server'

let server: TestServer
let sockets: Socket[]

beforeEach(async () => {
  sockets = []
  server = await startTestServer()
})

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await server.stop()
})

async function measurePaceEachSecond(): Promise<void> {
  await server.stop()
  server = await startTestServer({}, { config: { stalledBodySeconds: 1 } })
}

function open(text: string): Socket {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write(text)
  sockets.push(socket)
  return socket
}

function head(method: string, path: string, ...headers: string[]): string {
  const all = [
    'host: a',
    'content-type: application/json',
    `authorization: Bearer ${server.apiKey}`,
    ...headers,
  ]
  return [`${method} ${path} HTTP/1.1`, ...all, '', ''].join('\r\n')
}

async function status(socket: Socket): Promise<number> {
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  return Number(String(chunk).split(' ')[1])
}

it('takes long bodies where runs are created, and nowhere else', async () => {
  const blanks = (bytes: number) => ' '.repeat(bytes)
  const run = JSON.stringify(minimalRun(server.procedureId))
  const answers = [
    ['/v1/runs/create', run + blanks(8_000_000), 200],
    ['/v1/runs', run + blanks(17_000_000), 413],
    ['/v2/procedures', `{"name":"a"}${blanks(900_000)}`, 200],
    ['/v2/procedures', `{"name":"a"}${blanks(1_100_000)}`, 413],
    ['/session', `{"key":"a"}${blanks(5_000)}`, 413],
  ] as const
  for (const [path, body, expected] of answers)
    expect((await server.send('POST', path, body)).status, `${path} ${body.length}`).toBe(expected)
})

it('names the most that an operation takes, also where the length is not announced', async () => {
  const socket = open(head('POST', '/session', 'transfer-encoding: chunked'))
  socket.write(`1400\r\n${' '.repeat(5_120)}\r\n`)
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  expect(String(chunk)).toContain('larger than 4096 bytes, the most that this operation takes')
})

it.each([
  ['POST', '/session'],
  ['POST', '/v1/runs'],
  ['PATCH', '/v2/settings'],
])('answers 408 to a body of %s %s that comes a byte at a time', async (method, path) => {
  await measurePaceEachSecond()
  const socket = open(head(method, path, 'content-length: 4000'))
  const timer = setInterval(() => socket.write(' '), 100)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(String(answer)).toMatch(/^HTTP\/1\.1 408 [\s\S]*The request came too slowly/)
  clearInterval(timer)
})

it('lets an upload go on that is slow but moves', async () => {
  await measurePaceEachSecond()
  const { upload_url } = (await (await server.send('POST', '/v2/attachments', { name: 'a' })).json()) as {
    upload_url: string
  }
  const { pathname, search } = new URL(upload_url)
  const socket = open(head('PUT', `${pathname}${search}`, 'content-length: 60000'))
  // Ten times what is asked for: a busy machine writes later.
  let left = 30
  const timer = setInterval(() => {
    // More would be the next request.
    if (left-- > 0) socket.write('a'.repeat(2_000))
  }, 100)
  expect(await status(socket)).toBe(200)
  clearInterval(timer)
})

async function waitForRoom(bodyWaitSeconds: number, stalledBodySeconds: number): Promise<void> {
  await server.stop()
  server = await startTestServer({}, { config: { bodyWaitSeconds, stalledBodySeconds } })
}

it('lets bodies wait for room in the memory, and stores the runs of them all', async () => {
  await waitForRoom(120, 60)
  const run = JSON.stringify(minimalRun(server.procedureId)) + ' '.repeat(600_000)
  const stored = await Promise.all(
    Array.from({ length: 200 }, () => server.send('POST', '/v1/runs/create', run)),
  )
  expect(new Set(stored.map((one) => one.status))).toEqual(new Set([200]))
}, 120_000)

it('refuses a body that has waited long for room with 503 and Retry-After, and takes it when there is some', async () => {
  await waitForRoom(5, 3)
  const size = 8_000_000
  const begun = [1, 2, 3].map(() => open(head('POST', '/v1/runs', `content-length: ${size}`)))
  const timer = setInterval(() => begun.forEach((socket) => socket.write('a'.repeat(1_000))), 200)
  for (const socket of begun) socket.write('a'.repeat(size - 1_000_000))
  const [refused] = (await Promise.race(begun.map((socket) => once(socket, 'data')))) as [Buffer]
  expect(String(refused)).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: \d+\r\n/)
  const small = await server.send('POST', '/v1/runs/create', minimalRun(server.procedureId))
  expect(small.status).toBe(200)
  clearInterval(timer)
  for (const socket of begun) socket.destroy()
  const run = `${JSON.stringify(minimalRun(server.procedureId))}${' '.repeat(size)}`
  const again = await Promise.all([1, 2, 3, 4].map(() => server.send('POST', '/v1/runs', run)))
  expect(again.map((one) => one.status)).toEqual([200, 200, 200, 200])
})

it('keeps room for other keys however many bodies come with one', async () => {
  await waitForRoom(2, 60)
  const made = await server.send('POST', '/v2/keys', { kind: 'user', name: 'other' })
  const { key } = (await made.json()) as { key: string }
  for (let count = 0; count < 300; count += 1)
    open(head('POST', '/v1/runs', 'content-length: 65536')).write('{'.repeat(1_000))
  await expect
    .poll(async () => (await server.send('POST', '/v1/runs', minimalRun(server.procedureId))).status)
    .toBe(503)
  const other = await server.send('POST', '/v1/runs', minimalRun(server.procedureId), {
    authorization: `Bearer ${key}`,
  })
  expect(other.status).toBe(200)
})

it('gives up connections without a key that nobody uses when there are very many', async () => {
  const known = open(head('GET', '/v2/runs'))
  expect(await status(known)).toBe(200)
  const strangers: Socket[] = []
  // Some at a time: very many at once overflow the system's queue, and those that were dropped never know.
  while (strangers.length < 1_100) {
    const some = Array.from({ length: 50 }, () => open(head('GET', '/nowhere')))
    strangers.push(...some)
    await Promise.all(some.map((socket) => once(socket.resume(), 'connect')))
    await fetch(`${server.url}/healthz`)
  }
  await expect
    .poll(() => strangers.filter(({ destroyed }) => destroyed).length, { timeout: 15_000 })
    .toBeGreaterThan(40)
  expect(strangers.at(-1)?.destroyed).toBe(false)
  known.write(head('GET', '/v2/runs'))
  expect(await status(known)).toBe(200)
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
})

it.each([
  { many: '/nowhere', one: '/healthz', expected: 200 },
  { many: '/healthz', one: '/nowhere', expected: 404 },
])(
  'answers one that asks for $one before all of hundreds that ask for $many',
  async ({ many, one, expected }) => {
    const crowd = Array.from({ length: 300 }, () => open(head('GET', many)))
    const asking = open(head('GET', one))
    // Each is connected once it has its first response.
    await Promise.all([...crowd, asking].map(status))
    let answered = 0
    for (const socket of crowd) socket.once('data', () => (answered += 1))
    for (const socket of crowd) socket.write(head('GET', many))
    asking.write(head('GET', one))
    expect(await status(asking)).toBe(expected)
    expect(answered).toBeLessThan(150)
    await expect.poll(() => answered).toBe(300)
  },
)

it('answers pipelined requests one after another, in their order', async () => {
  const paths = ['/v2/runs', '/nowhere', '/healthz', '/v2/runs/none', '/v2/units']
  const socket = open(paths.map((path) => head('GET', path)).join(''))
  let text = ''
  socket.on('data', (chunk) => (text += String(chunk)))
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, one]) => one)
  await expect.poll(statuses).toEqual(['200', '404', '200', '400', '200'])
})

it('ends a connection on which very many requests wait, and does nothing for them', async () => {
  const socket = open(head('GET', '/v2/runs').repeat(200))
  await once(socket, 'close')
  const figures = (await (await fetch(`${server.url}/metrics`)).text()).split('\n')
  expect(figures.filter((line) => line.includes('"CROWDED"'))).toEqual([expect.stringMatching(/ 1$/)])
  expect(figures.filter((line) => /requests_total\{.*"listRuns".* ([2-9]|\d\d+)$/.test(line))).toEqual([])
})

it('ends a connection on which very many paths wait that are malformed', async () => {
  const socket = open(head('GET', '/%').repeat(200)).resume()
  await once(socket, 'close')
  const figures = await (await fetch(`${server.url}/metrics`)).text()
  expect(figures).toContain('runledger_http_refused_total{reason="CROWDED"} 1')
})

it.each([
  ['/%', 400, 'BAD_REQUEST'],
  ['/v1/runs/%E0%A4%A', 400, 'BAD_REQUEST'],
  [`/v2/runs/${'a'.repeat(501)}`, 414, 'URI_TOO_LONG'],
])('refuses the path %s like any other request', async (path, expected, code) => {
  const socket = open(head('GET', '/v2/runs') + head('GET', path))
  let text = ''
  socket.on('data', (chunk) => (text += String(chunk)))
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, one]) => one)
  await expect.poll(statuses).toEqual(['200', String(expected)])
  const answer = text.slice(text.lastIndexOf('HTTP/1.1')).toLowerCase()
  for (const part of [
    'x-request-id: ',
    'nosniff',
    'content-security-policy: ',
    `"code":"${code}"`.toLowerCase(),
  ])
    expect(answer).toContain(part)
  expect(answer.includes('status_code')).toBe(path.startsWith('/v1'))
  const figures = await (await fetch(`${server.url}/metrics`)).text()
  expect(figures).toContain(`runledger_http_requests_total{operation="other",status="${expected}"} 1`)
})

it('parses no more of a connection than it may have waiting, however much came at once', async () => {
  let begun = 0
  const count = () => void (begun += 1)
  subscribe('http.server.request.start', count)
  const connections = Array.from({ length: 5 }, () => open(head('GET', '/v2/runs').repeat(2_000)).resume())
  await expect.poll(() => connections.every(({ closed }) => closed), { timeout: 10_000 }).toBe(true)
  unsubscribe('http.server.request.start', count)
  expect(begun).toBeLessThanOrEqual(5 * 9)
})

it.each([
  ['POST', '/v2/keys', '{"kind":"user","name":"mine"}'],
  ['DELETE', '/v2/runs?ids=any', '{}'],
])('refuses %s %s when its key is revoked before the body is in', async (method, path, body) => {
  const issued = await server.send('POST', '/v2/keys', { kind: 'user', name: 'soon gone' })
  const { id, key } = (await issued.json()) as { id: string; key: string }
  const text = head(method, path, `content-length: ${body.length}`).replace(server.apiKey, key)
  const socket = open(text + body.slice(0, -1))
  // It is let in at first.
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect((await server.send('DELETE', `/v2/keys/${id}`)).status).toBe(200)
  socket.write(body.slice(-1))
  expect(await status(socket)).toBe(401)
})

it('reads nothing for what cannot be a key', async () => {
  let isBroken = false
  const broken = createKysely(SQLITE, () => Promise.reject(new Error('was read')))
  await server.stop()
  server = await startTestServer({}, { wrapDatabase: withQuery((plain) => (isBroken ? broken : plain)) })
  isBroken = true
  const statusOf = async (key: string) =>
    (await server.send('GET', '/v2/runs', undefined, { authorization: `Bearer ${key}` })).status
  const random = server.apiKey.slice(-43)
  for (const bogus of ['x', 'rl_user_none', `rl_user_${random}a`, `rl_admin_${random}`, random])
    expect(await statusOf(bogus), bogus).toBe(401)
  for (const known of [server.apiKey, `rl_station_${random}`]) expect(await statusOf(known)).toBe(500)
  isBroken = false
})

function withQuery(choose: (plain: Query) => Query) {
  return (plain: Database): Database => ({
    get query() {
      return choose(plain.query)
    },
    read: (work, options) => plain.read(work, options),
    write: (work) => plain.write(work),
    stats: () => plain.stats(),
    close: () => plain.close(),
  })
}
