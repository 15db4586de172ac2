import type { TestServer } from './start-test-server'

/** Status and JSON of a response. */
export interface Asked<Body = unknown> {
  status: number
  body: Body
}

/** Asks a test server and reads its JSON, whatever the status. */
export function createAsk(server: () => TestServer) {
  return async <Body = unknown>(method: string, path: string, body?: unknown): Promise<Asked<Body>> => {
    const response = await server().send(method, path, body)
    return { status: response.status, body: (await response.json()) as Body }
  }
}

/** Asks a test server for what it must answer with 200. @throws Error for another status */
export function createResponse(server: () => TestServer) {
  return async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const response = await server().send(method, path, body)
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
    return (await response.json()) as Body
  }
}
