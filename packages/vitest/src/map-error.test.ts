import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { TestCase } from './framework-types'
import { createErrorMapping, mapError as mapErrorIn } from './map-error'

const mapError = (error: unknown) => mapErrorIn(error, '/project')
const frameAt = (file: string, line = 1) => ({ method: '', file, line, column: 2 })

test('the frames of a stack that Vitest did not parse are kept without the message', () => {
  expect(
    mapError({ name: 'Error', message: 'two\n\nlines', stack: 'Error: two\n\nlines\n    at /p/a.js:1:1\n' }),
  ).toEqual({
    message: 'Error: two\n\nlines',
    stack: '    at /p/a.js:1:1',
  })
})

test('a stack of 100 000 empty lines is read at once', () => {
  const startMs = performance.now()
  expect(mapError({ name: 'Error', message: 'x', stack: `Error: x${'\n'.repeat(100_000)}end` })).toEqual({
    message: 'Error: x',
  })
  expect(performance.now() - startMs).toBeLessThan(1_000)
})

test('a thrown object that is not an error is described by its fields', () => {
  expect(mapError({ code: 4711, at: { pin: 3 }, stacks: [] })).toEqual({
    message: '{ code: 4711, at: { pin: 3 } }',
  })
  expect(mapError({ stacks: [] })).toEqual({ message: 'Error without a message' })
})

test.each([
  ['a text', 'a text'],
  [7, '7'],
  [null, 'null'],
  [undefined, 'undefined'],
])('a thrown value that is not an object, such as %j, is its own message', (thrown, message) => {
  expect(mapError(thrown)).toEqual({ message })
})

test('an error without a name is its message, one without a message its name', () => {
  expect(mapError({ message: 'only a message' })).toEqual({ message: 'only a message' })
  expect(mapError({ name: 'OnlyName', message: '' })).toEqual({ message: 'OnlyName' })
  expect(mapError({ name: 7, message: 7, other: 1 })).toEqual({ message: '{ other: 1 }' })
  expect(mapError({ message: '', name: '', stack: '', stacks: [], type: 'x', code: 1 })).toEqual({
    message: '{ code: 1 }',
  })
})

test('parsed frames name their calls, and other entries are left out', () => {
  const at = { file: '/p/a.js', line: 1, column: 2 }
  const stacks = [
    { ...at, method: 'measure' },
    { ...at, method: '' },
    { ...at, method: 7 },
    { file: 7 },
    null,
  ]
  expect(mapError({ message: 'm', stacks }).stack).toBe(
    '    at measure (/p/a.js:1:2)\n    at /p/a.js:1:2\n    at /p/a.js:1:2',
  )
})

test('a text that only mentions a frame has no stack, a stack of frames alone is kept', () => {
  expect(mapError({ message: 'm', stack: 'm    at once' })).toEqual({ message: 'm' })
  expect(mapError({ message: 'm', stack: '    at /p/a.js:1:1' })).toEqual({
    message: 'm',
    stack: '    at /p/a.js:1:1',
  })
})

test('inner errors and causes of any type are below their error', () => {
  expect(mapError({ message: 'm', errors: [{ message: 'one' }, 'two'], cause: null }).stack).toBe(
    '[error 1] one\n[error 2] two',
  )
  expect(mapError({ message: 'm', errors: [null], cause: 0 }).stack).toBe('[error 1] null\nCaused by: 0')
  expect(mapError({ message: 'm', cause: { message: 'Caused by: why' } }).stack).toBe('Caused by: why')
  expect(mapError({ message: 'm', cause: { message: 'it was Caused by:' } }).stack).toBe(
    'Caused by: it was Caused by:',
  )
})

test('a difference and the two values are parts of their error', () => {
  expect(mapError({ message: 'm', diff: '- 2\n+ 1', expected: '2', actual: '1' })).toEqual({
    message: 'm',
    diff: '- 2\n+ 1',
    expected: '2',
    actual: '1',
  })
  expect(mapError({ message: 'm', diff: '', expected: '', actual: undefined })).toEqual({
    message: 'm',
    expected: '',
  })
  expect(mapError({ message: 'm', diff: 7 })).toEqual({ message: 'm' })
})

test.each([
  ['2', 2],
  ['null', null],
  ['false', false],
  ['12n', 12n],
  ['{ deep: [ 1 ] }', { deep: [1] }],
])('a value that Vitest hands over as it is, is printed: %s', (text, value) => {
  expect(mapError({ message: 'm', expected: value, actual: value })).toMatchObject({
    expected: text,
    actual: text,
  })
})

test('the place is the innermost frame in the project’s own code', () => {
  const stacks = [
    frameAt('/project/node_modules/x/index.js'),
    frameAt('/project/src/a.ts', 7),
    frameAt('/project/a.test.ts'),
  ]
  expect(mapError({ message: 'm', stacks }).location).toEqual({ file: 'src/a.ts', line: 7, column: 2 })
  expect(mapError({ message: 'm', stacks: [frameAt('/lib/x.js')] })).not.toHaveProperty('location')
  const stack = 'Error: m\n    at file:///lib/x.js:1:1\n    at load (file:///project/a.test.ts:3:4)'
  expect(mapError({ message: 'm', stack }).location).toEqual({ file: 'a.test.ts', line: 3, column: 4 })
})

test('the code around the place is kept where its file can be read', () => {
  const error = { message: 'm', stacks: [frameAt(import.meta.filename)] }
  const [firstLine] = readFileSync(import.meta.filename, 'utf8').split('\n', 1)
  expect(mapErrorIn(error, import.meta.dirname).snippet?.split('\n', 1)).toEqual([`> 1 | ${firstLine}`])
})

test('an error whose own stack leads nowhere has the place of its cause', () => {
  const cause = { message: 'why', stack: 'Error: why\n    at /project/a.ts:1:1' }
  expect(mapError({ message: 'm', stacks: [], cause }).location).toMatchObject({ file: 'a.ts' })
  expect(mapError({ message: 'm', stacks: [frameAt('/project/b.ts')], cause }).location).toMatchObject({
    file: 'b.ts',
  })
})

test('the comparison of a cause belongs to an error without one, else it is text below it', () => {
  const cause = { message: 'why', diff: '- 2\n+ 1', expected: '2', actual: '1' }
  expect(mapError({ message: 'not in time', cause })).toEqual({
    message: 'not in time',
    stack: 'Caused by: why',
    diff: '- 2\n+ 1',
    expected: '2',
    actual: '1',
  })
  expect(mapError({ message: 'm', diff: '- 4\n+ 3', cause })).toEqual({
    message: 'm',
    stack: 'Caused by: why\n- 2\n+ 1',
    diff: '- 4\n+ 3',
  })
})

test('every message of a long chain of causes is kept, and a circle ends', () => {
  let chain: object = { message: 'cause 9' }
  for (let number = 8; number >= 0; number -= 1) chain = { message: `cause ${number}`, cause: chain }
  expect(mapError(chain).stack?.split('\n')).toEqual(
    Array.from({ length: 9 }, (_, index) => `Caused by: cause ${index + 1}`),
  )
  const circle: Record<string, unknown> = { message: 'round' }
  circle['cause'] = circle
  expect(mapError(circle)).toEqual({ message: 'round', stack: 'Caused by: round' })
})

test('the frames of many inner errors are cut, their messages are not', () => {
  const errors = Array.from({ length: 200 }, (_, index) => ({
    message: `${index}`,
    stacks: [frameAt('/p/a.js')],
  }))
  const lines = mapError({ message: 'm', errors }).stack?.split('\n') ?? []
  expect(lines.filter((line) => line.startsWith('[error '))).toHaveLength(200)
  expect(lines.filter((line) => line.startsWith('    at '))).toHaveLength(99)
})

test('a syntax error has the place that Vite reports, not that of Vite’s own code', () => {
  const loc = { file: '/project/src/a.ts', line: 3, column: 6 }
  const error = { message: 'm', stacks: [frameAt('/project/node_modules/vite/index.js')] }
  expect(mapError({ ...error, __vitest_rollup_error__: { loc } }).location).toEqual({
    file: 'src/a.ts',
    line: 3,
    column: 7,
  })
  expect(mapError({ ...error, __vitest_rollup_error__: { loc: undefined } })).not.toHaveProperty('location')
})

const inBrowser = (parseStacktrace: unknown) =>
  createErrorMapping({ project: { browser: { parseStacktrace } } } as unknown as TestCase, '/project')

test('a browser’s stacks, which name addresses, are read by Vitest', () => {
  const frame = '    at http://localhost:1/a.ts?import:4:1'
  const parse = (stack: string) => [frameAt('/project/a.ts', stack.startsWith('Error: m') ? 5 : 6)]
  const error = { message: 'm', stack: `Error: m\n${frame}`, cause: { message: 'why', stack: frame } }
  expect(inBrowser(parse)(error)).toEqual({
    message: 'm',
    stack: '    at /project/a.ts:5:2\nCaused by: why\n    at /project/a.ts:6:2',
    location: { file: 'a.ts', line: 5, column: 2 },
  })
})

test.each([
  ['nothing', () => []],
  [
    'an error',
    () => {
      throw new Error('no source map')
    },
  ],
  ['no function', undefined],
])('where Vitest has %s for a browser’s stack, its text is kept', (_, parse) => {
  const frame = '    at http://localhost:1/a.ts:4:1'
  expect(inBrowser(parse)({ message: 'm', stack: frame })).toEqual({ message: 'm', stack: frame })
})
