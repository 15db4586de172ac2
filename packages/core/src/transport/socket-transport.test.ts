import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { createTransport } from './create-transport'
import type { TransportRequest, TransportResponse } from './transport'

const stops: (() => unknown)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

interface Service {
  connections: number
  send: (request?: Partial<TransportRequest>) => Promise<TransportResponse>
}

/** A service that answers each piece that it is sent with these bytes, and a transport to it. */
async function startService(answer: (socket: Socket, bytes: Buffer) => void): Promise<Service> {
  const server = createServer((socket) => {
    service.connections += 1
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => answer(socket, bytes))
    stops.push(() => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const tlsFiles = { caFile: undefined, clientCertFile: undefined, clientKeyFile: undefined }
  const transport = await createTransport({ tlsFiles, connections: 1, env: {} })
  stops.push(
    () => transport.close(),
    () => server.close(),
  )
  const service: Service = {
    connections: 0,
    send: (request) =>
      transport.send({
        method: 'POST',
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/runs`,
        headers: {},
        body: '{}',
        timeoutMs: 1_000,
        signal: new AbortController().signal,
        ...request,
      }),
  }
  return service
}

/** What the transport makes of such a service. */
async function sendTo(
  answer: (socket: Socket) => void,
  headers: Record<string, string> = {},
): Promise<TransportResponse> {
  return (await startService(answer)).send({ headers })
}

describe('an odd answer', () => {
  it('is none when it changes to another protocol, which nobody has asked for', async () => {
    const response = await sendTo((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n')
    })
    expect(response).toMatchObject({ kind: 'no-answer', error: { wasSent: true } })
  })

  it('is whole after a 100 that nobody has asked for, and at the end of the connection', async () => {
    const response = await sendTo((socket) => {
      socket.end('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n\r\nwhole')
    })
    expect(response).toMatchObject({ kind: 'answer', statusCode: 201, body: 'whole' })
  })
})

it('was not sent when Node does not take a header of it', async () => {
  const response = await sendTo((socket) => socket.destroy(), { authorization: 'Bearer a\nb' })
  expect(response).toMatchObject({ kind: 'unsendable', error: { wasSent: false } })
})

describe('a connection', () => {
  const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n'

  it.each([
    ['as a rule', `${OK}\r\n{}`, 1],
    ['as the service closes it late', `${OK}Keep-Alive: timeout=60\r\n\r\n{}`, 1],
    ['not when the service closes it soon', `${OK}Keep-Alive: timeout=1\r\n\r\n{}`, 3],
    ['not when the service says so', `${OK}Connection: close\r\n\r\n{}`, 3],
    ['not when the service said more than it was asked', `${OK}\r\n{}{}`, 3],
  ])('is used again, %s', async (_, answer, connections) => {
    const service = await startService((socket) => socket.write(answer))
    for (let count = 0; count < 3; count += 1)
      expect(await service.send()).toMatchObject({ kind: 'answer', statusCode: 200, body: '{}' })
    expect(service.connections).toBe(connections)
  })

  it('is not used again when the service has closed it meanwhile, or has spoken', async () => {
    let count = 0
    const service = await startService((socket) => {
      socket.write(`${OK}\r\n{}`)
      count += 1
      setTimeout(() => (count === 1 ? socket.end() : socket.write('HTTP/1.1 408 Timeout\r\n')), 5)
    })
    for (const _ of [1, 2, 3]) {
      expect(await service.send()).toMatchObject({ kind: 'answer', statusCode: 200 })
      await sleep(50)
    }
    expect(service.connections).toBe(3)
  })

  it('is used again after a file that was sent in pieces', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-pieces-'))
    stops.push(() => rmSync(folder, { recursive: true }))
    const sizeBytes = 3 * 1024 * 1024
    const file = path.join(folder, 'video.webm')
    writeFileSync(file, Buffer.concat([Buffer.alloc(sizeBytes - 1), Buffer.from('!')]))
    const service = await startService((socket, bytes) => {
      if (bytes.at(-1) === 0x21) socket.write(`${OK}\r\n{}`)
    })
    for (const _ of [1, 2, 3]) {
      const sent = service.send({ method: 'PUT', body: { path: file, sizeBytes } })
      expect(await sent).toMatchObject({ kind: 'answer', statusCode: 200 })
    }
    expect(service.connections).toBe(1)
  })

  it('is left when the answer comes before the whole request was sent', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-early-answer-'))
    stops.push(() => rmSync(folder, { recursive: true }))
    const file = path.join(folder, 'video.webm')
    writeFileSync(file, Buffer.alloc(64 * 1024 * 1024))
    const service = await startService((socket) => {
      socket.pause()
      socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n{}')
    })
    const body = { path: file, sizeBytes: 64 * 1024 * 1024 }
    for (const _ of [1, 2])
      expect(await service.send({ method: 'PUT', body })).toMatchObject({ kind: 'answer', statusCode: 413 })
    expect(service.connections).toBe(2)
  })

  it('is cut off in the middle of an answer, at once', async () => {
    const service = await startService((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{'),
    )
    const cut = new AbortController()
    setTimeout(() => cut.abort(), 50)
    const response = await service.send({ signal: cut.signal, timeoutMs: 60_000 })
    expect(response).toMatchObject({ kind: 'no-answer', error: { wasSent: true } })
    expect(String((response as { error: Error }).error.message)).toContain('the deadline was reached')
  })
})
