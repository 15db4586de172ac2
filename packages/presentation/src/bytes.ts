const UNITS = ['kB', 'MB', 'GB', 'TB']

/** `812 bytes`, `3.4 kB`, `120 MB`. */
export function formatBytes(sizeBytes: number): string {
  if (sizeBytes < 1000) return sizeBytes === 1 ? '1 byte' : `${sizeBytes} bytes`
  let size = sizeBytes
  let unit = 'bytes'
  for (const next of UNITS) {
    // 999.5 would be rounded to 1000.
    if (size < 999.5) break
    size /= 1000
    unit = next
  }
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${unit}`
}
