import { diffArrays } from 'diff'
import type { TestError } from '@runledger/protocol'

/** `-` was expected, `+` was received. */
export interface DiffLine {
  kind: 'expected' | 'actual' | 'same' | 'place'
  text: string
  /** The part that differs from the neighbouring line. */
  changed?: { start: number; end: number }
}

/** Texts that differ in more lines are shown one after the other: the comparison takes their number squared. */
const MAX_EDITS = 100

/** The lines of a framework's difference: `- 4`, `+ 3`, and equal ones. */
export function parseDiff(diff: string): DiffLine[] {
  return diff.split('\n').map((line): DiffLine => {
    if (line.startsWith('@@')) return { kind: 'place', text: line }
    if (line.startsWith('-')) return { kind: 'expected', text: line.slice(1).replace(/^ /, '') }
    if (line.startsWith('+')) return { kind: 'actual', text: line.slice(1).replace(/^ /, '') }
    return { kind: 'same', text: line.replace(/^ {1,2}/, '') }
  })
}

/** The framework's difference, or one of the two values. */
export function findDiff({ message, diff, expected, actual }: TestError): DiffLine[] {
  const told = readDiff({ message, diff })
  if (told !== undefined) return markChanges(dropLegend(parseDiff(told.replace(/^\n+/, '').trimEnd())))
  if (expected === actual || containsValues(message, expected, actual)) return []
  return markChanges(compareLines(expected?.split('\n') ?? [], actual?.split('\n') ?? []))
}

// As Jest and Playwright write it into a message: a legend, then the lines.
const DIFF_IN_MESSAGE = /^- (?:Expected|Snapshot) {2}- \d+\n\+ Received {2}\+ \d+\n(?:\n|[-+ @].*(?:\n|$))+/m

function readDiff({ message, diff = '' }: Pick<TestError, 'message' | 'diff'>): string | undefined {
  return diff.trim() === '' ? DIFF_IN_MESSAGE.exec(message)?.[0] : diff
}

// A message such as "expected 3 to be 4" needs no difference of one line each.
function containsValues(message: string, ...values: (string | undefined)[]): boolean {
  return values.every((value) => value === undefined || (!value.includes('\n') && message.includes(value)))
}

/** Marks changes within lines: equally many expected and received lines are compared in pairs. */
function markChanges(lines: DiffLine[]): DiffLine[] {
  const marked = [...lines]
  for (let start = 0; start < lines.length; start += 1) {
    const expected = countKind(lines, start, 'expected')
    if (expected === 0) continue
    if (countKind(lines, start + expected, 'actual') === expected) {
      for (let at = start; at < start + expected; at += 1) markPair(marked, at, at + expected)
    }
    start += expected - 1
  }
  return marked
}

function countKind(lines: DiffLine[], start: number, kind: DiffLine['kind']): number {
  let end = start
  while (lines[end]?.kind === kind) end += 1
  return end - start
}

function markPair(lines: DiffLine[], left: number, right: number): void {
  const [one, other] = [lines[left], lines[right]]
  if (!one || !other) return
  const most = Math.min(one.text.length, other.text.length)
  let start = 0
  while (start < most && one.text[start] === other.text[start]) start += 1
  let same = 0
  while (same < most - start && one.text.at(-1 - same) === other.text.at(-1 - same)) same += 1
  // Whole words are easier to read than single letters.
  while (isInWord(one.text[start - 1])) start -= 1
  while (same > 0 && isInWord(one.text.at(-same))) same -= 1
  // Lines with little in common differ as a whole.
  if (start + same < most / 3) return
  lines[left] = { ...one, changed: { start, end: one.text.length - same } }
  lines[right] = { ...other, changed: { start, end: other.text.length - same } }
}

function isInWord(character = ''): boolean {
  return /[\w.]/.test(character)
}

// Every difference has a legend beside it.
function dropLegend(lines: DiffLine[]): DiffLine[] {
  const start = lines.findIndex(
    ({ text }) => !/^(|(Expected|Received|Snapshot)( {2}[-+] \d+)?)$/.test(text.trimEnd()),
  )
  return start < 0 ? lines : lines.slice(start)
}

export function compareLines(expected: string[], actual: string[]): DiffLine[] {
  const toLines = (kind: DiffLine['kind'], texts: string[]) => texts.map((text): DiffLine => ({ kind, text }))
  const changes = diffArrays(expected, actual, { maxEditLength: MAX_EDITS })
  if (changes === undefined) return [...toLines('expected', expected), ...toLines('actual', actual)]
  return changes.flatMap(({ added, removed, value }) =>
    toLines(added ? 'actual' : removed ? 'expected' : 'same', value),
  )
}

export interface SnippetLine {
  number: number | undefined
  text: string
  isFailing: boolean
}

const SNIPPET_LINE = /^\s*(>)?\s*(\d+)?\s*\|(?: ?)(.*)$/

/** Reads a code frame; other text becomes lines without numbers. */
export function parseSnippet(snippet: string, failingLine: number | undefined): SnippetLine[] {
  const texts = snippet.replace(/^\n+/, '').trimEnd().split('\n')
  const isFrame = texts.some((text) => /^\s*>?\s*\d+\s*\|/.test(text))
  return texts.map((text): SnippetLine => {
    const parts = isFrame ? SNIPPET_LINE.exec(text) : null
    if (!parts) return { number: undefined, text, isFailing: false }
    const number = parts[2] === undefined ? undefined : Number(parts[2])
    const isFailing = parts[1] !== undefined || (number !== undefined && number === failingLine)
    return { number, text: parts[3] ?? '', isFailing }
  })
}

type Location = Required<NonNullable<TestError['location']>>

export interface StackLine {
  text: string
  /** The place, if it is inside the project. */
  location: Location | undefined
  /** Code of the runtime or a package. */
  isForeign: boolean
}

/** The place at a line's end. Several steps, because one expression would try each start of a long line. */
function parsePlace(text: string): Location | undefined {
  const end = /:(\d+):(\d+)\)?$/.exec(text)
  const file =
    end &&
    text
      .slice(0, end.index)
      .split(/[\s()]|:(?=\d)/)
      .at(-1)
  return file ? { file, line: Number(end[1]), column: Number(end[2]) } : undefined
}

// A frame, or the cause or inner error of an error without frames.
const BEGINS_STACK = /^\s*at |^(Caused by:|\[(cause|errors|error \d+)\]:?) /

/** The frames of a stack, without the message. */
export function parseStack({ stack, message }: Pick<TestError, 'stack' | 'message'>): StackLine[] {
  const frames = stack?.startsWith(message) ? stack.slice(message.length) : (stack ?? '')
  const lines = frames.split('\n').filter((line) => line.trim() !== '')
  const start = lines.findIndex((line) => BEGINS_STACK.test(line))
  return lines.slice(Math.max(start, 0)).map((line): StackLine => {
    const text = line.trim()
    const place = parsePlace(text)
    const isForeign = !place || /^(\/|\w+:)|(^|\/)node_modules\/|^</.test(place.file)
    const location = isForeign ? undefined : place
    return { text, location, isForeign }
  })
}

/** The message without the difference shown beside it. */
export function shortenMessage(error: Pick<TestError, 'message' | 'diff'>): string {
  const { message } = error
  const known = readDiff(error)?.trim()
  if (!known || !message.includes(known)) return message.trim()
  return message
    .replace(known, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** The first line that is not empty. */
export function firstLine(message: string): string {
  return (
    message
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  )
}

/** Names several errors: causes and inner errors belong to the one before them. */
export function nameErrors(errors: Pick<TestError, 'message'>[], moreErrors: number): string[] {
  const isInner = (message: string) => /^(Caused by: |\[error \d+\] )/.test(message)
  const count = errors.filter(({ message }) => !isInner(message)).length + moreErrors
  let number = 0
  return errors.map(({ message }) => {
    if (message.startsWith('Caused by: ')) return 'Cause'
    if (isInner(message)) return 'Error within'
    number += 1
    return count === 1 ? 'Error' : `Error ${number} of ${count}`
  })
}
