const CHUNK = 0x8000

/** Also where there is no `Buffer`. */
export function toBase64(bytes: Uint8Array): string {
  const { Buffer: NodeBuffer } = globalThis as { Buffer?: typeof Buffer }
  if (NodeBuffer !== undefined) {
    return NodeBuffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  }
  let binary = ''
  for (let start = 0; start < bytes.length; start += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK))
  }
  return btoa(binary)
}
