import type { ByteRange } from '../blobs/blob-store'

/**
 * The one range that a `Range` header asks for (RFC 9110, 14.1.2). Several ranges or a header that makes no sense are
 * answered with the whole, which the standard allows.
 */
export function parseRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/.exec(header ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return 'whole'
  const last = sizeBytes - 1
  if (match[1] === '') {
    const suffix = Number(match[2])
    return suffix === 0 || sizeBytes === 0
      ? 'unsatisfiable'
      : { start: Math.max(0, sizeBytes - suffix), end: last }
  }
  const start = Number(match[1])
  const end = match[2] === '' ? last : Math.min(Number(match[2]), last)
  if (match[2] !== '' && Number(match[2]) < start) return 'whole'
  return start > last ? 'unsatisfiable' : { start, end }
}
