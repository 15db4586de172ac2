import { readResponse } from '../ask'
import type { Asker, World } from '../world'

/** Where clients in the field find the interface. */
export const PREFIXES = ['', '/api'] as const

export interface FieldResponse {
  status: number
  body: Record<string, unknown>
}

/** Asks with words on the wire, as a client does that knows nothing of our schemas. */
export type AskAsField = (method: string, path: string, body?: unknown, as?: Asker) => Promise<FieldResponse>

export function createFieldClient(world: () => World, prefix: string): AskAsField {
  return async (method, path, ...[body, as = 'user']) => {
    const { server, keys } = world()
    const response = await fetch(server.url + prefix + path, {
      method,
      headers: {
        authorization: `bearer ${keys[as]}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { status, body: answered } = await readResponse(response)
    return { status, body: answered as Record<string, unknown> }
  }
}

/** The messages alone, as clients show them that do not read paths. */
export function messagesOf({ body }: FieldResponse): string[] {
  return ((body['issues'] ?? []) as { message: string }[]).map(({ message }) => message)
}
