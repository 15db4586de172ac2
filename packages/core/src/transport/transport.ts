import type { AttachmentError, NetworkError } from '../model/errors'

/** The interface's own responses are far shorter. */
export const MAX_RESPONSE_BYTES = 4 * 1024 * 1024

/** A file that is streamed from disk, opened anew for each try. Cut at `sizeBytes` if it has grown. */
export interface FileBody {
  path: string
  sizeBytes: number
}

export type RequestBody = string | Uint8Array | FileBody

export interface TransportRequest {
  method: 'POST' | 'PUT' | 'PATCH' | 'GET' | 'DELETE'
  url: string
  headers: Record<string, string>
  body?: RequestBody | undefined
  /** A repetition has its own effect, so it is not retried if the first try may have arrived. */
  isUnsafeToRepeat?: boolean
  /** A longer response is an error (default: `MAX_RESPONSE_BYTES`). */
  maxResponseBytes?: number
  /** Until the response's last byte, in milliseconds. */
  timeoutMs: number
  signal: AbortSignal
}

/** `unsendable`: the request itself is at fault, so a retry cannot help. */
export type TransportResponse =
  | {
      kind: 'response'
      statusCode: number
      retryAfter: string | undefined
      date?: string | undefined
      headers?: Readonly<Record<string, string | string[] | undefined>>
      body: string
    }
  | { kind: 'no-response'; error: NetworkError }
  | { kind: 'unsendable'; error: AttachmentError | NetworkError }

/** The port to the network. `send` never throws. */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>
  /** Aborts what is under way; nothing keeps the process alive afterwards. */
  close(): Promise<void>
}
