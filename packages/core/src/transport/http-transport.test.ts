import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createTransport } from './create-transport'
import type { TransportResponse } from './transport'

const stops: (() => unknown)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** What the transport makes of a service that answers each piece that it is sent with these bytes. */
async function sendTo(
  answer: (socket: Socket) => void,
  headers: Record<string, string> = {},
): Promise<TransportResponse> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => answer(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const tlsFiles = { caFile: undefined, clientCertFile: undefined, clientKeyFile: undefined }
  const transport = await createTransport({ tlsFiles, connections: 1, env: {} })
  stops.push(
    () => transport.close(),
    () => server.close(),
  )
  return transport.send({
    method: 'POST',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/runs`,
    headers,
    body: '{}',
    timeoutMs: 1_000,
    signal: new AbortController().signal,
  })
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
