import { createRequest, type OperationName } from '../../packages/protocol/src/index'
import type { ContractInput } from './contract-case'
import type { Asker, World } from './world'

export interface ServiceResponse {
  status: number
  contentType: string | null
  body: unknown
}

interface Question {
  operation: OperationName
  input: ContractInput
  as: Asker
  prefix: string
}

/** Asks the world's service over HTTP, with the key of who asks. */
export async function ask(
  world: World,
  { operation, input, as, prefix }: Question,
): Promise<ServiceResponse> {
  const { method, path, body } = createRequest(operation, input)
  const key = world.keys[as]
  const response = await fetch(`${world.server.url}${prefix}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...input.headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return readResponse(response)
}

export async function readResponse(response: Response): Promise<ServiceResponse> {
  const text = await response.text()
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    body: parseJson(text),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
