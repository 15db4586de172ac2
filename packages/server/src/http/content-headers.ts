import { bareMediaType } from '../attachments/media-type'
import type { OpenAttachment } from '../attachments/open-attachment'

const SAFE_INLINE = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|(?:video|audio)\/[\w.+-]+|application\/pdf)$/
const TEXT = /^(?:text\/(?:plain|csv|markdown|tab-separated-values)|application\/(?:json|x-ndjson|yaml))$/

/**
 * Headers for bytes that anyone may have made: only types that cannot run script are shown in place, text as plain
 * text; everything else, SVG and HTML above all, is saved as a file, and a sandbox holds it if a browser shows it.
 */
export function createContentHeaders(
  { mediaType, fileName }: Pick<OpenAttachment, 'mediaType' | 'fileName'>,
  forceDownload: boolean,
): Record<string, string> {
  const bare = bareMediaType(mediaType)
  const isText = TEXT.test(bare)
  const inline = !forceDownload && (isText || SAFE_INLINE.test(bare))
  return {
    'content-type': inline && isText ? 'text/plain; charset=utf-8' : mediaType,
    'content-disposition': `${inline ? 'inline' : 'attachment'}; ${formatFileName(fileName)}`,
    'x-content-type-options': 'nosniff',
    // Browsers' PDF viewers do not start in a sandbox, and run no script of the page's origin without one.
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'${bare === 'application/pdf' ? '' : '; sandbox'}`,
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=1800',
  }
}

/** `filename` for every client, `filename*` with the exact name (RFC 6266). */
function formatFileName(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%/]/g, '_')
  const exact = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `filename="${plain}"; filename*=UTF-8''${exact}`
}
