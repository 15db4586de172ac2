import { stripVTControlCharacters } from 'node:util'

/** Characters that reverse the direction of the text after them, to the end of the line. */
const DIRECTION_MARKS = /[\u202A-\u202E\u2066-\u2069]/g

const UNNAMED = '(unnamed)'

/** A text of somebody else's (a service, a test) in one line that cannot colour the terminal or move its cursor. */
export function toPlainLine(text: string): string {
  return stripVTControlCharacters(text)
    .replace(DIRECTION_MARKS, '')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

/** A title fit for a record: no escape sequences, control characters or lone surrogates, white space folded, never empty. */
export function cleanName(title: string): string {
  const clean = stripVTControlCharacters(title)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return clean === '' ? UNNAMED : clean
}

/** What a JSON text says; undefined for a text that is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An address fit for messages: no query string (upload addresses are signed there), no user or password. */
export function withoutQuery(url: string): string {
  try {
    const { origin, pathname } = new URL(url)
    return `${origin}${pathname}`
  } catch {
    return '(an address that cannot be read)'
  }
}

/** The form in which addresses of services are stored and compared: no user, no password, no slash at the end. */
export function normalizeServiceUrl(url: string): string {
  return withoutQuery(url).replace(/\/+$/, '')
}

/** Folders of a machine that texts on record do not name, each in every form that it has (with links, without them). */
export interface OwnFolders {
  roots: readonly string[]
  homes: readonly string[]
}

// A path begins here: not within a longer one, nor in the address of a web page.
const START = String.raw`(?<![\w.~@%+\\/-])`
const SCHEME = String.raw`(?:file:\/\/\/?|https?:\/\/[^\s/]{1,100}\/@fs)?`
const SLASH = String.raw`[\\/]{1,2}`
const IN_PACKAGES = new RegExp(
  String.raw`(?<![\w.~@%+\\/:-])${SCHEME}(?:~|[A-Za-z]:)?[\\/](?:[^\s:()'"\`<>]{0,1000}[\\/])?node_modules(?=[\\/])`,
  'g',
)

/** Makes paths in a text relative to the project; others begin at `node_modules/` or at the home directory, `~`. */
export function createPathShortener({ roots, homes }: OwnFolders): (text: string) => string {
  const folders = [
    ...roots.map((folder) => ({ name: '', ...matchFolder(folder) })),
    ...homes.map((folder) => ({ name: '~', ...matchFolder(folder) })),
  ]
  return (text) => {
    let shortened = text
    for (const { name, last, pattern } of folders) {
      // The search for a pattern that begins with a look behind is slow.
      if (!shortened.includes(last) && !shortened.includes(encodeURI(last))) continue
      const put = (_: string, slash?: string) => (slash === undefined ? name || '.' : name && `${name}/`)
      shortened = shortened.replace(pattern, put)
    }
    return shortened.includes('node_modules') ? shortened.replace(IN_PACKAGES, 'node_modules') : shortened
  }
}

const NEVER = /(?!)/

/** The root of a file system is no folder of somebody's. */
function matchFolder(folder: string): { last: string; pattern: RegExp } {
  const parts = folder
    .toWellFormed()
    .split(/[\\/]+/)
    .filter((part) => part !== '')
  const last = parts.at(-1) ?? ''
  if (/^(?:[A-Za-z]:)?$/.test(last)) return { last, pattern: NEVER }
  const path = parts.map((part) => `(?:${escapePattern(part)}|${escapePattern(encodeURI(part))})`).join(SLASH)
  const start = START + SCHEME + (parts[0]?.endsWith(':') ? '' : SLASH)
  const end = String.raw`(?:(${SLASH})|(?![\p{L}\p{N}_-]|\.[\p{L}\p{N}]))`
  return { last, pattern: new RegExp(start + path + end, 'gu') }
}

/** A pattern that matches exactly this text. */
function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
