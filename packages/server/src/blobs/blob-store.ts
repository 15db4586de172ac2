import type { Readable } from 'node:stream'

/** Bytes that have arrived whole, but are not kept yet. */
export interface StagedBlob {
  /** SHA-256 as hexadecimal digits: the name under which the bytes are kept. */
  sha256: string
  sizeBytes: number
  /** Keeps the bytes: for good, under their name, when this resolves. Bytes that are there already are not written again. */
  keep(): Promise<void>
  /** Forgets the bytes; does nothing once they are kept. */
  discard(): Promise<void>
}

export interface ByteRange {
  start: number
  /** The last byte, itself included. */
  end: number
}

/**
 * The port for stored bytes. Names are SHA-256 digests, so equal bytes are stored once. Keeping and removing the same must not
 * cross: the database's locks see to that (`withLocks`).
 */
export interface BlobStore {
  /** Rejects when nothing could be stored now. */
  checkReachable(): Promise<void>
  /** Takes a stream in; throws PAYLOAD_TOO_LARGE above `maxBytes`. Whatever goes wrong, nothing is left of it. */
  stage(body: Readable, maxBytes: number): Promise<StagedBlob>
  /** Rejects when the bytes are not there, or cannot be read now. */
  read(sha256: string, range?: ByteRange): Promise<Readable>
  remove(sha256: string): Promise<void>
  /** The digests of all that is kept, some hundred at a time, in no order. */
  list(): AsyncIterable<string[]>
}
