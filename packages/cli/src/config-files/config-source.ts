import { parse, parseExpression } from '@babel/parser'
import type {
  ArrayExpression,
  Comment,
  Expression,
  Node,
  ObjectExpression,
  ObjectProperty,
  Statement,
} from '@babel/types'

/** A config file as it is written, with what its code says at which place. */
export interface ConfigSource {
  text: string
  isJson: boolean
  /** Statements of a module; of JSON there are none. */
  statements: readonly Statement[]
  /** The value of a JSON file. */
  json: Expression | undefined
  comments: readonly Comment[]
  quote: "'" | '"'
}

/** Replaces the text between two places. Edits of one file do not overlap. */
export interface Edit {
  start: number
  end: number
  text: string
}

/** @throws SyntaxError for a file that cannot be read as what its name says it is */
export function parseConfig(text: string, fileName: string): ConfigSource {
  const options = { createParenthesizedExpressions: true, attachComment: false } as const
  if (fileName.endsWith('.json')) {
    const json = parseExpression(text, options)
    return { text, isJson: true, statements: [], json, comments: [], quote: '"' }
  }
  const language = /\.[cm]?ts$/.test(fileName) ? 'typescript' : 'jsx'
  const { program, comments } = parse(text, { ...options, sourceType: 'unambiguous', plugins: [language] })
  const quote = findQuote(text, program.body)
  return { text, isJson: false, statements: program.body, json: undefined, comments: comments ?? [], quote }
}

/** The quotation mark that most texts of the file stand in. */
function findQuote(text: string, statements: readonly Statement[]): ConfigSource['quote'] {
  const marks = statements
    .flatMap((statement) => listNodes(statement))
    .filter(({ type }) => type === 'StringLiteral')
    .map(({ start }) => text[start ?? 0])
  return marks.filter((mark) => mark === '"').length > marks.length / 2 ? '"' : "'"
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((done, edit) => done.slice(0, edit.start) + edit.text + done.slice(edit.end), text)
}

/** A node and all that are in it, those that are left out aside. */
export function listNodes(node: Node, isLeftOut: (node: Node) => boolean = () => false): Node[] {
  if (isLeftOut(node)) return []
  const inner = Object.values(node).flatMap((value) =>
    Array.isArray(value) ? (value as unknown[]) : [value],
  )
  return [node, ...inner.filter(isNode).flatMap((each) => listNodes(each, isLeftOut))]
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'loc' in value
}

export function placeOf({ start, end }: Node): { start: number; end: number } {
  return { start: start ?? 0, end: end ?? 0 }
}

/** A value without parentheses and without what TypeScript alone reads (`as const`, `satisfies Config`). */
export function unwrap(node: Node): Node {
  switch (node.type) {
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'TSTypeAssertion':
      return unwrap(node.expression)
    default:
      return node
  }
}

/** The text that a node stands for, where it is written out. */
export function textOf(node: Node): string | undefined {
  if (node.type === 'StringLiteral') return node.value
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? ''
  return undefined
}

/** The property of an object, undefined where it is not written out as `name: value`. */
export function findProperty(object: ObjectExpression, name: string): ObjectProperty | undefined {
  return object.properties.find(
    (each): each is ObjectProperty => each.type === 'ObjectProperty' && nameOf(each) === name,
  )
}

/** The name of a property, undefined where it is computed. */
export function nameOf({ key, computed }: { key: Node; computed?: boolean }): string | undefined {
  if (key.type === 'Identifier') return computed ? undefined : key.name
  return textOf(key)
}

/** Writes an item behind the last one of a list or an object, on a line of its own where that one has the rest of its line. */
export function appendItem(
  source: ConfigSource,
  list: ArrayExpression | ObjectExpression,
  code: string,
): Edit[] {
  const { text } = source
  const items = list.type === 'ArrayExpression' ? list.elements : list.properties
  const last = items.findLast((item) => item !== null)
  const close = placeOf(list).end - 1
  if (!last) return [fillEmpty(source, list, code)]
  const { start, end } = placeOf(last)
  if (!text.slice(end, close).includes('\n')) return [{ start: end, end, text: `, ${code}` }]
  const comma = findComma(source, end, close)
  const lineEnd = findLineEnd(source, comma === undefined ? end : comma + 1)
  const line = `${lineBreakOf(text)}${indentAt(text, start)}${code}${comma === undefined ? '' : ','}`
  const added = { start: lineEnd, end: lineEnd, text: line }
  if (comma !== undefined) return [added]
  return lineEnd === end ? [{ ...added, text: `,${line}` }] : [{ start: end, end, text: ',' }, added]
}

/** The first item of a list or an object, before the comments that are in it. */
function fillEmpty({ text, isJson }: ConfigSource, list: Node, code: string): Edit {
  const { start, end } = placeOf(list)
  const inner = text.slice(start + 1, end - 1)
  const space = list.type === 'ObjectExpression' ? ' ' : ''
  if (inner.trim() === '') return { start: start + 1, end: end - 1, text: `${space}${code}${space}` }
  const [, indent] = /\n([ \t]+)\S/.exec(inner) ?? []
  const line = `${lineBreakOf(text)}${indent ?? `${indentAt(text, start)}  `}${code}${isJson ? '' : ','}`
  return { start: start + 1, end: start + 1, text: inner.includes('\n') ? line : `${space}${code}, ` }
}

function findComma({ text, comments }: ConfigSource, from: number, to: number): number | undefined {
  for (let at = from; at < to; at += 1) {
    const comment = comments.find(({ start }) => start === at)
    if (comment) at = (comment.end ?? at) - 1
    else if (text[at] === ',') return at
  }
  return undefined
}

/** The end of what stands on the same line: blanks, and comments that end there. */
function findLineEnd({ text, comments }: ConfigSource, from: number): number {
  let end = from
  for (let at = from; at < text.length && text[at] !== '\n'; at += 1) {
    const comment = comments.find(({ start }) => start === at)
    if (comment) {
      const commentEnd = comment.end ?? at
      if (text.slice(at, commentEnd).includes('\n')) return end
      end = commentEnd
      at = commentEnd - 1
    } else if (text[at]?.trim() !== '') return end
  }
  return end
}

function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

function indentAt(text: string, at: number): string {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, at))?.[0] ?? ''
}
