import type { RunAttachment } from '@runledger/protocol'

export type AttachmentKind = 'picture' | 'video' | 'audio' | 'text' | 'other'

// Active content (SVG, HTML) is in none of these lists: it is offered for download, and opened on another origin (`isWebPage`).
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'])
const TEXT_TYPES = new Set([
  'application/json',
  'application/x-ndjson',
  'application/yaml',
  'application/toml',
])
const ACTIVE = /^(text\/html|image\/svg\+xml|application\/xhtml\+xml|.*\+xml|text\/xml|application\/xml)$/
const BY_EXTENSION: Record<string, AttachmentKind> = {
  png: 'picture',
  jpg: 'picture',
  jpeg: 'picture',
  gif: 'picture',
  webp: 'picture',
  avif: 'picture',
  bmp: 'picture',
  webm: 'video',
  mp4: 'video',
  mp3: 'audio',
  wav: 'audio',
  ogg: 'audio',
  log: 'text',
  txt: 'text',
  md: 'text',
  json: 'text',
  jsonl: 'text',
  csv: 'text',
  yaml: 'text',
  yml: 'text',
}

/** How the page shows an attachment, by its media type, or by its name. */
export function deriveKind({
  name,
  content_type,
}: Pick<RunAttachment, 'name' | 'content_type'>): AttachmentKind {
  const type = readType(content_type)
  if (isUnknown(type)) return BY_EXTENSION[extensionOf(name)] ?? 'other'
  if (ACTIVE.test(type)) return 'other'
  if (PICTURES.has(type)) return 'picture'
  if (type.startsWith('video/')) return 'video'
  if (type.startsWith('audio/')) return 'audio'
  return type.startsWith('text/') || TEXT_TYPES.has(type) || type.endsWith('+json') ? 'text' : 'other'
}

/** The first readable `….log` of the whole suite. */
export function findSuiteLog(others: RunAttachment[]): RunAttachment | undefined {
  return others.find((attachment) => attachment.name.endsWith('.log') && deriveKind(attachment) === 'text')
}

function readType(contentType: string | null): string {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

function isUnknown(type: string): boolean {
  return type === '' || type === 'application/octet-stream'
}

function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase()
}

/** Whether Playwright's viewer opens it. */
export function isTrace({ name }: Pick<RunAttachment, 'name'>): boolean {
  return /(^|[/.-])trace( \(\d+\))?\.zip$/i.test(name)
}

const PAGES = new Set(['text/html', 'application/xhtml+xml', 'image/svg+xml'])
const PAGE_EXTENSIONS = new Set(['html', 'htm', 'xhtml', 'svg'])

/** Tells whether a browser shows an attachment as a page, scripts and all. */
export function isWebPage({ name, content_type }: Pick<RunAttachment, 'name' | 'content_type'>): boolean {
  const type = readType(content_type)
  return isUnknown(type) ? PAGE_EXTENSIONS.has(extensionOf(name)) : PAGES.has(type)
}
