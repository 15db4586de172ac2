import type { OperationResponse, OperationInput } from '../operations/operations'
import { OPERATION_ROUTES, type OperationName, type OperationRoute } from '../operations/operation-routes'

/** One request of an operation, ready for the wire but for the service's address and the key. */
export interface ClientRequest {
  operation: OperationName
  method: OperationRoute['method']
  /** With its parameters filled in and its query at the end. */
  path: string
  body: unknown
  headers: Readonly<Record<string, string>>
  signal: AbortSignal | undefined
}

export interface CallOptions {
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
}

/** Sends a request. Returns the body of a success as JSON; throws an error of its own for anything else. */
export type SendRequest = (request: ClientRequest) => Promise<unknown>

export type Client = {
  [Name in OperationName]: (
    ...call: object extends OperationInput<Name>
      ? [input?: OperationInput<Name>, options?: CallOptions]
      : [input: OperationInput<Name>, options?: CallOptions]
  ) => Promise<OperationResponse<Name>>
}

export function createClient(send: SendRequest): Client {
  const names = Object.keys(OPERATION_ROUTES) as OperationName[]
  const method = (operation: OperationName) => (input?: AnyInput, options?: CallOptions) =>
    send(createRequest(operation, input, options))
  return Object.fromEntries(names.map((name) => [name, method(name)])) as unknown as Client
}

export interface AnyInput {
  params?: Readonly<Record<string, string>>
  query?: object
  body?: unknown
}

export function createRequest(
  operation: OperationName,
  { params = {}, query = {}, body }: AnyInput = {},
  { headers = {}, signal }: CallOptions = {},
): ClientRequest {
  const { method, path } = OPERATION_ROUTES[operation]
  return { operation, method, path: fillPath(path, params) + formatQuery(query), body, headers, signal }
}

/** False for values that would lead an address elsewhere: the empty text, and dots, encoded or not. */
export function canFillPath(value: string): boolean {
  return !['', '.', '..'].includes(value)
}

/** Fills the parameters of a path in, each encoded. @throws TypeError for one that is missing, or cannot be in a path. */
export function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = params[name]
    if (value === undefined || value === '')
      throw new TypeError(`The path ${path} needs the parameter "${name}".`)
    if (!canFillPath(value)) throw new TypeError(`The parameter "${name}" of ${path} cannot be "${value}".`)
    return encodeURIComponent(value)
  })
}

/** `?` and the query; a list repeats its key, an object is JSON, and what is null or undefined is left out. */
export function formatQuery(query: object): string {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (one !== undefined && one !== null) pairs.append(name, formatQueryValue(one))
    }
  }
  const text = pairs.toString()
  return text === '' ? '' : `?${text}`
}

function formatQueryValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
