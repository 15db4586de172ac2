/** A word of a script as a shell takes it. */
export interface Word {
  text: string
  /** The text as written, with its quotes. */
  raw: string
  /** Index of its end in the script. */
  end: number
  /** A shell replaces parts of it (`$CONFIG`), so its text is not what the program gets. */
  isComputed: boolean
}

export interface ShellCommand {
  words: readonly Word[]
  /** The arguments of each `cd` before it, in its own subshell and those around it. */
  folders: readonly Word[]
}

const SUBSTITUTION = String.raw`\$\((?:[^()]|\([^()]*\))*\)|\$\{[^}]*\}|${'`[^`]*`'}`
const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'|\\./gs
/** Comments and continued lines, redirections, words, and separators of commands. */
const TOKENS = new RegExp(
  String.raw`(?<=^|\s)#[^\n]*|\\\r?\n|\d?>>?\s*(?:&\d|[^\s&|;]+)|<\s*\S+|` +
    String.raw`(?:${SUBSTITUTION}|[^\s"'&|;<>()\\]|${QUOTED.source})+|&&|\|\||[&|;()\n]`,
  'gs',
)

/** The simple commands of a script, without redirections and comments. */
export function splitCommands(script: string): ShellCommand[] {
  const commands: ShellCommand[] = []
  // One list for each `(` that is open.
  const folders: (readonly Word[])[] = [[]]
  let words: Word[] = []
  const endCommand = () => {
    const around = folders.at(-1) ?? []
    const [first, target] = words
    if (first) commands.push({ words, folders: around })
    if (first?.text === 'cd') folders.splice(-1, 1, [...around, target ?? { ...first, isComputed: true }])
    words = []
  }
  for (const { 0: raw, index } of script.matchAll(TOKENS)) {
    if (/^(?:\d?[<>]|#|\\\r?\n)/.test(raw)) continue
    if (!/^[&|;()\n]/.test(raw)) {
      words.push(toWord(raw, index + raw.length))
      continue
    }
    endCommand()
    if (raw === '(') folders.push(folders.at(-1) ?? [])
    if (raw === ')' && folders.length > 1) folders.pop()
  }
  endCommand()
  return commands
}

/** The script in a quoted word, and where it begins. Undefined if escapes would shift its characters. */
export function readInnerScript({ raw, end }: Word): { text: string; start: number } | undefined {
  const isQuoted = /^(?:"[^"\\]*"|'[^']*')$/.test(raw)
  if (!isQuoted && /["'\\]/.test(raw)) return undefined
  const start = end - raw.length
  return isQuoted ? { text: raw.slice(1, -1), start: start + 1 } : { text: raw, start }
}

function toWord(raw: string, end: number): Word {
  const text = raw.replaceAll(QUOTED, (quoted) => unquote(quoted))
  return { text, raw, end, isComputed: /[$`]/.test(raw.replaceAll(/'[^']*'|\\./gs, '')) }
}

function unquote(text: string): string {
  if (text.startsWith('\\')) return text.slice(1)
  const inner = text.slice(1, -1)
  return text.startsWith('"') ? inner.replaceAll(/\\(["\\$`])/g, '$1') : inner
}
