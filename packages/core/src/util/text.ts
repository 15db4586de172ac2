import { stripVTControlCharacters } from 'node:util'

/** Characters that reverse the text after them. */
const DIRECTION_MARKS = /[\u202A-\u202E\u2066-\u2069]/g

const UNNAMED = '(unnamed)'

/** Foreign text in one line that cannot colour the terminal or move its cursor. */
export function toPlainLine(text: string): string {
  return stripVTControlCharacters(text)
    .replace(DIRECTION_MARKS, '')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

/** A title for the record: no escape sequences, control characters or lone surrogates, white space folded, never empty. */
export function cleanName(title: string): string {
  const clean = stripVTControlCharacters(title)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return clean === '' ? UNNAMED : clean
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Without the query string (upload addresses are signed there), user and password. */
export function withoutQuery(url: string): string {
  try {
    const { origin, pathname } = new URL(url)
    return `${origin}${pathname}`
  } catch {
    return '(an address that cannot be read)'
  }
}

/** The stored and compared form: no user, no password, no slash at the end. */
export function normalizeServiceUrl(url: string): string {
  return withoutQuery(url).replace(/\/+$/, '')
}

/** Folders of the machine that records do not name, with and without links resolved. */
export interface OwnFolders {
  roots: readonly string[]
  homes: readonly string[]
}

// A path begins here, not within a longer one or a web address.
const START = String.raw`(?<![\w.~@%+\\/-])`
const SCHEME = String.raw`(?:file:\/\/\/?|https?:\/\/[^\s/]{1,100}\/@fs)?`
const SLASH = String.raw`[\\/]{1,2}`
const IN_PACKAGES = new RegExp(
  String.raw`(?<![\w.~@%+\\/:-])${SCHEME}(?:~|[A-Za-z]:)?[\\/](?:[^\s:()'"\`<>]{0,1000}[\\/])?node_modules(?=[\\/])`,
  'g',
)

/** Makes paths relative to the project; others begin at `node_modules/` or the home directory, `~`. */
export function createPathShortener({ roots, homes }: OwnFolders): (text: string) => string {
  const folders = [
    ...roots.map((folder) => ({ name: '', ...matchFolder(folder) })),
    ...homes.map((folder) => ({ name: '~', ...matchFolder(folder) })),
  ]
  return (text) => {
    let shortened = text
    for (const { name, last, pattern } of folders) {
      // Searching for a pattern that begins with a lookbehind is slow.
      if (!shortened.includes(last) && !shortened.includes(encodeURI(last))) continue
      const put = (_: string, slash?: string) => (slash === undefined ? name || '.' : name && `${name}/`)
      shortened = shortened.replace(pattern, put)
    }
    return shortened.includes('node_modules') ? shortened.replace(IN_PACKAGES, 'node_modules') : shortened
  }
}

const NEVER = /(?!)/

/** The root of a file system is not a user's folder. */
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

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
