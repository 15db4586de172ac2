import type { AttachmentError, NetworkError } from '../model/errors'

/** Longest response body that is read, in bytes: the interface's own are far shorter. */
export const MAX_RESPONSE_BYTES = 4 * 1024 * 1024

/** A file that is streamed from disk, opened anew for each try. Cut at `sizeBytes` when it has grown since. */
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
  /** Each repetition has an effect of its own, so it is not retried when the first try may have reached the service. */
  isUnsafeToRepeat?: boolean
  /** Longest time from the start to the response's last byte, in milliseconds. */
  timeoutMs: number
  /** Aborts the request, and the wait before a retry. */
  signal: AbortSignal
}

/** `unsendable`: the request itself is at fault (its file is gone or shorter, its URL is invalid), so a retry cannot help. */
export type TransportResponse =
  | {
      kind: 'response'
      statusCode: number
      retryAfter: string | undefined
      date?: string | undefined
      body: string
    }
  | { kind: 'no-response'; error: NetworkError }
  | { kind: 'unsendable'; error: AttachmentError | NetworkError }

/** The port through which everything leaves the machine. `send` never throws. */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>
  /** Aborts what is under way. Nothing keeps the process alive afterwards. */
  close(): Promise<void>
}
