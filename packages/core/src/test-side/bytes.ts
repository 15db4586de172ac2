const CHUNK = 0x8000

interface WithBuffer {
  Buffer?: typeof Buffer
}

/** UTF-8. Jest's jsdom has no `TextEncoder`, a browser no `Buffer`. */
export function toBytes(text: string): Uint8Array {
  const { Buffer: NodeBuffer } = globalThis as WithBuffer
  return NodeBuffer === undefined ? new TextEncoder().encode(text) : NodeBuffer.from(text, 'utf8')
}

/** Also where there is no `Buffer`. */
export function toBase64(bytes: Uint8Array): string {
  const { Buffer: NodeBuffer } = globalThis as WithBuffer
  if (NodeBuffer !== undefined) {
    return NodeBuffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  }
  let binary = ''
  for (let start = 0; start < bytes.length; start += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK))
  }
  return btoa(binary)
}
