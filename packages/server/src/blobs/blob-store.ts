import type { Readable } from 'node:stream'

/** Bytes that have arrived whole, but are not kept yet. */
export interface StagedBlob {
  /** SHA-256 as hexadecimal digits. */
  sha256: string
  sizeBytes: number
  /** Keeps the bytes, once, and returns their name, which nothing else had before or will have: on disk when this resolves. */
  keep(): Promise<string>
  /** Forgets the bytes; does nothing once they are kept. */
  discard(): Promise<void>
}

export interface ByteRange {
  start: number
  /** The last byte, itself included. */
  end: number
}

/**
 * The port for stored bytes. Whatever is kept has a name of its own, so that the removal of one can never hit what somebody keeps
 * meanwhile. That equal bytes are stored once is for `keepBlobs` to see to.
 */
export interface BlobStore {
  /** Rejects when nothing could be stored now. */
  checkReachable(): Promise<void>
  /** Takes a stream in; throws PAYLOAD_TOO_LARGE above `maxBytes`. Whatever goes wrong, nothing is left of it. */
  stage(body: Readable, maxBytes: number): Promise<StagedBlob>
  /** Rejects when the bytes are not there, or cannot be read now. */
  read(name: string, range?: ByteRange): Promise<Readable>
  remove(name: string): Promise<void>
  /**
   * The names of what was kept so long ago that whoever kept it has recorded it, or never will; some hundred at a time, in no
   * order.
   */
  listSettled(): AsyncIterable<string[]>
}
