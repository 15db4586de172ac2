import jsTokens, { type JSXToken, type Token } from 'js-tokens'

/** A part of a line of code that has one look. */
export interface CodePart {
  text: string
  className: string
}

// Of a longer text no part is a frame of code.
const MAX_LENGTH = 20_000

const LANGUAGE = /\.[cm]?[jt]s(x)?$/i

const KEYWORDS = new Set(
  'async await break case catch class const continue debugger default delete do else enum export extends finally for function if implements import in instanceof let new private protected public return static super switch this throw try typeof var void while with yield'.split(
    ' ',
  ),
)
// Words of the language only where a name or a value follows them.
const SOMETIMES = new Set(
  'abstract as asserts declare from get interface is keyof namespace of override readonly satisfies set type using'.split(
    ' ',
  ),
)
const CONSTANTS = new Set(['true', 'false', 'null', 'undefined', 'NaN', 'Infinity'])

/** Lines of JavaScript or TypeScript with colours; undefined where the file's name says that they are neither. */
export function highlightLines(lines: readonly string[], file: string | undefined): CodePart[][] | undefined {
  const language = LANGUAGE.exec(file ?? '')
  const text = lines.join('\n')
  if (!language || text.length > MAX_LENGTH) return undefined
  const colored: CodePart[][] = [[]]
  for (const { text: whole, className } of listParts(text, language[1] !== undefined)) {
    const [first = '', ...others] = whole.split('\n')
    addPart(colored, first, className)
    for (const other of others) {
      colored.push([])
      addPart(colored, other, className)
    }
  }
  return colored
}

function addPart(lines: CodePart[][], text: string, className: string): void {
  if (text === '') return
  const line = lines.at(-1)
  const before = line?.at(-1)
  if (before?.className === className) before.text += text
  else line?.push({ text, className })
}

type AnyToken = Token | JSXToken

function listParts(text: string, jsx: boolean): CodePart[] {
  const tokens: AnyToken[] = jsx ? [...jsTokens(text, { jsx })] : [...jsTokens(text)]
  return tokens.map((token, index) => ({
    text: token.value,
    className:
      token.type === 'IdentifierName'
        ? lookOfWord(token.value, findBeside(tokens, index, -1), findBeside(tokens, index, 1))
        : (LOOKS[token.type] ?? ''),
  }))
}

const LOOKS: Partial<Record<AnyToken['type'], string>> = {
  StringLiteral: 'text-code-string',
  NoSubstitutionTemplate: 'text-code-string',
  TemplateHead: 'text-code-string',
  TemplateMiddle: 'text-code-string',
  TemplateTail: 'text-code-string',
  RegularExpressionLiteral: 'text-code-string',
  JSXString: 'text-code-string',
  NumericLiteral: 'text-warn',
  JSXIdentifier: 'text-accent',
  MultiLineComment: 'text-soft',
  SingleLineComment: 'text-soft',
  HashbangComment: 'text-soft',
}

const BLANK = new Set<AnyToken['type']>([
  'WhiteSpace',
  'LineTerminatorSequence',
  'MultiLineComment',
  'SingleLineComment',
])

function findBeside(tokens: AnyToken[], index: number, by: 1 | -1): AnyToken | undefined {
  let at = index + by
  while (BLANK.has(tokens[at]?.type ?? 'Invalid')) at += by
  return tokens[at]
}

function lookOfWord(word: string, before: AnyToken | undefined, after: AnyToken | undefined): string {
  const isMember = before?.value === '.' || before?.value === '?.'
  if (!isMember && CONSTANTS.has(word)) return 'text-warn'
  const isKey = after?.value === ':' && word !== 'default'
  if (!isMember && !isKey && KEYWORDS.has(word)) return 'text-code-keyword'
  const isFollowed = after !== undefined && (after.type !== 'Punctuator' || /^[[{]$/.test(after.value))
  if (!isMember && isFollowed && SOMETIMES.has(word)) return 'text-code-keyword'
  return after?.value === '(' ? 'text-accent' : ''
}
