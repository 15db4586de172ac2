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

/** Bytes that a client has sent to the store itself. */
export interface WaitingUpload extends StagedBlob {
  /** As the client named it; undefined where it did not. */
  contentType: string | undefined
}

/** What a store adds that takes uploads from clients itself. Each has the id of the attachment that it is for. */
export interface DirectUploads {
  /** Where the bytes are PUT within this time, with no other credentials. */
  createAddress(id: string, lifeSeconds: number): Promise<string>
  /**
   * The bytes that were sent last, which nobody can change any more; undefined when there are none. @throws HttpError
   * PAYLOAD_TOO_LARGE above `maxBytes`: they are removed
   */
  stage(id: string, maxBytes: number): Promise<WaitingUpload | undefined>
  /** Forgets what was sent. */
  remove(id: string): Promise<void>
  /** The ids of what was sent, some hundred at a time, in no order. */
  list(): AsyncIterable<string[]>
}

export interface ByteRange {
  start: number
  /** The last byte, itself included. */
  end: number
}

/** What is read of stored bytes; by default all of them. */
export interface BytesWanted {
  range?: ByteRange | undefined
  /** How many bytes there must be in all. */
  sizeBytes?: number | undefined
}

/** Stored bytes were cut short, or others have come in their place. */
export class BlobDamagedError extends Error {
  override name = 'BlobDamagedError'

  constructor(name: string, foundBytes: number, wantedBytes: number) {
    super(
      `${name} has ${foundBytes} bytes, and ${wantedBytes} are on record. "runledger check" lists all such files: take them from a backup, or send them again.`,
    )
  }
}

/**
 * The port for stored bytes. Whatever is kept has a name of its own, so that the removal of one can never hit what somebody keeps
 * meanwhile. That equal bytes are stored once is for `keepBlobs` to see to.
 */
export interface BlobStore {
  readonly directUploads?: DirectUploads
  /** Rejects when nothing could be stored now. */
  checkReachable(): Promise<void>
  /** Takes a stream in; throws PAYLOAD_TOO_LARGE above `maxBytes`. Whatever goes wrong, nothing is left of it. */
  stage(body: Readable, maxBytes: number): Promise<StagedBlob>
  /** Size of the bytes of this name; undefined when there are none. */
  findSize(name: string): Promise<number | undefined>
  /** Rejects when the bytes are not there, or cannot be read now. @throws BlobDamagedError */
  read(name: string, wanted?: BytesWanted): Promise<Readable>
  remove(name: string): Promise<void>
  /**
   * The names of what was kept so long ago that whoever kept it has recorded it, or never will; some hundred at a time, in no
   * order.
   */
  listSettled(): AsyncIterable<string[]>
}
