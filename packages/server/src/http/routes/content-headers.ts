import { dropBidiControls, isWebPage } from '@runledger/presentation'
import contentDisposition from 'content-disposition'
import { bareMediaType, type OpenAttachment, UNKNOWN_MEDIA_TYPE } from '../../record/files/attachments/bytes'

const SAFE_INLINE = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|(?:video|audio)\/[\w.-]+)$/
const TEXT = /^(?:text\/(?:plain|csv|markdown|tab-separated-values)|application\/(?:json|x-ndjson|yaml))$/
const ACTIVE = /javascript|ecmascript|jscript|livescript|css|html|xml|svg|wasm|manifest|multipart|rfc822/

/**
 * For bytes of unknown origin. Browsers show only types that cannot run scripts; anything else (SVG, HTML, PDF) is saved, and
 * sandboxed if shown anyway. Types that a page could load as script or style are never sent as such.
 */
export function createContentHeaders(
  { mediaType, fileName }: Pick<OpenAttachment, 'mediaType' | 'fileName'>,
  forceDownload: boolean,
): Record<string, string> {
  const bare = bareMediaType(mediaType)
  const isText = TEXT.test(bare)
  const inline = !forceDownload && (isText || SAFE_INLINE.test(bare))
  return {
    'content-type':
      inline && isText ? 'text/plain; charset=utf-8' : ACTIVE.test(bare) ? UNKNOWN_MEDIA_TYPE : mediaType,
    'content-disposition': contentDisposition(dropBidiControls(fileName), {
      type: inline ? 'inline' : 'attachment',
    }),
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; sandbox",
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=1800',
  }
}

/** Scripts run in a sandbox whose origin no other page shares. Opening a page contacts no server. */
const PAGE_POLICY = [
  "default-src 'unsafe-inline' 'unsafe-eval' data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  'sandbox allow-scripts allow-forms allow-modals allow-downloads allow-popups allow-popups-to-escape-sandbox',
].join('; ')

/** See docs/interface.md#attachments. */
export function createFileHeaders(
  attachment: Pick<OpenAttachment, 'mediaType' | 'fileName'>,
): Record<string, string> {
  const headers = createContentHeaders(attachment, false)
  if (!isWebPage({ name: attachment.fileName, content_type: attachment.mediaType })) return headers
  return {
    ...headers,
    'content-type': attachment.mediaType,
    'content-disposition': 'inline',
    'content-security-policy': PAGE_POLICY,
  }
}
