const CHUNK_BYTES = 0x8000

/** For browsers, which have no `Buffer`. */
export function toBase64(bytes: Uint8Array): string {
  if (typeof Buffer !== 'undefined')
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  let binary = ''
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES)
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK_BYTES))
  return btoa(binary)
}
