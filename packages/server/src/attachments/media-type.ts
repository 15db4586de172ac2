import { mimes } from 'mrmime'

// A map: in a plain object the extension `constructor` has a value too.
const TYPES_BY_EXTENSION = new Map(Object.entries(mimes))

export const UNKNOWN_MEDIA_TYPE = 'application/octet-stream'

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:\s*;[\x20-\x7e]{0,150})?$/

// What a client sends when it was told nothing about the file.
const SENT_BY_HABIT = new Set(['application/x-www-form-urlencoded'])

/** The media type of an attachment: as sent, else from its name's extension. */
export function resolveMediaType(sent: string | undefined, name: string): string {
  const given = sent?.trim().toLowerCase()
  if (given && isMediaType(given) && !SENT_BY_HABIT.has(bareMediaType(given))) return given
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return TYPES_BY_EXTENSION.get(extension) ?? UNKNOWN_MEDIA_TYPE
}

export function isMediaType(text: string): boolean {
  return MEDIA_TYPE.test(text.trim())
}

/** A media type without its parameters. */
export function bareMediaType(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase()
}
