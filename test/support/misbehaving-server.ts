import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { RecordingService, type ServiceTraits } from './recording-service'
import { answerJson, type ReceivedRequest } from './scripted-server'

type Misbehaviour = (exchange: Exchange) => void

interface Exchange {
  request: ReceivedRequest
  response: ServerResponse
  /** Numbers the requests since the server began to misbehave, from 1. */
  count: number
  /** No request before it had the same bytes, since the server began to misbehave. */
  isFirst: boolean
  /** Returns as the service does. */
  answer: () => void
}

const HUGE_BYTES = 8 * 1024 * 1024
const isCreation = ({ method, path }: ReceivedRequest): boolean =>
  method === 'POST' && (path === '/v1/runs/create' || path === '/v1/runs/batch')
const isPut = ({ method }: ReceivedRequest): boolean => method === 'PUT'

function answerStatus(statusCode: number, headers: Record<string, string> = {}): Misbehaviour {
  return ({ response }) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    answerJson(response, statusCode, { message: `told to answer ${statusCode}`, status_code: statusCode })
  }
}

/** Every way to misbehave, by name. A request that a mode spares is answered well. */
const MODES = {
  'hangs before headers': () => undefined,
  'hangs after headers': ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.flushHeaders()
  },
  'resets in mid-answer': ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"id":', () => response.socket?.resetAndDestroy())
  },
  'drips a byte a second': ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const drip = setInterval(() => response.write(' '), 1000)
    response.once('close', () => clearInterval(drip))
  },
  'answers 429': answerStatus(429),
  'answers 429 with Retry-After': answerStatus(429, { 'retry-after': '1' }),
  'answers 500': answerStatus(500),
  'answers 502': answerStatus(502),
  'answers 503': answerStatus(503),
  'answers 401 after one request': (exchange) =>
    exchange.count <= 1 ? exchange.answer() : answerStatus(401)(exchange),
  'answers 413': (exchange) =>
    isCreation(exchange.request) || isPut(exchange.request) ? answerStatus(413)(exchange) : exchange.answer(),
  'answers with a wrong Content-Type': ({ response }) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><p>Sign in</p>'),
  'answers invalid JSON': ({ response }) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end('{"url": "http:'),
  'answers hugely': ({ response }) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.alloc(HUGE_BYTES, 0x20)),
  redirects: ({ request, response }) =>
    void response.writeHead(307, { location: `http://${request.headers.host}/elsewhere` }).end(),
  'closes idle sockets': ({ response, answer }) => {
    response.once('finish', () => setTimeout(() => response.socket?.destroy(), 1))
    answer()
  },
  'accepts the run and loses the response': ({ request, response, answer }) => {
    if (isCreation(request)) loseResponse(response)
    answer()
  },
  'loses every response about a run but the first': ({ request, response, count, answer }) => {
    if (isCreation(request) && count > 1) loseResponse(response)
    answer()
  },
  'expires upload addresses': (exchange) =>
    isPut(exchange.request) && exchange.isFirst ? answerStatus(403)(exchange) : exchange.answer(),
} satisfies Record<string, Misbehaviour>

/** Modes that need more than a response: no listener, and a reset before the request has come in. */
const SOCKET_MODES = ['refuses', 'resets in mid-request'] as const

export type Mode = keyof typeof MODES | (typeof SOCKET_MODES)[number]
export const ALL_MODES = [...SOCKET_MODES, ...Object.keys(MODES)] as Mode[]

export interface MisbehavingFront {
  url: string
  requests: ReceivedRequest[]
  misbehave(mode: Mode): Promise<void>
  /** The service is well again. */
  recover(): Promise<void>
  stop(): Promise<void>
}

export interface MisbehavingServer extends MisbehavingFront {
  service: RecordingService
}

/** A service in memory on a loopback port, well until it is told to misbehave. */
export async function startMisbehavingServer(traits?: ServiceTraits): Promise<MisbehavingServer> {
  const service = new RecordingService(traits)
  return { ...(await startFront((request, response) => service.answer(request, response))), service }
}

/** The way to a real service, which is well until it is told to misbehave. */
export interface MisbehavingProxy extends MisbehavingFront {
  /** To be called once, with the service's own address. */
  leadTo(url: string): void
}

export async function startMisbehavingProxy(): Promise<MisbehavingProxy> {
  let target = ''
  const front = await startFront((request, response) => forward(request, response, target))
  return { ...front, leadTo: (url) => void (target = url) }
}

type Answer = (request: ReceivedRequest, response: ServerResponse) => void

/** Hands a request on as it came, its host included, and the response back. */
function forward(
  { method, path, headers, body }: ReceivedRequest,
  response: ServerResponse,
  url: string,
): void {
  const onward = httpRequest(new URL(path, url), { method, headers }, (answer) => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    // Whole or not at all, so that a response can be lost.
    answer.once('end', () =>
      response.writeHead(answer.statusCode ?? 502, answer.headers).end(Buffer.concat(chunks)),
    )
  })
  onward.once('error', () => response.destroy())
  onward.end(body)
}

async function startFront(answerWell: Answer): Promise<MisbehavingFront> {
  const requests: ReceivedRequest[] = []
  const state: { mode: Mode | undefined; count: number; bodies: Set<string> } = {
    mode: undefined,
    count: 0,
    bodies: new Set(),
  }
  const answerNext = (request: ReceivedRequest, response: ServerResponse): void => {
    requests.push(request)
    state.count += 1
    const { mode, count, bodies } = state
    const body = request.body.toString('base64')
    const isFirst = !bodies.has(body)
    bodies.add(body)
    const answer = (): void => answerWell(request, response)
    if (mode === undefined) return answer()
    const misbehave: Misbehaviour = MODES[mode as keyof typeof MODES]
    misbehave({ request, response, count, isFirst, answer })
  }
  const server = createServer((incoming, response) => {
    incoming.on('error', () => undefined)
    response.on('error', () => undefined)
    if (state.mode === 'resets in mid-request') return void incoming.socket.resetAndDestroy()
    void readBody(incoming).then((request) => request && answerNext(request, response))
  })
  const port = await listen(server, 0)
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    misbehave: async (mode) => {
      Object.assign(state, { mode, count: 0, bodies: new Set() })
      if (mode === 'refuses') await close(server)
    },
    recover: async () => {
      Object.assign(state, { mode: undefined, count: 0, bodies: new Set() })
      server.closeAllConnections()
      if (!server.listening) await listen(server, port)
    },
    stop: () => close(server),
  }
}

/** Undefined when the client goes before its request is whole. */
async function readBody(incoming: IncomingMessage): Promise<ReceivedRequest | undefined> {
  const chunks: Buffer[] = []
  const { method = '', url = '', headers } = incoming
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
  } catch {
    return undefined
  }
  return { method, path: url, headers, body: Buffer.concat(chunks) }
}

/** The service does its work, and the response never leaves. */
function loseResponse(response: ServerResponse): void {
  response.end = () => {
    response.socket?.resetAndDestroy()
    return response
  }
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
