import type { ErrorIssue } from '@runledger/protocol'
import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** Most issues that a response tells. */
export const MAX_ISSUES = 50
const MAX_SHOWN = 60

/** One entry for each thing that is wrong: where, what it must be, and what was received instead. */
export function mapIssues(issues: readonly Issue[], input: unknown): ErrorIssue[] {
  return issues
    .flatMap(flattenUnion)
    .slice(0, MAX_ISSUES)
    .map((issue) => mapIssue(issue, input))
}

// Of a union's branches, the one that got furthest names what is wrong best.
function flattenUnion(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const branches = issue.errors.map((issues) =>
    issues.flatMap((inner) => flattenUnion(prefixPath(inner, issue.path))),
  )
  const depth = (issues: Issue[]) =>
    Math.max(0, ...issues.map(({ path, code }) => path.length + (code === 'invalid_type' ? 0 : 0.5)))
  const [best] = branches.sort((left, right) => depth(right) - depth(left))
  return best?.length ? best : [issue]
}

function prefixPath(issue: Issue, path: readonly PropertyKey[]): Issue {
  return { ...issue, path: [...path, ...issue.path] }
}

function mapIssue(issue: Issue, input: unknown): ErrorIssue {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
  const received = valueAt(input, path)
  if (received === undefined || received === null)
    return { path, message: `is required: send ${describeExpected(issue)}` }
  return { path, message: `${describeProblem(issue)}; received ${showValue(received)}` }
}

function describeProblem(issue: Issue): string {
  if (issue.code === 'custom') return issue.message
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}${unitOf(issue.origin)}`
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}${unitOf(issue.origin)}`
  if (issue.code === 'invalid_format') return issue.message
  return `must be ${describeExpected(issue)}`
}

function describeExpected(issue: Issue): string {
  if (issue.code === 'invalid_type')
    return EXPECTED_WORDS[issue.expected] ?? `a value of type ${issue.expected}`
  if (issue.code === 'invalid_value')
    return `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`
  return 'a valid value'
}

const EXPECTED_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters long'
  return origin === 'array' ? ' entries long' : ''
}

function valueAt(input: unknown, path: readonly (string | number)[]): unknown {
  let value = input
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string | number, unknown>)[part]
  }
  return value
}

function showValue(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : formatShallow(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

// A client's value may be nested deeper than JSON can be written.
function formatShallow(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch (error) {
    if (error instanceof RangeError) return 'a value nested too deeply to show'
    throw error
  }
}
