import type { Readable } from 'node:stream'

/** Bytes that have arrived whole, but are not kept yet. */
export interface StagedBlob {
  /** SHA-256 as hexadecimal digits. */
  sha256: string
  sizeBytes: number
  /** Keeps the bytes, once, and returns their name, which is never used for others: on disk when this resolves. */
  keep(): Promise<string>
  /** Discards the bytes; does nothing once they are kept. */
  discard(): Promise<void>
}

/** Bytes that a client has sent to the store itself. */
export interface WaitingUpload extends StagedBlob {
  /** As the client named it; undefined where it did not. */
  contentType: string | undefined
}

/** What a store adds if clients can upload to it. Each upload has the id of its attachment. */
export interface DirectUploads {
  /** Where the bytes are PUT within this time, with no other credentials. */
  createAddress(id: string, lifeSeconds: number): Promise<string>
  /**
   * The latest bytes, which can no longer change; undefined without any. @throws HttpError PAYLOAD_TOO_LARGE above `maxBytes`,
   * after removing them
   */
  stage(id: string, maxBytes: number): Promise<WaitingUpload | undefined>
  /** Removes the upload. */
  remove(id: string): Promise<void>
  /** The ids of what was sent, some hundred at a time, in no order. */
  list(): AsyncIterable<string[]>
}

export interface ByteRange {
  start: number
  /** The last byte, inclusive. */
  end: number
}

/** The part of the bytes to read; by default all of them. */
export interface BytesWanted {
  range?: ByteRange | undefined
  /** How many bytes there must be in all. */
  sizeBytes?: number | undefined
}

/** Stored bytes were cut short or replaced. */
export class BlobDamagedError extends Error {
  override name = 'BlobDamagedError'

  constructor(name: string, foundBytes: number, wantedBytes: number) {
    super(
      `${name} has ${foundBytes} bytes, and ${wantedBytes} are on record. "runledger check" lists all such files: take them from a backup, or send them again.`,
    )
  }
}

/**
 * The port for stored bytes. All kept bytes have a name of their own, so that removing some cannot remove equal bytes that are
 * being kept. `keepBlobs` makes sure that equal bytes are stored once.
 */
export interface BlobStore {
  readonly directUploads?: DirectUploads
  /** Rejects when the store cannot store anything. */
  checkReachable(): Promise<void>
  /** Receives a stream; leaves nothing behind when it fails. @throws HttpError PAYLOAD_TOO_LARGE above `maxBytes` */
  stage(body: Readable, maxBytes: number): Promise<StagedBlob>
  /** Size of the bytes of this name; undefined when there are none. */
  findSize(name: string): Promise<number | undefined>
  /** Rejects when the bytes are not there, or cannot be read now. @throws BlobDamagedError */
  read(name: string, wanted?: BytesWanted): Promise<Readable>
  remove(name: string): Promise<void>
  /** The names of bytes that were kept long enough ago to be on record by now, if ever; some hundred at a time, in no order. */
  listSettled(): AsyncIterable<string[]>
}
