import type { AttachmentError, NetworkError } from '../model/errors'
import type { Pieces } from '../pieces'
import type { FileBody } from './file-body'

/** Longest answer that is read, in bytes: what the interface answers is far shorter. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** What a request carries: text, bytes, whole or in pieces, or a file that is streamed from disk anew at each try. */
export type RequestBody = string | Uint8Array | Pieces | FileBody

export function isInPieces(body: RequestBody): body is Pieces {
  return Array.isArray(body)
}

export interface TransportRequest {
  method: 'POST' | 'PUT' | 'PATCH' | 'GET' | 'DELETE'
  url: string
  headers: Record<string, string>
  body?: RequestBody
  /** It does something new each time it is done: never sent again by itself when it may have been done. */
  isUnsafeToRepeat?: boolean
  /** Longest time from the connection's start to the answer's last byte, in milliseconds. */
  timeoutMs: number
  /** Cuts the request, and every wait before a retry, short. */
  signal: AbortSignal
}

/** `unsendable`: the request itself is at fault (its file is gone or shorter, its address is none), so that a retry is vain. */
export type TransportResponse =
  | { kind: 'answer'; statusCode: number; retryAfter: string | undefined; body: string }
  | { kind: 'no-answer'; error: NetworkError }
  | { kind: 'unsendable'; error: AttachmentError | NetworkError }

/** The port through which everything leaves the machine. `send` never throws. */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>
  close(): Promise<void>
}
