import path from 'node:path'
import { lookup, mimes } from 'mrmime'
import { cleanName } from '../util/text'
import type { Attachment } from './suite'

const DEFAULT_MEDIA_TYPE = 'application/octet-stream'
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+ *(;[\x20-\x7e]*)?$/
const EXTENSION = /\.[a-z0-9]{1,10}$/i

// Preferred extension of media types that have several.
const PREFERRED_EXTENSIONS: Record<string, string> = {
  'image/jpeg': 'jpg',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/html': 'html',
  'application/octet-stream': 'bin',
  'video/webm': 'webm',
}

/** The attachment's name, with an extension from its path or media type. */
export function formatFileName(attachment: Attachment): string {
  const name = cleanName(attachment.name).replaceAll(/[/\\]/g, '_')
  const extension = 'path' in attachment ? path.extname(attachment.path) : ''
  if (extension !== '' && name.toLowerCase().endsWith(extension.toLowerCase())) return name
  if (EXTENSION.test(extension)) return name + extension
  if (EXTENSION.test(name) && lookup(name) !== undefined) return name
  const derived = extensionOf(attachment.contentType)
  return derived === undefined ? name : `${name}.${derived}`
}

/** Its own media type if that is valid, else one derived from its name. */
export function deriveMediaType({ contentType = '' }: Attachment, fileName: string): string {
  return MEDIA_TYPE.test(contentType) ? contentType : (lookup(fileName) ?? DEFAULT_MEDIA_TYPE)
}

function extensionOf(contentType: string | undefined): string | undefined {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (!mediaType) return undefined
  return (
    PREFERRED_EXTENSIONS[mediaType] ?? Object.keys(mimes).find((extension) => mimes[extension] === mediaType)
  )
}
