import { sendAnything, type AnythingRequest } from './client'

const MAX_SHOWN = 200_000

/** What the service answered, as it is to be read. */
export interface TriedResponse {
  status: number
  statusText: string
  durationMs: number
  contentType: string | null
  /** The body: JSON with indentation, other text as it is, anything else by its size. */
  text: string
  isCut: boolean
}

/** Sends a request that somebody typed, whatever the response is. Throws UnreachableError. */
export async function tryRequest(request: AnythingRequest): Promise<TriedResponse> {
  const startedAt = performance.now()
  const response = await sendAnything(request)
  const bytes = await response.arrayBuffer()
  const durationMs = performance.now() - startedAt
  const contentType = response.headers.get('content-type')
  const text = formatBody(contentType ?? '', bytes)
  return {
    status: response.status,
    statusText: response.statusText,
    durationMs,
    contentType,
    text: text.slice(0, MAX_SHOWN),
    isCut: text.length > MAX_SHOWN,
  }
}

function formatBody(contentType: string, bytes: ArrayBuffer): string {
  if (bytes.byteLength === 0) return ''
  if (!/json|^text\//.test(contentType)) return `${bytes.byteLength.toLocaleString('en')} bytes`
  const text = new TextDecoder().decode(bytes)
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
