import { expect, it } from 'vitest'
import {
  compareLines,
  findDiff,
  firstLine,
  nameErrors,
  parseSnippet,
  parseStack,
  shortenMessage,
  type DiffLine,
} from './error-text'

const SIGNS = { expected: '-', actual: '+', same: ' ', place: '@' }
const write = (lines: DiffLine[]) => lines.map(({ kind, text }) => `${SIGNS[kind]}${text}`)
const error = { fingerprint: 'f', message: 'no' }

it('reads a framework’s difference, without the legend that the page has itself', () => {
  const diff = '- Expected  - 1\n+ Received  + 1\n\n  Object {\n-   "a": 1,\n+   "a": 2,\n  }'
  expect(write(findDiff({ ...error, diff }))).toEqual([' Object {', '-  "a": 1,', '+  "a": 2,', ' }'])
  expect(write(findDiff({ ...error, diff: '- 4\n+ 3' }))).toEqual(['-4', '+3'])
})

it('reads a difference out of the message that has it, and leaves the rest', () => {
  const legend = '- Expected  - 1\n+ Received  + 1\n\n'
  const message = `not equal\n\n${legend}  Object {\n-   "a": 1,\n+   "a": 2,\n  }\n\nCall log:\n  - waiting`
  expect(write(findDiff({ ...error, message }))).toEqual([' Object {', '-  "a": 1,', '+  "a": 2,', ' }'])
  expect(shortenMessage({ message })).toBe('not equal\n\nCall log:\n  - waiting')
  const list = 'bought:\n- Expected\n- apples\n+ Received'
  expect([findDiff({ ...error, message: list }), shortenMessage({ message: list })]).toEqual([[], list])
})

it('keeps a difference in which the words of the legend are what differs', () => {
  expect(write(findDiff({ ...error, diff: '  [\n- Expected\n+ Received\n  ]' }))).toEqual([
    ' [',
    '-Expected',
    '+Received',
    ' ]',
  ])
})

it('compares the two values when there is no difference', () => {
  expect(write(findDiff({ ...error, expected: 'a\nb\nc', actual: 'a\nc\nd' }))).toEqual([
    ' a',
    '-b',
    ' c',
    '+d',
  ])
  expect(findDiff({ ...error, expected: 'a', actual: 'a' })).toEqual([])
  expect(write(findDiff({ ...error, expected: 'a' }))).toEqual(['-a'])
  expect(write(findDiff({ ...error, actual: 'b' }))).toEqual(['+b'])
  expect(findDiff(error)).toEqual([])
})

it('does not repeat two short values that the message tells', () => {
  const values = { expected: '4', actual: '3' }
  expect(findDiff({ ...error, message: 'expected 3 to be 4', ...values })).toEqual([])
  expect(findDiff({ ...error, message: 'not as it should be', ...values })).toHaveLength(2)
  expect(findDiff({ ...error, message: 'Expected: not "x"', expected: 'not "x"' })).toEqual([])
})

it('loses no line of two texts, however they differ', () => {
  for (let seed = 1; seed < 200; seed += 1) {
    const left = Array.from({ length: seed % 9 }, (_, index) => 'abc'[(seed * (index + 1)) % 3] ?? '')
    const right = Array.from({ length: seed % 7 }, (_, index) => 'abc'[(seed + index * index) % 3] ?? '')
    const lines = compareLines(left, right)
    const without = (kind: DiffLine['kind']) =>
      lines.filter((line) => line.kind !== kind).map(({ text }) => text)
    expect([without('actual'), without('expected')]).toEqual([left, right])
  }
})

it('compares long values that differ in a few lines', () => {
  const many = Array.from({ length: 5_000 }, (_, index) => `line ${index}`)
  const lines = compareLines(many, [...many, 'more'])
  expect(lines).toHaveLength(5_001)
  expect(lines.at(-1)).toEqual({ kind: 'actual', text: 'more' })
})

it('shows values that differ in many lines one after the other', () => {
  const list = (word: string) => Array.from({ length: 1_000 }, (_, index) => `${word} ${index}`)
  const [first, ...others] = compareLines(['same', ...list('left')], ['same', ...list('right')])
  expect(first).toEqual({ kind: 'expected', text: 'same' })
  expect(others).toHaveLength(2_001)
})

it('reads a code frame with its failing line', () => {
  const snippet = '  9 | const a = 1\n> 10 | expect(a).toBe(2)\n     |           ^\n  11 |'
  expect(parseSnippet(snippet, undefined)).toEqual([
    { number: 9, text: 'const a = 1', isFailing: false },
    { number: 10, text: 'expect(a).toBe(2)', isFailing: true },
    { number: undefined, text: '          ^', isFailing: false },
    { number: 11, text: '', isFailing: false },
  ])
})

it('finds the failing line by its number where the frame does not mark it', () => {
  expect(parseSnippet('  9| a\n 10| b', 10).map(({ isFailing }) => isFailing)).toEqual([false, true])
})

it('shows code that is not a frame unchanged', () => {
  expect(parseSnippet('a | b\n  c', 1)).toEqual([
    { number: undefined, text: 'a | b', isFailing: false },
    { number: undefined, text: '  c', isFailing: false },
  ])
})

it('distinguishes frames of the project from others', () => {
  const message = 'broke: a(b:1:2)'
  const stack = [
    `Error: ${message}`,
    '    at add (src/cart/add.ts:31:11)',
    '    at async src/cart.test.ts:4:5',
    '    at run (node_modules/x/index.js:1:2)',
    '    at node:internal/process:3:4',
    '    at <anonymous>',
  ].join('\n')
  expect(
    parseStack({ stack, message }).map(({ text, location, isForeign }) => [text, location?.file, isForeign]),
  ).toEqual([
    ['at add (src/cart/add.ts:31:11)', 'src/cart/add.ts', false],
    ['at async src/cart.test.ts:4:5', 'src/cart.test.ts', false],
    ['at run (node_modules/x/index.js:1:2)', undefined, true],
    ['at node:internal/process:3:4', undefined, true],
    ['at <anonymous>', undefined, true],
  ])
})

it.each(['Caused by: Error: why', '[cause]: Error: why', '[errors]: Error: why', '[error 1] Error: why'])(
  'keeps the message of an inner error that a stack begins with: %s',
  (line) => {
    const stack = `${line}\n    at x (src/a.ts:1:1)`
    expect(parseStack({ stack, message: 'several' }).map(({ text }) => text)).toEqual([
      line,
      'at x (src/a.ts:1:1)',
    ])
  },
)

it('does not show a difference twice', () => {
  expect(shortenMessage({ message: 'not equal\n\n- 1\n+ 2\n\nat end', diff: '- 1\n+ 2' })).toBe(
    'not equal\n\nat end',
  )
  expect(shortenMessage({ message: ' not equal\n', diff: '' })).toBe('not equal')
  expect(firstLine('\n\n  broke \nmore')).toBe('broke')
})

it('marks what differs within lines that stand for each other', () => {
  const changesOf = (expected: string, actual: string) =>
    findDiff({ ...error, expected, actual }).map(({ text, changed }) =>
      changed ? text.slice(changed.start, changed.end) : undefined,
    )
  expect(changesOf('"price": 1999,', '"price": 19.99,')).toEqual(['1999', '19.99'])
  expect(changesOf('one apple\ntwo pears', 'one grape\ntwo plums')).toEqual([
    'apple',
    'pears',
    'grape',
    'plums',
  ])
  expect(changesOf('entirely', 'other words')).toEqual([undefined, undefined])
  expect(changesOf('say aa', 'say aaa')).toEqual(['aa', 'aaa'])
  expect(changesOf('same here\nx', 'same there')).toEqual([undefined, undefined, undefined])
})

it('counts errors without their causes and what they hold', () => {
  const messages = ['one', 'Caused by: two', 'three', '[error 1] four']
  const errors = messages.map((message) => ({ message }))
  expect(nameErrors(errors, 0)).toEqual(['Error 1 of 2', 'Cause', 'Error 2 of 2', 'Error within'])
  expect(nameErrors(errors.slice(0, 2), 0)).toEqual(['Error', 'Cause'])
  expect(nameErrors(errors.slice(0, 1), 3)).toEqual(['Error 1 of 4'])
})

it.each([
  ['a line of a stack', { stack: 'x'.repeat(32_000) }],
  ['each line of a stack', { stack: `${'(x'.repeat(1_000)}:1:1:x\n`.repeat(16) }],
  ['blanks in a difference', { diff: `- a\n+ ${' '.repeat(32_000)}b` }],
  ['a difference in a message', { message: `- Expected  - 1\n+ Received  + 1\n${'- \n'.repeat(2_000)}x` }],
])('is quick to read %s that is long', (_what, long) => {
  const startedAt = performance.now()
  parseStack({ ...error, ...long })
  findDiff({ ...error, ...long })
  shortenMessage({ ...error, ...long })
  expect(performance.now() - startedAt).toBeLessThan(1_000)
})
