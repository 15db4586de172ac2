/** Bytes in pieces, one after the other: long texts in a frame of JSON, which nobody needs to copy together. */
export type Pieces = readonly Uint8Array[]

/** In bytes. */
export function measurePieces(pieces: Pieces): number {
  return pieces.reduce((sizeBytes, { byteLength }) => sizeBytes + byteLength, 0)
}
