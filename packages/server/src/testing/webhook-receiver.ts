import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export interface WebhookReceiver {
  /** With a secret in its path, as addresses of Slack have. */
  url: string
  received: Received[]
  /** Answers the next requests; 204 by default. */
  answer: (response: ServerResponse) => void
  stop(): Promise<void>
}

/** Stands in for what takes the messages of webhooks. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      receiver.received.push({ path: request.url ?? '', headers: request.headers, body })
      receiver.answer(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/services/T0/secret-path`,
    received: [],
    answer: (response) => void response.writeHead(204).end(),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}

export function answerStatus(status: number, headers: Record<string, string> = {}) {
  return (response: ServerResponse): void => void response.writeHead(status, headers).end('answer')
}
