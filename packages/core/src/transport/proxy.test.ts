import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createCertificates, type Certificates } from '../../../../test/support/certificates'
import { record } from '../../../../test/support/scripted-service'
import { serveWell, TestServers, type Proxy } from '../../../../test/support/sockets'
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
const UPLOADED = { status: 'uploaded', notUploaded: [] }
const suites = [createSuite({ tests: [createTest(['t'])] })]
const send = (options: Options, env: Record<string, string>) =>
  record(suites, { maxRetries: 0, ...options }, env)

function startService(): Promise<number> {
  return servers.https(certificates.read('service'), serveWell('https'))
}

const listAsked = ({ asked }: Proxy): string[] => [...new Set(asked.map(({ url }) => String(url)))]
const secure = () => ({ url: 'https://service.example', caFile: at('ca.pem') })

describe('a proxy', () => {
  it.each(['HTTPS_PROXY', 'https_proxy'])('of %s tunnels to a service behind TLS', async (name) => {
    const proxy = await servers.proxy(await startService())
    expect(await send(secure(), { [name]: proxy.url })).toMatchObject(UPLOADED)
    expect(listAsked(proxy)).toEqual(['service.example:443'])
  })

  it('tunnels to a service that wants a client certificate, and does not get it itself', async () => {
    const tls = { ...certificates.read('service'), ca: certificates.read('ca').cert, requestCert: true }
    const proxyTls = { ...certificates.read('proxy'), requestCert: true, rejectUnauthorized: false }
    const clients: boolean[] = []
    const proxy = await servers.proxy(await servers.https(tls, serveWell('https')), {
      tls: proxyTls,
      refuse: (socket) => {
        clients.push(
          'getPeerCertificate' in socket &&
            Object.keys((socket as never as PeerSocket).getPeerCertificate()).length > 0,
        )
        return false
      },
    })
    const files = { clientCertFile: at('client.pem'), clientKeyFile: at('client.key') }
    expect(await send({ ...secure(), ...files }, { HTTPS_PROXY: proxy.url })).toMatchObject(UPLOADED)
    expect(new Set(clients)).toEqual(new Set([false]))
  })

  it.each(['HTTP_PROXY', 'http_proxy'])('of %s takes what goes without TLS', async (name) => {
    const proxy = await servers.proxy(await servers.http(serveWell()))
    expect(await send({ url: 'http://service.example' }, { [name]: proxy.url })).toMatchObject(UPLOADED)
    expect(listAsked(proxy)).toEqual(['service.example:80'])
  })

  it('is spoken to by TLS where its own URL says so', async () => {
    const proxy = await servers.proxy(await startService(), { tls: certificates.read('proxy') })
    expect(proxy.url).toMatch(/^https:/)
    expect(await send(secure(), { HTTPS_PROXY: proxy.url })).toMatchObject(UPLOADED)
  })

  it.each([false, true])('gets the user and the password of its URL; by TLS: %s', async (isSecure) => {
    const tls = isSecure ? { tls: certificates.read('proxy') } : {}
    const proxy = await servers.proxy(await startService(), { ...tls, user: 'm%C3%BC:p%3Aw@' })
    expect(await send(secure(), { HTTPS_PROXY: proxy.url })).toMatchObject(UPLOADED)
    const sent = new Set(proxy.asked.map(({ headers }) => headers['proxy-authorization']))
    expect([...sent]).toEqual([`Basic ${Buffer.from('mü:p:w').toString('base64')}`])
  })

  it.each(['service.example', '.example', 'other.test, service.example', 'service.example:443', '*'])(
    'is not asked for hosts of NO_PROXY: %s',
    async (noProxy) => {
      const proxy = await servers.proxy(9)
      for (const name of ['NO_PROXY', 'no_proxy']) {
        const env = { HTTPS_PROXY: proxy.url, [name]: noProxy }
        expect(await send({ ...secure(), deadlineMs: 3_000 }, env)).toMatchObject({ status: 'failed' })
      }
      expect(proxy.asked).toEqual([])
    },
  )

  it.each(['127.0.0.1', 'localhost'])('is not asked for a service on this machine: %s', async (host) => {
    const proxy = await servers.proxy(9)
    const port = await servers.http(serveWell())
    const env = { HTTP_PROXY: proxy.url, http_proxy: proxy.url, NO_PROXY: 'elsewhere.example' }
    expect(await send({ url: `http://${host}:${port}` }, env)).toMatchObject(UPLOADED)
    expect(proxy.asked).toEqual([])
  })

  it.each(['http://me:open-sesame@proxy:port', 'http://me:open%sesame@127.0.0.1', 'proxy:9'])(
    'whose URL cannot be used is named by its variable, and its password is not told: %s',
    async (url) => {
      const { status, printed } = await send({ url: 'http://service.example' }, { HTTP_PROXY: url })
      expect(status).toBe('failed')
      expect(printed).toContain('HTTPS_PROXY or HTTP_PROXY cannot be used: use a URL such as')
      expect(printed).not.toContain('sesame')
    },
  )

  it('that speaks SOCKS is refused by name, and a service on this machine needs none', async () => {
    const env = { HTTP_PROXY: 'socks5://127.0.0.1:9', HTTPS_PROXY: 'socks5://127.0.0.1:9' }
    for (const url of ['http://service.example', 'https://service.example']) {
      const { status, printed } = await send({ url }, env)
      expect(status).toBe('failed')
      expect(printed).toContain('names a SOCKS proxy: use one that speaks HTTP')
    }
    const port = await servers.http(serveWell())
    expect(await send({ url: `http://127.0.0.1:${port}` }, env)).toMatchObject(UPLOADED)
  })

  it('that never opens its tunnel is not waited for beyond the deadline', async () => {
    const env = { HTTPS_PROXY: `http://127.0.0.1:${await servers.silence()}` }
    const result = await send({ url: 'https://service.example', deadlineMs: 500 }, env)
    expect(result).toMatchObject({ status: 'failed' })
    expect(result.tookMs).toBeLessThan(2_500)
    await expect.poll(() => servers.open).toBe(0)
  })
})

interface PeerSocket {
  getPeerCertificate(): object
}

async function sendOnce(proxyUrl: string, caFile = at('ca.pem')): Promise<TransportResponse> {
  const options = { caFile, clientCertFile: undefined, clientKeyFile: undefined, concurrency: 1 }
  const { transport } = await openConnection(options, { HTTPS_PROXY: proxyUrl })
  const { signal } = new AbortController()
  const url = 'https://service.example/runs?sig=secret'
  const response = await transport.send({ method: 'POST', url, headers: {}, timeoutMs: 1_000, signal })
  await transport.close()
  return response
}

describe('a request that a proxy does not let through was not sent', () => {
  const NOT_SENT = { kind: 'no-response', error: { wasSent: false } }

  it.each([
    ['refuses', 'HTTP/1.1 403 Forbidden\r\n\r\n', /403/],
    ['wants to know who asks', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', /407/],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', /./],
    ['closes the connection', '', /closed/],
  ])('and it %s', async (_, text, words) => {
    const proxy = await servers.proxy(9, {
      user: 'me:open-sesame@',
      refuse: (socket) => Boolean(socket.end(text)),
    })
    const response = await sendOnce(proxy.url)
    expect(response).toMatchObject(NOT_SENT)
    expect((response as { error: Error }).error.message).toMatch(words)
    expect((response as { error: Error }).error.message).not.toMatch(/secret|sesame/)
    expect(proxy.asked.length).toBeLessThan(3)
  })

  it('and it is not there', async () => {
    expect(await sendOnce('http://127.0.0.1:9')).toMatchObject(NOT_SENT)
  })

  it('and it is not trusted', async () => {
    const proxy = await servers.proxy(await startService(), { tls: certificates.read('stranger') })
    expect(await sendOnce(proxy.url)).toMatchObject(NOT_SENT)
  })

  it('and the service behind it is not trusted', async () => {
    const proxy = await servers.proxy(await startService())
    expect(await sendOnce(proxy.url, at('other-ca.pem'))).toMatchObject(NOT_SENT)
  })
})
