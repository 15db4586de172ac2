import { createHmac } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestServers } from '../../../../test/support/sockets'
import { openConnection } from './connection'
import type { Transport, TransportResponse } from './transport'

const NO_FILES = { caFile: undefined, clientCertFile: undefined, clientKeyFile: undefined, concurrency: 1 }
const SECRET = 'known to who reads the credentials'

let servers: TestServers
let transports: Transport[]
/** What arrives: methods and paths, with the key where one comes along. */
let received: string[]

beforeEach(() => {
  servers = new TestServers()
  transports = []
  received = []
})

afterEach(async () => {
  await Promise.all(transports.map((transport) => transport.close()))
  await servers.stop()
})

async function open(url: string): Promise<Transport> {
  const { transport } = await openConnection({ ...NO_FILES, identity: { url, secret: SECRET } }, {})
  transports.push(transport)
  return transport
}

const send = (transport: Transport, url: string, timeoutMs = 5_000): Promise<TransportResponse> =>
  transport.send({
    method: 'POST',
    url: `${url}/v1/runs/create`,
    headers: { authorization: 'Bearer key' },
    body: '{}',
    timeoutMs,
    signal: new AbortController().signal,
  })

type Prove = (challenge: string, response: ServerResponse) => void

const listen = (prove: Prove): Promise<number> => servers.http(answerWith(prove))

const answerWith =
  (prove: Prove): RequestListener =>
  (request: IncomingMessage, response) => {
    received.push([request.method, request.url, request.headers.authorization].filter(Boolean).join(' '))
    const challenge = request.headers['runledger-challenge']
    if (typeof challenge === 'string') prove(challenge, response)
    request.resume().on('end', () => response.end(request.method === 'HEAD' ? undefined : '{}'))
  }

const proof = (text: string, secret = SECRET): string =>
  createHmac('sha256', secret).update(text).digest('hex')

describe('a connection to the service of local credentials', () => {
  it('carries requests once that has proved itself, in a path of a proxy too', async () => {
    const [before, after] = ['/runledger', '']
    for (const path of [before, after]) {
      received = []
      let url = ''
      const port = await listen((challenge, response) =>
        response.setHeader('Runledger-Proof', proof(`${challenge} ${url}`)),
      )
      url = `http://127.0.0.1:${port}${path}`
      const transport = await open(url)
      expect(await send(transport, url)).toMatchObject({ statusCode: 200 })
      expect(await send(transport, url)).toMatchObject({ statusCode: 200 })
      const creation = `POST ${path}/v1/runs/create Bearer key`
      expect(received).toEqual([`HEAD ${path}/healthz`, creation, creation])
    }
  })

  it.each<[string, (url: string) => Prove]>([
    ['nothing', () => () => undefined],
    ['a proof with another secret', (url) => withProof((text) => proof(`${text} ${url}`, 'other'))],
    ['the service’s proof for another address', () => withProof((text) => proof(`${text} http://other`))],
    ['no number', () => withProof(() => 'nonsense')],
    ['a broken connection', () => (_, response) => void response.destroy()],
  ])('carries nothing where the answer is %s', async (_, createProve) => {
    let prove: Prove = () => undefined
    const port = await listen((challenge, response) => prove(challenge, response))
    const url = `http://127.0.0.1:${port}`
    prove = createProve(url)
    const result = await send(await open(url), url)
    expect(result).toMatchObject({ kind: 'no-response', error: { wasSent: false, isLasting: true } })
    const problem = `whoever listens at ${url} does not prove to be the service of the local credentials`
    expect(result.kind === 'no-response' && result.error.message).toContain(problem)
    expect(received).toEqual(['HEAD /healthz'])
  })

  it('carries nothing where a second answer is sent ahead', async () => {
    const texts: string[] = []
    let url = ''
    const port = await servers.tcp((socket) =>
      socket.on('data', (bytes) => {
        texts.push(String(bytes))
        const challenge = /runledger-challenge: (\w+)/.exec(String(bytes))?.[1]
        const answer = `HTTP/1.1 200 OK\r\nrunledger-proof: ${proof(`${challenge} ${url}`)}\r\n\r\n`
        socket.write(`${answer}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`)
      }),
    )
    url = `http://127.0.0.1:${port}`
    expect(await send(await open(url), url)).toMatchObject({ kind: 'no-response' })
    expect(texts).toHaveLength(1)
  })

  it('holds no other request up when nothing answers the challenge', async () => {
    const port = await listen(() => undefined)
    const url = `http://127.0.0.1:${await servers.silence()}`
    const transport = await open(url)
    expect(await send(transport, url, 200)).toMatchObject({ kind: 'no-response' })
    const startedAtMs = Date.now()
    expect(await send(transport, `http://127.0.0.1:${port}`)).toMatchObject({ statusCode: 200 })
    expect(Date.now() - startedAtMs).toBeLessThan(5_000)
  })

  it('is the only one that is asked for a proof', async () => {
    const port = await listen(() => undefined)
    const transport = await open('http://127.0.0.1:9')
    expect(await send(transport, `http://127.0.0.1:${port}`)).toMatchObject({ statusCode: 200 })
    expect(received).toEqual(['POST /v1/runs/create Bearer key'])
  })
})

function withProof(prove: (challenge: string) => string): Prove {
  return (challenge, response) => response.setHeader('runledger-proof', prove(challenge))
}
