import type { Node, ObjectExpression, ObjectProperty, Statement } from '@babel/types'
import type { ConfigFramework, Framework } from '../find-frameworks'
import {
  type ConfigObject,
  findConfigObjects,
  findObject,
  findValue,
  UnreadableConfig,
} from './config-objects'
import {
  appendItem,
  applyEdits,
  type ConfigSource,
  type Edit,
  findProperty,
  listNodes,
  nameOf,
  parseConfig,
  placeOf,
  textOf,
  unwrap,
} from './config-source'
import { readBase } from './config-base'
import { addToScripts } from './node-test-scripts'
import { type Addition, type AddOptions, extendReporters, listReporters } from './reporter-list'
import { styleOf, writeItem } from './reporter-style'

export interface ConfigFile {
  /** Absolute. */
  file: string
  text: string
}

export type Change =
  { status: 'changed'; text: string } | { status: 'present' } | { status: 'unreadable'; reason: string }

/** Adds the reporter to a config and leaves every other byte. A config that cannot be changed safely is not changed at all. */
export function addReporter(
  config: ConfigFile,
  framework: Framework,
  { procedureId, isOnGithub, hasDefaults = false }: AddOptions = {},
): Change {
  try {
    const source = parseConfig(config.text, config.file)
    if (framework.name === 'node:test') return changeScripts(source, framework.reporter)
    if (namesReporter(source, config.file, framework)) return { status: 'present' }
    const style = styleOf(framework, isOnGithub)
    const addition = { style, item: writeItem(framework, { ...source, procedureId }) }
    refuseAssignments(source, style.property)
    const edits = findObjects(source, config, framework).flatMap((each) =>
      editObject(each, { source, config, framework, addition, hasDefaults }),
    )
    const text = applyEdits(config.text, edits)
    // Read the written text as any other config.
    const isThere = namesReporter(parseConfig(text, config.file), config.file, framework)
    return isThere
      ? { status: 'changed', text }
      : { status: 'unreadable', reason: 'cannot be changed safely' }
  } catch (error) {
    if (error instanceof UnreadableConfig) return { status: 'unreadable', reason: error.message }
    if (error instanceof SyntaxError)
      return { status: 'unreadable', reason: `cannot be read: ${error.message}` }
    throw error
  }
}

function changeScripts(source: ConfigSource, reporter: string): Change {
  const edits = addToScripts(source, reporter)
  return edits.length === 0
    ? { status: 'present' }
    : { status: 'changed', text: applyEdits(source.text, edits) }
}

/** Where a config names the reporter, by name or by import. Frameworks ignore reporters in the configs of projects. */
export function locateReporter(
  config: ConfigFile,
  framework: Framework,
): 'listed' | 'in projects' | undefined {
  const source = parseConfig(config.text, config.file)
  if (namesReporter(source, config.file, framework)) return 'listed'
  const roots = listRoots(source, config.file).filter(({ type }) => type !== 'ImportDeclaration')
  const nodes = roots.flatMap((node) => listNodes(node))
  return nodes.some((node) => textOf(node) === framework.reporter) ? 'in projects' : undefined
}

/** Whether a root config names projects or workspaces of its own, whose configs then name no reporters. */
export function hasProjects({ file, text }: ConfigFile): boolean {
  return listRoots(parseConfig(text, file), file)
    .flatMap((node) => listNodes(node))
    .some(isProjectList)
}

function isProjectList(node: Node): boolean {
  return node.type === 'ObjectProperty' && ['projects', 'workspace'].includes(nameOf(node) ?? '')
}

function namesReporter(source: ConfigSource, file: string, { reporter }: Framework): boolean {
  const isOfReporter = (node: Node): boolean => textOf(node) === reporter
  const roots = listRoots(source, file)
  const imports = roots.filter((each) => each.type === 'ImportDeclaration')
  const others = roots.filter((each) => each.type !== 'ImportDeclaration')
  return (
    others.flatMap((node) => listNodes(node, isProjectList)).some(isOfReporter) ||
    imports.some(
      ({ source: from, specifiers }) =>
        isOfReporter(from) && specifiers.some(({ type }) => type === 'ImportDefaultSpecifier'),
    )
  )
}

/** The nodes that are config: of a package.json, only its `jest`. */
function listRoots({ statements, json }: ConfigSource, file: string): readonly Node[] {
  if (!json) return statements
  if (!file.endsWith('package.json') || json.type !== 'ObjectExpression') return [json]
  const jest = findProperty(json, 'jest')
  return jest ? [jest] : []
}

function refuseAssignments({ statements }: ConfigSource, property: string): void {
  const isSet = statements
    .flatMap((node) => listNodes(node))
    .some(
      (node) =>
        node.type === 'AssignmentExpression' &&
        node.left.type === 'MemberExpression' &&
        nameOf({ key: node.left.property, computed: node.left.computed }) === property,
    )
  if (isSet) throw new UnreadableConfig(`sets \`${property}\` by code that would have to be run`)
}

function findObjects(source: ConfigSource, { file }: ConfigFile, { name }: ConfigFramework): ConfigObject[] {
  const found = findConfigObjects(source)
  if (name !== 'Jest' || !file.endsWith('package.json')) return found
  return found.map(({ object }) => {
    const inner = findObject(object, 'jest', [])
    if (!inner) throw new UnreadableConfig('names its Jest config by `jest`')
    return { object: inner, bases: [] }
  })
}

interface Editing {
  source: ConfigSource
  config: ConfigFile
  framework: ConfigFramework
  addition: Addition
  hasDefaults: boolean
}

function editObject({ object, bases }: ConfigObject, editing: Editing): Edit[] {
  const { source, framework, addition } = editing
  if (framework.name !== 'Vitest') return editReporters(object, bases, editing)
  const test = findProperty(object, 'test')
  if (test) {
    const inner = findObject(object, 'test', source.statements)
    if (!inner) throw new UnreadableConfig('sets `test` by code that would have to be run')
    refuseLaterSpreads(object, test, editing)
    return editReporters(inner, [...bases, ...listSpreads(object)], editing)
  }
  if (!editing.hasDefaults) refuseUnknown([...bases, ...listSpreads(object)], editing)
  const code = `test: { ${addition.style.property}: ${listReporters(source, addition)} }`
  return [...appendItem(source, object, code), ...referToTypes(editing)]
}

/** Vite's own types know no `test`. */
function referToTypes({ source, config }: Editing): Edit[] {
  if (!/\.[cm]?ts$/.test(config.file) || /vitest\/config|types="vitest"/.test(source.text)) return []
  return [{ start: 0, end: 0, text: '/// <reference types="vitest/config" />\n' }]
}

function editReporters(object: ObjectExpression, bases: readonly Node[], editing: Editing): Edit[] {
  const { source, addition } = editing
  const { property: name } = addition.style
  const isMethod = object.properties.some((each) => each.type === 'ObjectMethod' && nameOf(each) === name)
  if (isMethod) throw new UnreadableConfig(`sets \`${name}\` by code that would have to be run`)
  const property = findProperty(object, name)
  if (property) {
    refuseLaterSpreads(object, property, editing)
    const edits = extendReporters(property.value, source, addition)
    return property.shorthand ? edits.map((edit) => ({ ...edit, text: `${name}: ${edit.text}` })) : edits
  }
  if (!editing.hasDefaults) refuseUnknown([...bases, ...listSpreads(object)], editing)
  const key = source.isJson ? `"${name}"` : name
  return appendItem(source, object, `${key}: ${listReporters(source, addition)}`)
}

function listSpreads({ properties }: ObjectExpression): Node[] {
  return properties.flatMap((each) => (each.type === 'SpreadElement' ? [each.argument] : []))
}

/** A later spread in an object would override the property. */
function refuseLaterSpreads(object: ObjectExpression, property: ObjectProperty, editing: Editing): void {
  const later = object.properties.slice(object.properties.indexOf(property) + 1)
  refuseUnknown(
    later.flatMap((each) => (each.type === 'SpreadElement' ? [each.argument] : [])),
    editing,
  )
}

/** Refuses other configs that may name reporters themselves: a list beside theirs would replace or double it. */
function refuseUnknown(bases: readonly Node[], { source, config, addition }: Editing): void {
  const { property } = addition.style
  const isSilent = (base: Node): boolean => knowsNothingOf(property, base, { source, file: config.file })
  const unknown = bases.find((base) => !isSilent(base))
  if (!unknown) return
  const { start, end } = placeOf(unknown)
  const [shown = ''] = source.text.slice(start, end).split('\n')
  throw new UnreadableConfig(`takes over \`${shown}\`, which may set \`${property}\` too`)
}

/** Whether a config says nothing of a property, as far as its own text and those of the project's files that it names tell. */
function knowsNothingOf(
  property: string,
  given: Node,
  { source, file }: { source: ConfigSource; file: string },
): boolean {
  const node = unwrap(given)
  switch (node.type) {
    case 'ObjectExpression':
      return (
        !listNodes(node).some((each) => each.type === 'ObjectProperty' && nameOf(each) === property) &&
        listSpreads(node).every((each) => knowsNothingOf(property, each, { source, file }))
      )
    case 'LogicalExpression':
      return knowsNothingOf(property, node.right, { source, file })
    case 'ConditionalExpression':
      return [node.consequent, node.alternate].every((each) =>
        knowsNothingOf(property, each, { source, file }),
      )
    case 'Identifier': {
      const value = findValue(node.name, source.statements as Statement[])
      if (value && unwrap(value).type === 'ObjectExpression')
        return knowsNothingOf(property, value, { source, file })
      const base = readBase(node.name, source.statements, file)
      return base !== undefined && !new RegExp(String.raw`\b${property}\b`).test(base)
    }
    default:
      return textOf(node) !== undefined || node.type === 'NullLiteral'
  }
}
