import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

export interface Answer {
  status: number
  body: string
}

/**
 * Changes the answer to a request, or acts before the answer is sent. Undefined breaks the connection. `call` counts the requests to
 * the path.
 */
export type Change = (answer: Answer, call: number) => Answer | undefined | Promise<Answer | undefined>

/** Starts a proxy that changes the answers for paths with these prefixes. */
export async function startProxy(serviceUrl: string, changes: Record<string, Change>) {
  const calls = new Map<string, number>()
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url ?? ''
      const forwarded = await fetch(serviceUrl + path, {
        headers: { authorization: request.headers.authorization ?? '' },
      })
      let answer: Answer | undefined = { status: forwarded.status, body: await forwarded.text() }
      const found = Object.entries(changes).find(([start]) => path.startsWith(start))
      if (found) {
        const [start, change] = found
        calls.set(start, (calls.get(start) ?? 0) + 1)
        answer = await change(answer, calls.get(start) ?? 0)
      }
      if (!answer) return void request.socket.destroy()
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
    })()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
