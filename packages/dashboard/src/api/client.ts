import { SESSION_TOKEN_HEADER } from '@runledger/protocol'
import { ApiError, UnreachableError, readApiError } from './api-error'
import { readSessionToken } from './session-token'

export interface ApiRequest {
  method?: string
  path: string
  query?: [key: string, value: string][]
  body?: unknown
  /** Contains the key of a station where the page has no session of its own. */
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
}

/** Sends a request and returns its JSON object or list. Throws ApiError or UnreachableError. */
export async function readJson(request: ApiRequest): Promise<object> {
  const response = await send(request)
  const body: unknown = await response.json().catch(() => undefined)
  if (typeof body === 'object' && body !== null) return body
  throw new ApiError(
    response.status,
    `The service's response to ${request.path} is not a JSON object or list.`,
  )
}

/** Sends the bytes of a file to a signed address of this origin. Throws ApiError or UnreachableError. */
export async function sendFile(path: string, file: File): Promise<void> {
  const response = await fetch(path, {
    method: 'PUT',
    headers: { 'content-type': file.type === '' ? 'application/octet-stream' : file.type },
    body: file,
  }).catch((cause: unknown) => {
    throw new UnreachableError('The service does not answer.', { cause })
  })
  if (!response.ok) throw await readApiError(response)
}

export interface TextStart {
  text: string
  /** Whether there is more of it than was read. */
  isCut: boolean
}

/** Reads the first `maxBytes` bytes of a text and leaves the rest unread. Throws ApiError or UnreachableError. */
export async function readTextStart(path: string, maxBytes: number, signal: AbortSignal): Promise<TextStart> {
  const response = await send({ path, signal })
  const reader = response.body?.getReader()
  if (!reader) return { text: '', isCut: false }
  const decoder = new TextDecoder()
  let text = ''
  let leftBytes = maxBytes
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { text: text + decoder.decode(), isCut: false }
    text += decoder.decode(value.subarray(0, leftBytes), { stream: true })
    leftBytes -= value.length
    if (leftBytes < 0) {
      await reader.cancel()
      return { text, isCut: true }
    }
  }
}

export interface AnythingRequest {
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
  /** Sent instead of the session. */
  apiKey: string | undefined
}

/** Sends a request unchanged and returns any response. Throws UnreachableError. */
export function sendAnything({ method, path, headers, body, apiKey }: AnythingRequest): Promise<Response> {
  return fetch(path, {
    method,
    credentials: apiKey === undefined ? 'same-origin' : 'omit',
    cache: 'no-store',
    headers: { ...headers, ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }) },
    ...(body === undefined ? {} : { body }),
  }).catch((cause: unknown) => {
    throw new UnreachableError('The service does not answer, or the request could not be sent.', { cause })
  })
}

/** Whether an address of another origin responds to this browser, with any status. */
export async function isReachable(address: string, signal: AbortSignal): Promise<boolean> {
  try {
    await fetch(address, { mode: 'no-cors', credentials: 'omit', cache: 'no-store', signal })
    return true
  } catch (error) {
    if (signal.aborted) throw error
    return false
  }
}

async function send({
  method = 'GET',
  path,
  query = [],
  body,
  headers = {},
  signal,
}: ApiRequest): Promise<Response> {
  const search = new URLSearchParams(query).toString()
  const token = method === 'GET' ? undefined : readSessionToken()
  const response = await fetch(search === '' ? path : `${path}?${search}`, {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { [SESSION_TOKEN_HEADER]: token }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause
    throw new UnreachableError('The service does not answer.', { cause })
  })
  if (!response.ok) throw await readApiError(response)
  return response
}
