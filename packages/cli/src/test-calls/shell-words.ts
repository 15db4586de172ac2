/** A word of a script as a shell takes it. */
export interface Word {
  text: string
  /** The place behind it in the script. */
  end: number
  /** A shell replaces parts of it (`$CONFIG`), so its text is not what the program gets. */
  isComputed: boolean
}

/** Redirections, words, and what stands between two commands. */
const TOKENS =
  /\d?>>?\s*(?:&\d|[^\s&|;]+)|<\s*\S+|(?:[^\s"'&|;<>()\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+|&&|\|\||[&|;()]/gs
const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'|\\./gs

/** The simple commands of a script, each with its words. Redirections are left out. */
export function splitCommands(script: string): Word[][] {
  const commands: Word[][] = [[]]
  for (const { 0: raw, index } of script.matchAll(TOKENS)) {
    if (/^[&|;()]/.test(raw)) commands.push([])
    else if (!/^\d?[<>]/.test(raw)) commands.at(-1)?.push(toWord(raw, index + raw.length))
  }
  return commands.filter(({ length }) => length > 0)
}

function toWord(raw: string, end: number): Word {
  const text = raw.replaceAll(QUOTED, (quoted) => unquote(quoted))
  return { text, end, isComputed: /[$`]/.test(raw.replaceAll(/'[^']*'|\\./gs, '')) }
}

function unquote(text: string): string {
  if (text.startsWith('\\')) return text.slice(1)
  const inner = text.slice(1, -1)
  return text.startsWith('"') ? inner.replaceAll(/\\(["\\$`])/g, '$1') : inner
}
