import type { Node, ObjectExpression } from '@babel/types'
import type { Framework } from '../find-frameworks'
import type { ConfigFile } from '../config-files/add-reporter'
import { listNodes, nameOf, parseConfig, textOf, unwrap } from '../config-files/config-source'
import type { ConfiguredOptions } from '../service-settings'
import type { CommandContext } from '../command-context'

/** Values of variables count as they are now. */
export function readReporterOptions(
  { file, text }: ConfigFile,
  { reporter }: Framework,
  env: CommandContext['env'],
): ConfiguredOptions {
  const { statements, json } = parseConfig(text, file)
  const item = [...statements, ...(json ? [json] : [])]
    .flatMap((node) => listNodes(node))
    .find(
      (node) => node.type === 'ArrayExpression' && node.elements[0] && textOf(node.elements[0]) === reporter,
    )
  const given = item?.type === 'ArrayExpression' ? item.elements[1] : undefined
  const object = given ? unwrap(given) : undefined
  if (object === undefined) return { options: {}, computed: [] }
  return object.type === 'ObjectExpression' ? readObject(object, env) : { options: {}, computed: ['options'] }
}

function readObject({ properties }: ObjectExpression, env: CommandContext['env']): ConfiguredOptions {
  const options: Record<string, unknown> = {}
  const computed: string[] = []
  for (const each of properties) {
    const name = each.type === 'SpreadElement' ? undefined : nameOf(each)
    const value = each.type === 'ObjectProperty' ? evaluate(each.value, env) : undefined
    if (name === undefined || value === undefined) computed.push(name ?? 'others')
    else options[name] = value.value
  }
  return { options, computed }
}

/** The value of literals and environment variables; undefined for what has to be run. */
function evaluate(given: Node, env: CommandContext['env']): { value: unknown } | undefined {
  const node = unwrap(given)
  const text = textOf(node)
  if (text !== undefined) return { value: text }
  switch (node.type) {
    case 'NumericLiteral':
    case 'BooleanLiteral':
      return { value: node.value }
    case 'NullLiteral':
      return { value: null }
    case 'UnaryExpression': {
      const inner = evaluate(node.argument, env)
      return node.operator === '!' && inner ? { value: !inner.value } : undefined
    }
    case 'ArrayExpression': {
      const items = node.elements.map((each) => (each ? evaluate(each, env) : undefined))
      return items.includes(undefined) ? undefined : { value: items.map((each) => each?.value) }
    }
    case 'ObjectExpression': {
      const { options, computed } = readObject(node, env)
      return computed.length > 0 ? undefined : { value: options }
    }
    case 'MemberExpression':
      return evaluateVariable(node, env)
    default:
      return undefined
  }
}

/** `process.env.NAME` and `process.env['NAME']`. */
function evaluateVariable(
  node: Node & { type: 'MemberExpression' },
  env: CommandContext['env'],
): { value: unknown } | undefined {
  const { object, property, computed } = node
  const isEnvironment =
    object.type === 'MemberExpression' &&
    object.object.type === 'Identifier' &&
    object.object.name === 'process' &&
    nameOf({ key: object.property, computed: object.computed }) === 'env'
  const name = nameOf({ key: property, computed })
  return isEnvironment && name !== undefined ? { value: env[name] } : undefined
}
