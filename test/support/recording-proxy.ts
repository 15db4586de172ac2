import { createServer, request as forward, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands before a service and keeps every byte that goes to it. Down until it is started; its address stays the same. */
export interface RecordingProxy {
  url: string
  /** Everything that was sent: paths, headers and bodies. */
  sent: string[]
  start(target: string): Promise<void>
  stop(): Promise<void>
}

export async function createRecordingProxy(): Promise<RecordingProxy> {
  const port = await findFreePort()
  const sent: string[] = []
  let target = ''
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      sent.push(describeRequest(incoming, body))
      const { method, headers, url = '/' } = incoming
      const onward = forward(new URL(url, target), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      onward.on('error', () => response.destroy())
      onward.end(body)
    })
  })
  return {
    url: `http://127.0.0.1:${port}`,
    sent,
    start: async (url) => {
      target = url
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The key goes with every request, and nowhere else. */
function describeRequest({ method, url, headers }: IncomingMessage, body: Buffer): string {
  const others = Object.entries(headers).filter(([name]) => name !== 'authorization')
  return `${method} ${url}\n${JSON.stringify(others)}\n${body.toString('latin1')}`
}

/** A port of loopback that nobody listens on. */
export async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
