import { stripVTControlCharacters } from 'node:util'

const ESCAPE = /[\u001B\u009B]/

/** Characters that reverse the direction of the text after them, to the end of the line. */
const DIRECTION_MARKS = /[\u202A-\u202E\u2066-\u2069]/g

const UNNAMED = '(unnamed)'

/**
 * A text without escape sequences. Each line is stripped by itself: a sequence without an end takes nothing of the next
 * line, as it does on Node 24.
 */
export function stripEscapes(text: string): string {
  if (!ESCAPE.test(text)) return text
  return text
    .split('\n')
    .map((line) => stripVTControlCharacters(line))
    .join('\n')
}

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
    ...roots.map((folder) => ({ folder, name: '' })),
    ...homes.map((folder) => ({ folder, name: '~' })),
  ].flatMap(({ folder, name }) => {
    const parts = folder
      .toWellFormed()
      .split(/[\\/]+/)
      .filter((part) => part !== '')
    // The root of a file system is no folder of somebody's.
    if (parts.length === 0 || /^[A-Za-z]:$/.test(parts.at(-1) as string)) return []
    return [{ name, pattern: matchFolder(parts), last: parts.at(-1) as string }]
  })
  return (text) => {
    let shortened = text
    for (const { name, pattern, last } of folders) {
      if (!shortened.includes(last) && !shortened.includes(encodeURI(last))) continue
      shortened = shortened.replace(pattern, (_, slash?: string) =>
        slash === undefined ? name || '.' : name && `${name}/`,
      )
    }
    return shortened.includes('node_modules') ? shortened.replace(IN_PACKAGES, 'node_modules') : shortened
  }
}

function matchFolder(parts: readonly string[]): RegExp {
  const path = parts.map((part) => `(?:${escapePattern(part)}|${escapePattern(encodeURI(part))})`).join(SLASH)
  const isWindows = parts[0]?.endsWith(':')
  const end = String.raw`(?:(${SLASH})|(?![\p{L}\p{N}_-]|\.[\p{L}\p{N}]))`
  return new RegExp(START + SCHEME + (isWindows ? '' : SLASH) + path + end, 'gu')
}

/** A pattern that matches exactly this text. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
