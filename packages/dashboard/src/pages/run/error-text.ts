import type { TestError } from '@runledger/protocol'

/** How a line of a difference, or of a message that has one, reads: `-` was expected, `+` is what came. */
export interface DiffLine {
  kind: 'expected' | 'actual' | 'same' | 'place'
  text: string
}

const MAX_COMPARED_LINES = 400

/** The lines of a difference as a framework writes it: `- 4`, `+ 3`, and what is the same. */
export function parseDiff(diff: string): DiffLine[] {
  return diff.split('\n').map((line): DiffLine => {
    if (line.startsWith('@@')) return { kind: 'place', text: line }
    if (line.startsWith('-')) return { kind: 'expected', text: line.slice(1).replace(/^ /, '') }
    if (line.startsWith('+')) return { kind: 'actual', text: line.slice(1).replace(/^ /, '') }
    return { kind: 'same', text: line.replace(/^ {1,2}/, '') }
  })
}

/** The difference of an error: the framework's own, or, without one, that of the two values; none without either. */
export function findDiff({ diff, expected, actual }: TestError): DiffLine[] {
  if (diff !== undefined && diff.trim() !== '') return dropLegend(parseDiff(diff.replace(/^\n+|\s+$/g, '')))
  if (expected === undefined || actual === undefined || expected === actual) return []
  return compareLines(expected.split('\n'), actual.split('\n'))
}

// What stands for which is told beside every difference.
function dropLegend(lines: DiffLine[]): DiffLine[] {
  const start = lines.findIndex(
    ({ text }) => !/^(|(Expected|Received|Snapshot)( {2}[-+] \d+)?)$/.test(text.trimEnd()),
  )
  return start < 0 ? lines : lines.slice(start)
}

/** The difference of two texts, by their longest common sequence of lines. */
export function compareLines(expected: string[], actual: string[]): DiffLine[] {
  const toLines = (kind: DiffLine['kind'], texts: string[]) => texts.map((text): DiffLine => ({ kind, text }))
  if (Math.max(expected.length, actual.length) > MAX_COMPARED_LINES)
    return [...toLines('expected', expected), ...toLines('actual', actual)]
  const common = measureCommon(expected, actual)
  const lines: DiffLine[] = []
  let [left, right] = [0, 0]
  while (left < expected.length || right < actual.length) {
    if (left < expected.length && expected[left] === actual[right]) {
      lines.push({ kind: 'same', text: expected[left] ?? '' })
      left += 1
      right += 1
    } else if (
      right >= actual.length ||
      (left < expected.length && at(common, left + 1, right) >= at(common, left, right + 1))
    ) {
      lines.push({ kind: 'expected', text: expected[left] ?? '' })
      left += 1
    } else {
      lines.push({ kind: 'actual', text: actual[right] ?? '' })
      right += 1
    }
  }
  return lines
}

function measureCommon(expected: string[], actual: string[]): number[][] {
  const common = Array.from({ length: expected.length + 1 }, () =>
    Array.from({ length: actual.length + 1 }, () => 0),
  )
  for (let left = expected.length - 1; left >= 0; left -= 1) {
    for (let right = actual.length - 1; right >= 0; right -= 1) {
      const row = common[left]
      if (!row) continue
      row[right] =
        expected[left] === actual[right]
          ? at(common, left + 1, right + 1) + 1
          : Math.max(at(common, left + 1, right), at(common, left, right + 1))
    }
  }
  return common
}

function at(table: number[][], row: number, column: number): number {
  return table[row]?.[column] ?? 0
}

/** A line of the code around a failing one. */
export interface SnippetLine {
  number: number | undefined
  text: string
  isFailing: boolean
}

const SNIPPET_LINE = /^\s*(>)?\s*(\d+)?\s*\|(?: ?)(.*)$/

/** Reads a code frame; a text that is none is lines without numbers. */
export function parseSnippet(snippet: string, failingLine: number | undefined): SnippetLine[] {
  const texts = snippet.replace(/^\n+|\s+$/g, '').split('\n')
  const isFrame = texts.some((text) => /^\s*>?\s*\d+\s*\|/.test(text))
  return texts.map((text): SnippetLine => {
    const parts = isFrame ? SNIPPET_LINE.exec(text) : null
    if (!parts) return { number: undefined, text, isFailing: false }
    const number = parts[2] === undefined ? undefined : Number(parts[2])
    const isFailing = parts[1] !== undefined || (number !== undefined && number === failingLine)
    return { number, text: parts[3] ?? '', isFailing }
  })
}

/** A line of a stack. */
export interface StackLine {
  text: string
  /** The place that it names, when that is inside the project. */
  location: { file: string; line: number; column: number } | undefined
  /** Whether it is code of the runtime or a package. */
  isForeign: boolean
}

const PLACE = /\(?((?:[^\s():]|:(?!\d))+):(\d+):(\d+)\)?$/

/** The frames of a stack, without the message that it begins with. */
export function parseStack({ stack, message }: Pick<TestError, 'stack' | 'message'>): StackLine[] {
  const frames = stack?.startsWith(message) ? stack.slice(message.length) : (stack ?? '')
  const lines = frames.split('\n').filter((line) => line.trim() !== '')
  const start = lines.findIndex((line) => /^\s*at /.test(line))
  return lines.slice(Math.max(start, 0)).map((line): StackLine => {
    const text = line.trim()
    const [, file = '', lineNumber, column] = PLACE.exec(text) ?? []
    const isForeign = file === '' || /^(\/|\w+:)|(^|\/)node_modules\/|^</.test(file)
    const location = isForeign ? undefined : { file, line: Number(lineNumber), column: Number(column) }
    return { text, location, isForeign }
  })
}

/** A message without the difference that is shown beside it. */
export function shortenMessage({ message, diff }: Pick<TestError, 'message' | 'diff'>): string {
  const known = diff?.trim()
  if (!known || !message.includes(known)) return message.trim()
  return message
    .replace(known, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** The first line of a message that says something. */
export function firstLine(message: string): string {
  return (
    message
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  )
}
