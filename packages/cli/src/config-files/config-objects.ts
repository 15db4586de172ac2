import type { CallExpression, Expression, Node, ObjectExpression, Statement } from '@babel/types'
import { type ConfigSource, findProperty, listNodes, nameOf, unwrap } from './config-source'

/** An object that the config is made of, and what else goes into the config beside it. */
export interface ConfigObject {
  object: ObjectExpression
  /** Other configs that it is merged into. */
  bases: readonly Node[]
}

/** Why a config is not changed, as the end of a sentence that begins with its name. */
export class UnreadableConfig extends Error {
  override name = 'UnreadableConfig'
}

/** Functions of the frameworks and of Next.js that return the config they are given. */
const CONFIG_FUNCTIONS = ['defineConfig', 'mergeConfig', 'createJestConfig']

/**
 * The objects that a module exports as its config: several where a function returns one or another.
 * @throws UnreadableConfig when that cannot be told without running it
 */
export function findConfigObjects(source: ConfigSource): ConfigObject[] {
  const exported = source.json ?? findExported(source.statements)
  if (!exported) throw new UnreadableConfig('has no export that can be found without running it')
  const found = resolveObjects(exported, source.statements)
  if (found === undefined) throw new UnreadableConfig('makes its config by code that would have to be run')
  return found
}

function findExported(statements: readonly Statement[]): Node | undefined {
  return statements.map(readExport).findLast((node) => node !== undefined)
}

function readExport(statement: Statement): Node | undefined {
  if (statement.type === 'ExportDefaultDeclaration') return statement.declaration
  if (statement.type === 'TSExportAssignment') return statement.expression
  if (statement.type !== 'ExpressionStatement') return undefined
  const expression = unwrap(statement.expression)
  if (expression.type !== 'AssignmentExpression' || expression.operator !== '=') return undefined
  const { left, right } = expression
  const isModuleExports =
    left.type === 'MemberExpression' &&
    left.object.type === 'Identifier' &&
    left.object.name === 'module' &&
    nameOf({ key: left.property, computed: left.computed }) === 'exports'
  return isModuleExports ? right : undefined
}

/** `scope` are the statements among which a name is looked for. Undefined when an object cannot be told. */
function resolveObjects(given: Node, scope: readonly Statement[]): ConfigObject[] | undefined {
  const node = unwrap(given)
  switch (node.type) {
    case 'ObjectExpression':
      return [{ object: node, bases: [] }]
    case 'AwaitExpression':
      return resolveObjects(node.argument, scope)
    case 'Identifier': {
      const value = findValue(node.name, scope)
      return value && resolveObjects(value, scope)
    }
    case 'ConditionalExpression':
      return joinObjects([node.consequent, node.alternate], scope)
    case 'CallExpression':
      return resolveCall(node, scope)
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
    case 'FunctionDeclaration':
      if (node.body.type !== 'BlockStatement') return resolveObjects(node.body, scope)
      return joinObjects(findReturned(node.body.body), [...node.body.body, ...scope])
    default:
      return undefined
  }
}

function joinObjects(nodes: readonly Node[], scope: readonly Statement[]): ConfigObject[] | undefined {
  const found = nodes.map((node) => resolveObjects(node, scope))
  return found.length > 0 && found.every((each) => each !== undefined) ? found.flat() : undefined
}

function resolveCall(
  { callee, arguments: given }: CallExpression,
  scope: readonly Statement[],
): ConfigObject[] | undefined {
  const last = given.at(-1)
  if (callee.type !== 'Identifier' || !CONFIG_FUNCTIONS.includes(callee.name) || !last) return undefined
  const others = given.slice(0, -1)
  return resolveObjects(last, scope)?.map(({ object, bases }) => ({ object, bases: [...others, ...bases] }))
}

/** What the statements return, functions in them aside. */
function findReturned(statements: readonly Statement[]): Node[] {
  return statements.flatMap((statement) => {
    if (statement.type === 'ReturnStatement') return statement.argument ? [statement.argument] : []
    return /Function/.test(statement.type) ? [] : findReturned(listInner(statement))
  })
}

function listInner(statement: Statement): Statement[] {
  switch (statement.type) {
    case 'BlockStatement':
      return statement.body
    case 'IfStatement':
      return [statement.consequent, ...(statement.alternate ? [statement.alternate] : [])]
    case 'TryStatement':
      return [statement.block, ...(statement.handler ? [statement.handler.body] : [])]
    case 'SwitchStatement':
      return statement.cases.flatMap(({ consequent }) => consequent)
    default:
      return []
  }
}

/** What a name stands for: declared once at the top, and never set anew. */
export function findValue(name: string, scope: readonly Statement[]): Expression | undefined {
  const declared = scope
    .map((each) => (each.type === 'ExportNamedDeclaration' ? each.declaration : each))
    .flatMap((each) => (each?.type === 'VariableDeclaration' ? each.declarations : []))
    .filter(({ id }) => id.type === 'Identifier' && id.name === name)
  const isSetAnew = scope
    .flatMap((node) => listNodes(node))
    .some((node) => node.type === 'AssignmentExpression' && isName(node.left, name))
  return declared.length === 1 && !isSetAnew ? (declared[0]?.init ?? undefined) : undefined
}

function isName(node: Node, name: string): boolean {
  return node.type === 'Identifier' && node.name === name
}

/** What the property of an object is, if it is an object that is written out. */
export function findObject(
  object: ObjectExpression,
  name: string,
  scope: readonly Statement[],
): ObjectExpression | undefined {
  const property = findProperty(object, name)
  const found = property && resolveObjects(property.value, scope)
  return found?.length === 1 ? found[0]?.object : undefined
}
