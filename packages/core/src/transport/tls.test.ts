import { connect, type Socket } from 'node:net'
import type { RequestListener } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createCertificates, type Certificates } from '../../../../test/support/certificates'
import { record } from '../../../../test/support/scripted-service'
import { serveWell, TestServers } from '../../../../test/support/sockets'
import { createSuite, createTest } from '../../../../test/support/suites'
import type { Options } from '../config/options'
import { openConnection } from './connection'
import type { TransportResponse } from './transport'

let certificates: Certificates
let servers: TestServers

beforeAll(() => {
  certificates = createCertificates()
  servers = new TestServers()
})
afterEach(() => servers.stop())
afterAll(() => certificates.remove())

const at = (file: string): string => certificates.at(file)
const client = () => ({ clientCertFile: at('client.pem'), clientKeyFile: at('client.key') })

/** A service behind TLS, and the names of the clients that it has seen. */
async function startService(requestCert: boolean): Promise<{ port: number; clients: Set<string> }> {
  const clients = new Set<string>()
  const { cert: ca } = certificates.read('ca')
  const options = { ...certificates.read('service'), ca, requestCert, rejectUnauthorized: requestCert }
  const serve = serveWell('https')
  const port = await servers.https(options, (incoming, response) => {
    const { subject } = (incoming.socket as TLSSocket).getPeerCertificate()
    clients.add(String(subject?.CN))
    serve(incoming, response)
  })
  return { port, clients }
}

const suites = [createSuite({ tests: [createTest(['t'])] })]
const send = (options: Options, env: Record<string, string> = {}) =>
  record(suites, { maxRetries: 0, ...options }, env)

describe('a service behind TLS', () => {
  it('is trusted by its authority’s file, and only then', async () => {
    const { port } = await startService(false)
    const url = `https://127.0.0.1:${port}`
    const refused = await send({ url })
    expect(refused).toMatchObject({ status: 'failed' })
    expect(refused.printed).toContain('set caFile (RUNLEDGER_CA_FILE)')
    expect(await send({ url, caFile: at('ca.pem') })).toMatchObject({ status: 'uploaded', notUploaded: [] })
    expect(await send({ url, caFile: at('other-ca.pem') })).toMatchObject({ status: 'failed' })
  })

  it('that asks for a client certificate gets it with every request', async () => {
    const { port, clients } = await startService(true)
    const options = { url: `https://127.0.0.1:${port}`, caFile: at('ca.pem') }
    expect(await send({ ...options, ...client() })).toMatchObject({ status: 'uploaded', notUploaded: [] })
    expect([...clients]).toEqual(['client'])
  })

  it.each([
    ['none', {}],
    ['a stranger’s', { clientCertFile: 'stranger.pem', clientKeyFile: 'stranger.key' }],
  ])('that asks for a client certificate takes no run from %s', async (_, names) => {
    const { port, clients } = await startService(true)
    const files = Object.fromEntries(Object.entries(names).map(([option, name]) => [option, at(name)]))
    const result = await send({ url: `https://127.0.0.1:${port}`, caFile: at('ca.pem'), ...files })
    expect(result).toMatchObject({ status: 'failed' })
    expect(clients.size).toBe(0)
  })

  it('takes the files from variables', async () => {
    const { port } = await startService(true)
    const env = {
      RUNLEDGER_URL: `https://127.0.0.1:${port}`,
      RUNLEDGER_CA_FILE: at('ca.pem'),
      RUNLEDGER_CLIENT_CERT_FILE: at('client.pem'),
      RUNLEDGER_CLIENT_KEY_FILE: at('client.key'),
    }
    expect(await record(suites, {}, env)).toMatchObject({ status: 'uploaded' })
  })

  it('that never completes the handshake is not waited for beyond the deadline', async () => {
    const result = await send({ url: `https://127.0.0.1:${await servers.silence()}`, deadlineMs: 500 })
    expect(result).toMatchObject({ status: 'failed' })
    expect(result.tookMs).toBeLessThan(2_500)
    await expect.poll(() => servers.open).toBe(0)
  })
})

async function sendOnce(port: number, caFile: string | undefined): Promise<TransportResponse> {
  const options = { caFile, clientCertFile: undefined, clientKeyFile: undefined, concurrency: 1 }
  const { transport } = await openConnection(options, {})
  const { signal } = new AbortController()
  const url = `https://127.0.0.1:${port}/runs`
  const response = await transport.send({ method: 'POST', url, headers: {}, timeoutMs: 1_000, signal })
  await transport.close()
  return response
}

/** Passes everything on to a service, and these bytes to its clients once it has understood a request. */
async function startDamagedService(bytes: Buffer, count: RequestListener): Promise<number> {
  const clients: Socket[] = []
  const port = await servers.https(certificates.read('service'), (incoming, response) => {
    count(incoming, response)
    clients.forEach((socket) => socket.write(bytes))
  })
  return servers.tcp((socket) => {
    const target = connect(port, '127.0.0.1')
    clients.push(socket)
    target.pipe(socket).pipe(target)
    target.on('error', () => target.destroy())
    socket.once('close', () => target.destroy())
  })
}

describe('a request without a response', () => {
  const RECORD = Buffer.concat([Buffer.from([0x17, 3, 3, 0, 40]), Buffer.alloc(40, 7)])

  it.each([
    ['a damaged record', RECORD],
    ['a page of somebody on the way', Buffer.from('HTTP/1.1 502 Bad Gateway\r\n\r\n')],
  ])('may have been carried out where %s comes instead', async (_, bytes) => {
    let count = 0
    const port = await startDamagedService(bytes, () => (count += 1))
    const response = await sendOnce(port, at('ca.pem'))
    expect(response).toMatchObject({ kind: 'no-response', error: { wasSent: true } })
    expect(count).toBe(1)
  })

  it.each([
    ['is not trusted', async () => (await startService(false)).port, undefined],
    ['has a certificate for another host', startOtherHost, 'ca.pem'],
    ['does not complete the handshake', () => servers.silence(), 'ca.pem'],
    ['does not speak TLS', () => servers.http(serveWell()), 'ca.pem'],
    [
      'ends the handshake',
      () => servers.tcp((socket) => void socket.once('data', () => socket.end())),
      'ca.pem',
    ],
    [
      'resets it',
      () => servers.tcp((socket) => void socket.once('data', () => socket.resetAndDestroy())),
      'ca.pem',
    ],
  ])('was not sent to a service that %s', async (_, start, caFile) => {
    const response = await sendOnce(await start(), caFile && at(caFile))
    expect(response).toMatchObject({ kind: 'no-response', error: { wasSent: false } })
  })
})

/** The authority itself is no service. */
function startOtherHost(): Promise<number> {
  return servers.https(certificates.read('ca'), serveWell('https'))
}
