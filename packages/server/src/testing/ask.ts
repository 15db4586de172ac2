import type { TestServer } from './start-test-server'

/** Status and JSON of an answer. */
export interface Asked<Body = unknown> {
  status: number
  body: Body
}

/** Asks a test server and reads its JSON. */
export function createAsk(server: () => TestServer) {
  return async <Body = unknown>(method: string, path: string, body?: unknown): Promise<Asked<Body>> => {
    const response = await server().send(method, path, body)
    return { status: response.status, body: (await response.json()) as Body }
  }
}
