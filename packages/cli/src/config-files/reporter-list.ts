import type { Node } from '@babel/types'
import { findValue, UnreadableConfig } from './config-objects'
import { appendItem, type ConfigSource, type Edit, placeOf, textOf, unwrap } from './config-source'

/** How a framework's config names reporters. */
export interface ReporterStyle {
  property: string
  /** A reporter by its code: `'dot'`. */
  item: (code: string) => string
  /** Those that the framework has when its config names none. */
  usual: string
  /** Code for one that it has on GitHub beside that. */
  onGithub?: string
  /** One reporter may stand there by itself, outside of a list. */
  takesText: boolean
}

export interface AddOptions {
  procedureId?: string | undefined
  /** The framework said that it uses its default reporters, so no base config names any. */
  hasDefaults?: boolean
  /** Its CI is GitHub's. */
  isOnGithub?: boolean
}

export interface Addition {
  style: ReporterStyle
  item: string
}

/** Adds a reporter to those that a config names. @throws UnreadableConfig when they cannot be told without running it */
export function extendReporters(given: Node, source: ConfigSource, addition: Addition): Edit[] {
  const { style, item } = addition
  const node = unwrap(given)
  const { start, end } = placeOf(node)
  const code = source.text.slice(start, end)
  if (node.type === 'ArrayExpression') return appendItem(source, node, item)
  const kind = findKind(node, source, style)
  if (node.type === 'ConditionalExpression' && kind !== 'text')
    return [node.consequent, node.alternate].flatMap((each) => extendReporters(each, source, addition))
  if (isUndefined(node)) return [{ start, end, text: listReporters(source, addition) }]
  switch (kind) {
    case 'list':
      return [{ start, end, text: `[...${code}, ${item}]` }]
    case 'text':
      return [{ start, end, text: `[${style.item(code)}, ${item}]` }]
    default:
      throw new UnreadableConfig(`sets \`${style.property}\` by code that would have to be run`)
  }
}

/** The whole list where a config names no reporters. */
export function listReporters({ quote }: Pick<ConfigSource, 'quote'>, { style, item }: Addition): string {
  const { onGithub } = style
  const onGithubToo = onGithub === undefined ? [] : [onGithub.replaceAll("'", quote)]
  return `[${[style.item(`${quote}${style.usual}${quote}`), ...onGithubToo, item].join(', ')}]`
}

function isUndefined(node: Node): boolean {
  return node.type === 'NullLiteral' || (node.type === 'Identifier' && node.name === 'undefined')
}

const LIST_METHODS = ['filter', 'concat', 'flat', 'map']

/** Whether a value is a list of reporters or the name of one; undefined when only running it would tell. */
function findKind(given: Node, source: ConfigSource, style: ReporterStyle): 'list' | 'text' | undefined {
  const node = unwrap(given)
  if (node.type === 'ArrayExpression') return 'list'
  if (textOf(node) !== undefined) return style.takesText ? 'text' : undefined
  if (node.type === 'Identifier') {
    const value = findValue(node.name, source.statements)
    return value && findKind(value, source, style)
  }
  if (node.type === 'ConditionalExpression') {
    const kinds = [node.consequent, node.alternate].map((each) => findKind(each, source, style))
    return kinds[0] === kinds[1] ? kinds[0] : undefined
  }
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined
  const { object, property } = node.callee
  const isList = property.type === 'Identifier' && LIST_METHODS.includes(property.name)
  return isList && findKind(object, source, style) === 'list' ? 'list' : undefined
}
