import type { Shape } from './shape-file'

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** What keeps a value from having a shape, each with its path; empty when it has it. Further keys are allowed. */
export function matchShape(shape: Shape, value: unknown, at = '$'): string[] {
  if (shape.kind === 'union') {
    const problems = shape.members.map((member) => matchShape(member, value, at))
    if (problems.some((list) => list.length === 0)) return []
    const deepest = problems.filter((list) => list.some((problem) => !problem.startsWith(`${at} `)))
    return deepest[0] ?? [`${at} has none of the ${shape.members.length} types: ${show(value)}`]
  }
  if (shape.kind === 'object') return matchObject(shape, value, at)
  if (shape.kind === 'list') {
    if (!Array.isArray(value)) return [`${at} is no list: ${show(value)}`]
    return value.flatMap((item, index) => matchShape(shape.item, item, `${at}[${index}]`))
  }
  if (shape.kind === 'map') {
    if (!isObject(value)) return [`${at} is no object: ${show(value)}`]
    return Object.entries(value).flatMap(([key, item]) => matchShape(shape.value, item, `${at}.${key}`))
  }
  if (shape.kind === 'literal')
    return value === shape.value ? [] : [`${at} is not "${shape.value}": ${show(value)}`]
  return IS_KIND[shape.kind](value) ? [] : [`${at} is no ${shape.kind}: ${show(value)}`]
}

function matchObject(shape: Shape & { kind: 'object' }, value: unknown, at: string): string[] {
  if (!isObject(value)) return [`${at} is no object: ${show(value)}`]
  return shape.fields.flatMap(({ name, isOptional, shape: field }) => {
    if (value[name] !== undefined) return matchShape(field, value[name], `${at}.${name}`)
    return isOptional ? [] : [`${at} lacks "${name}"`]
  })
}

const IS_KIND = {
  string: (value: unknown) => typeof value === 'string',
  'date-time': (value: unknown) => typeof value === 'string' && DATE_TIME.test(value),
  integer: (value: unknown) => Number.isInteger(value),
  number: (value: unknown) => typeof value === 'number',
  boolean: (value: unknown) => typeof value === 'boolean',
  null: (value: unknown) => value === null,
  any: () => true,
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 80)
}
