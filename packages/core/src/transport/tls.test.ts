import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server } from 'node:https'
import { once } from 'node:events'
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net'
import os from 'node:os'
import path from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { answerWell, record } from '../../../../test/support/scripted-service'
import { createSuite, createTest } from '../../../../test/support/suites'
import type { Options } from '../config/options'
import { createTransport } from './create-transport'
import type { TransportResponse } from './transport'

let folder: string
const stops: (() => Promise<void>)[] = []
const at = (name: string): string => path.join(folder, name)

/** An authority, and certificates that it has signed: for the service, for a client, and one of another authority. */
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-tls-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  writeFileSync(at('names.cnf'), 'subjectAltName=DNS:service.example,IP:127.0.0.1\n')
  for (const ca of ['ca', 'other-ca'])
    openssl('req', '-x509', ...newKey, '-keyout', `${ca}.key`, '-out', `${ca}.pem`, '-subj', `/CN=${ca}`)
  for (const [name, ca] of [
    ['service', 'ca'],
    ['client', 'ca'],
    ['stranger', 'other-ca'],
  ] as const) {
    openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
    const by = ['-CA', `${ca}.pem`, '-CAkey', `${ca}.key`, '-CAcreateserial', '-extfile', 'names.cnf']
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...by)
  }
})

afterEach(async () => {
  vi.unstubAllEnvs()
  for (const stop of stops.splice(0)) await stop()
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A service behind TLS; answers its port and the names of the clients that it has seen. */
async function startTlsService(requestCert: boolean): Promise<{ port: number; clients: Set<string> }> {
  const clients = new Set<string>()
  let count = 0
  const files = { ca: readFileSync(at('ca.pem')), cert: readFileSync(at('service.pem')) }
  const options = {
    ...files,
    key: readFileSync(at('service.key')),
    requestCert,
    rejectUnauthorized: requestCert,
  }
  const server = createServer(options, (incoming, response) => {
    const { subject } = (incoming.socket as TLSSocket).getPeerCertificate()
    clients.add(String(subject?.CN))
    const { method = '', url = '', headers } = incoming
    // What it tells to send bytes to is this server too, by TLS.
    const answer = response.end.bind(response) as (text?: string) => typeof response
    response.end = (text?: unknown) => answer(String(text ?? '').replaceAll('http://', 'https://'))
    incoming.resume().once('end', () => {
      answerWell({ method, path: url, headers, body: Buffer.alloc(0) }, response, (count += 1))
    })
  })
  return { port: await listen(server), clients }
}

/** Tunnels every host to a port of this machine, and remembers what it was asked for. */
async function startProxy(port: number): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const proxy = createHttpServer((_, response) => response.writeHead(400).end())
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '')
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      target.pipe(socket).pipe(target)
    })
    for (const end of [socket, target]) end.on('error', () => end.destroy())
    socket.once('close', () => target.destroy())
  })
  return { url: `http://127.0.0.1:${await listen(proxy as unknown as Server)}`, asked }
}

async function listen(server: Server | TcpServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        if ('closeAllConnections' in server) server.closeAllConnections()
      }),
  )
  return (server.address() as AddressInfo).port
}

/** Takes connections and says nothing; `closed` waits until every client has gone. */
async function startSilence(): Promise<{ port: number; closed: () => Promise<void> }> {
  const held: Promise<unknown>[] = []
  const server = createTcpServer((socket) => {
    held.push(once(socket.on('error', () => undefined).resume(), 'close'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const closed = async (): Promise<void> => {
    await Promise.all(held)
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, closed }
}

const suites = [createSuite({ tests: [createTest(['t'])] })]
const send = (options: Options, env: Record<string, string> = {}) =>
  record(suites, { maxRetries: 0, ...options }, env)
const client = () => ({ clientCertFile: at('client.pem'), clientKeyFile: at('client.key') })

describe('a service behind TLS', () => {
  it('is trusted by its authority’s file, and only then', async () => {
    const { port } = await startTlsService(false)
    const url = `https://127.0.0.1:${port}`
    const refused = await send({ url })
    expect(refused).toMatchObject({ status: 'failed' })
    expect(refused.printed).toContain('set caFile (RUNLEDGER_CA_FILE)')
    expect(await send({ url, caFile: at('ca.pem') })).toMatchObject({ status: 'uploaded', notUploaded: [] })
    expect(await send({ url, caFile: at('other-ca.pem') })).toMatchObject({ status: 'failed' })
  })

  it('that asks for a client certificate gets it with every request', async () => {
    const { port, clients } = await startTlsService(true)
    const options = { url: `https://127.0.0.1:${port}`, caFile: at('ca.pem') }
    expect(await send({ ...options, ...client() })).toMatchObject({ status: 'uploaded', notUploaded: [] })
    expect([...clients]).toEqual(['client'])
  })

  it.each([
    ['none', {}],
    ['a stranger’s', { clientCertFile: 'stranger.pem', clientKeyFile: 'stranger.key' }],
  ])('that asks for a client certificate takes no run from %s', async (_, names) => {
    const { port, clients } = await startTlsService(true)
    const files = Object.fromEntries(Object.entries(names).map(([option, name]) => [option, at(name)]))
    const result = await send({ url: `https://127.0.0.1:${port}`, caFile: at('ca.pem'), ...files })
    expect(result).toMatchObject({ status: 'failed' })
    expect(clients.size).toBe(0)
  })

  it('takes the files from variables', async () => {
    const { port } = await startTlsService(true)
    const env = {
      RUNLEDGER_URL: `https://127.0.0.1:${port}`,
      RUNLEDGER_CA_FILE: at('ca.pem'),
      RUNLEDGER_CLIENT_CERT_FILE: at('client.pem'),
      RUNLEDGER_CLIENT_KEY_FILE: at('client.key'),
    }
    expect(await record(suites, {}, env)).toMatchObject({ status: 'uploaded' })
  })
})

/** Passes everything on to a port, and puts this into what it answers to the first request that it has understood. */
async function startDamage(port: number, bytes: Buffer): Promise<{ port: number; damage: () => void }> {
  const clients: Socket[] = []
  const server = createTcpServer((socket) => {
    const target = connect(port, '127.0.0.1')
    clients.push(socket)
    target.pipe(socket).pipe(target)
    for (const end of [socket, target]) end.on('error', () => end.destroy())
    socket.once('close', () => target.destroy())
  })
  const damage = (): void => clients.forEach((socket) => socket.write(bytes))
  return { port: await listen(server), damage }
}

/** What one request to create something comes to. */
async function sendOnce(port: number, caFile: string | undefined): Promise<TransportResponse> {
  const tlsFiles = { caFile, clientCertFile: undefined, clientKeyFile: undefined }
  const transport = await createTransport({ tlsFiles, connections: 1, env: {} })
  const { signal } = new AbortController()
  const url = `https://127.0.0.1:${port}/runs`
  const response = await transport.send({ method: 'POST', url, headers: {}, timeoutMs: 1_000, signal })
  await transport.close()
  return response
}

describe('a request that got no answer', () => {
  const RECORD = Buffer.concat([Buffer.from([0x17, 3, 3, 0, 40]), Buffer.alloc(40, 7)])

  it.each([
    ['a record that is damaged', RECORD],
    ['a page of somebody on the way', Buffer.from('HTTP/1.1 502 Bad Gateway\r\n\r\n')],
  ])('may have been done where its answer is %s', async (_, bytes) => {
    const files = { key: readFileSync(at('service.key')), cert: readFileSync(at('service.pem')) }
    let seen = 0
    const service = createServer(files, () => {
      seen += 1
      way.damage()
    })
    const way = await startDamage(await listen(service), bytes)
    expect(await sendOnce(way.port, at('ca.pem'))).toMatchObject({
      kind: 'no-answer',
      error: { wasSent: true },
    })
    expect(seen).toBe(1)
  })

  it('was not sent to a service that did not show who it is', async () => {
    const { port, clients } = await startTlsService(false)
    const silent = await startSilence()
    for (const response of [await sendOnce(port, undefined), await sendOnce(silent.port, at('ca.pem'))])
      expect(response).toMatchObject({ kind: 'no-answer', error: { wasSent: false } })
    await silent.closed()
    expect(clients.size).toBe(0)
  })
})

it('a service that never shakes hands is not waited for beyond the deadline', async () => {
  const silent = await startSilence()
  const result = await send({ url: `https://127.0.0.1:${silent.port}`, deadlineMs: 500 })
  expect(result).toMatchObject({ status: 'failed' })
  expect(result.tookMs).toBeLessThan(2_500)
  await silent.closed()
})

describe('a file that cannot be used is named by its option', () => {
  const CERT = 'option clientCertFile (RUNLEDGER_CLIENT_CERT_FILE)'
  const KEY = 'option clientKeyFile (RUNLEDGER_CLIENT_KEY_FILE)'

  it.each([
    [{ caFile: 'none.pem' }, 'option caFile (RUNLEDGER_CA_FILE) cannot be read (ENOENT)'],
    [{ caFile: 'names.cnf' }, 'option caFile (RUNLEDGER_CA_FILE) holds no certificate'],
    [{ clientCertFile: 'client.pem' }, `${CERT} is set, but not ${KEY}`],
    [{ clientKeyFile: 'client.key' }, `${KEY} is set, but not ${CERT}`],
    [{ clientCertFile: 'none.pem', clientKeyFile: 'client.key' }, `${CERT} cannot be read (ENOENT)`],
    [{ clientCertFile: 'client.pem', clientKeyFile: 'none.key' }, `${KEY} cannot be read (ENOENT)`],
    [{ clientCertFile: 'names.cnf', clientKeyFile: 'client.key' }, `${CERT} holds no certificate`],
    [{ clientCertFile: 'client.pem', clientKeyFile: 'names.cnf' }, `${KEY} holds no key that can be used`],
    [{ clientCertFile: 'client.pem', clientKeyFile: 'stranger.key' }, `${CERT} and ${KEY} do not match`],
  ])('%j', async (names, words) => {
    const files = Object.fromEntries(Object.entries(names).map(([option, name]) => [option, at(name)]))
    const { printed, status } = await send({ url: 'https://127.0.0.1:9', ...files })
    expect(status).toBe('failed')
    expect(printed).toContain(words)
    expect(printed).not.toContain('PRIVATE KEY')
    expect(printed.trim().split('\n')).toHaveLength(1)
  })

  it('a key in the place of its path, which is not told on', async () => {
    const key = readFileSync(at('client.key'), 'utf8')
    const { printed } = await send({ url: 'https://127.0.0.1:9', ...client(), clientKeyFile: key })
    expect(printed).toContain(`${KEY} cannot be read (`)
    for (const line of key.split('\n').filter((each) => each.length > 10)) expect(printed).not.toContain(line)
  })

  it.skipIf(process.getuid?.() === 0)('one that this user may not read', async () => {
    writeFileSync(at('locked.key'), readFileSync(at('client.key')))
    chmodSync(at('locked.key'), 0)
    const { printed } = await send({
      url: 'https://127.0.0.1:9',
      ...client(),
      clientKeyFile: at('locked.key'),
    })
    expect(printed).toContain(`${KEY} cannot be read (EACCES)`)
  })
})

describe('a proxy', () => {
  it('tunnels to a service behind TLS, which sees the client’s certificate', async () => {
    const { port, clients } = await startTlsService(true)
    const proxy = await startProxy(port)
    const options = { url: 'https://service.example', caFile: at('ca.pem'), ...client() }
    expect(await send(options, { HTTPS_PROXY: proxy.url })).toMatchObject({
      status: 'uploaded',
      notUploaded: [],
    })
    expect([...clients]).toEqual(['client'])
    expect(new Set(proxy.asked)).toEqual(new Set(['service.example:443']))
  })

  it('takes what goes without TLS from HTTP_PROXY', async () => {
    let count = 0
    const plain = createHttpServer((incoming, response) => {
      const { method = '', url = '', headers } = incoming
      incoming.resume().once('end', () => {
        answerWell({ method, path: url, headers, body: Buffer.alloc(0) }, response, (count += 1))
      })
    })
    const proxy = await startProxy(await listen(plain as unknown as Server))
    expect(await send({ url: 'http://service.example' }, { HTTP_PROXY: proxy.url })).toMatchObject({
      status: 'uploaded',
      notUploaded: [],
    })
    expect(proxy.asked.length).toBeGreaterThan(0)
  })

  it('that never opens its tunnel is not waited for beyond the deadline', async () => {
    const silent = await startSilence()
    const env = { HTTPS_PROXY: `http://127.0.0.1:${silent.port}` }
    const result = await send({ url: 'https://service.example', deadlineMs: 500 }, env)
    expect(result).toMatchObject({ status: 'failed' })
    expect(result.tookMs).toBeLessThan(2_500)
    await silent.closed()
  })

  it.each(['service.example', '.example', 'other.test, service.example', '*'])(
    'is not asked for hosts of NO_PROXY: %s',
    async (noProxy) => {
      const proxy = await startProxy(9)
      const env = { HTTPS_PROXY: proxy.url, NO_PROXY: noProxy, RUNLEDGER_DEADLINE_MS: '3000' }
      const { status } = await record(suites, { url: 'https://service.example', maxRetries: 0 }, env)
      expect(status).toBe('failed')
      expect(proxy.asked).toEqual([])
    },
  )
})
