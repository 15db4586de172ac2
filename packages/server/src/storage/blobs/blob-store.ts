import type { Readable } from 'node:stream'

/** Bytes that have arrived whole, but are not kept yet. */
export interface StagedBlob {
  /** SHA-256 as hexadecimal digits. */
  sha256: string
  sizeBytes: number
  /** Keeps the bytes once; on disk when this resolves. Returns their name, which is never used for others. */
  keep(): Promise<string>
  /** Does nothing once the bytes are kept. */
  discard(): Promise<void>
}

/** Bytes that a client has sent to the store itself. */
export interface WaitingUpload extends StagedBlob {
  /** As the client named it; undefined if it did not. */
  contentType: string | undefined
}

/** For stores to which clients can upload. An upload has the id of its attachment. */
export interface DirectUploads {
  createAddress(id: string, lifeSeconds: number): Promise<string>
  /** The latest bytes, which can no longer change. @throws HttpError PAYLOAD_TOO_LARGE after removing bytes above `maxBytes` */
  stage(id: string, maxBytes: number): Promise<WaitingUpload | undefined>
  remove(id: string): Promise<void>
  /** Yields some hundred ids at a time, in no order. */
  list(): AsyncIterable<string[]>
}

export interface ByteRange {
  start: number
  /** Inclusive. */
  end: number
}

export interface BytesWanted {
  range?: ByteRange | undefined
  /** How many bytes there must be in all. */
  sizeBytes?: number | undefined
}

export class BlobDamagedError extends Error {
  override name = 'BlobDamagedError'

  constructor(name: string, foundBytes: number, wantedBytes: number) {
    super(
      `${name} has ${foundBytes} bytes, and ${wantedBytes} are on record. "runledger check" lists all such files: take them from a backup, or send them again.`,
    )
  }
}

/** Kept bytes have their own name, so that removing some cannot remove equal ones. `keepBlobs` stores equal bytes once. */
export interface BlobStore {
  readonly directUploads?: DirectUploads
  /** Rejects when the store cannot store anything. */
  checkReachable(): Promise<void>
  /** Leaves nothing behind when it fails. @throws HttpError PAYLOAD_TOO_LARGE above `maxBytes` */
  stage(body: Readable, maxBytes: number): Promise<StagedBlob>
  /** In bytes; undefined when there are none. */
  findSize(name: string): Promise<number | undefined>
  /** Rejects when the bytes are missing or cannot be read now. @throws BlobDamagedError */
  read(name: string, wanted?: BytesWanted): Promise<Readable>
  remove(name: string): Promise<void>
  /** Names of bytes kept so long ago that they are on record by now, if ever; some hundred at a time, in no order. */
  listSettled(): AsyncIterable<string[]>
}
