import type { TestResult } from '@playwright/test/reporter'
import { describe, expect, it, test } from 'vitest'
import { mapError, mapErrors } from './map-error'

test('an error is its message, else what was thrown, else unknown', () => {
  expect(mapError({ message: 'm', value: 'v' }, '/project')).toEqual({ message: 'm' })
  expect(mapError({ value: 'v' }, '/project')).toEqual({ message: 'v' })
  expect(mapError({}, '/project')).toEqual({ message: 'Unknown error' })
})

test('a stack goes on where the message ends, its own empty lines kept', () => {
  expect(mapError({ message: 'm', stack: 'm\n\n    at a\n\n    at b' }, '/project')).toEqual({
    message: 'm',
    stack: '    at a\n\n    at b',
  })
  expect(mapError({ message: 'm', stack: 'other\n    at a', snippet: ' \n' }, '/project')).toEqual({
    message: 'm',
    stack: 'other\n    at a',
  })
})

test('a stack whose first line only begins like the message keeps its lines', () => {
  expect(mapError({ message: 'no answer', stack: 'no answer (3 tries)\n\n    at a' }, '/project')).toEqual({
    message: 'no answer',
    stack: ' (3 tries)\n\n    at a',
  })
})

test('a cause without a stack is its message alone', () => {
  expect(mapError({ message: 'm', cause: { message: 'why', cause: { value: '7' } } }, '/project')).toEqual({
    message: 'm',
    stack: 'Caused by: why\n\nCaused by: 7',
  })
})

describe('the place of an error', () => {
  const snippet = '> 3 | expect(volts).toBe(5)\n    |              ^'
  const stack = [
    'Error: no',
    '    at check (/elsewhere/check.js:4:9)',
    '    at open (/project/node_modules/lib/index.js:1:1)',
    '    at /project/tests/a.spec.js:3:14',
  ].join('\n')

  it('is the one that Playwright reports, with its snippet apart from the stack', () => {
    const location = { file: '/project/tests/a.spec.js', line: 3, column: 14 }
    const mapped = mapError(
      { message: 'Error: no', stack: 'Error: no\n    at x', location, snippet },
      '/project',
    )
    expect(mapped).toEqual({
      message: 'Error: no',
      stack: '    at x',
      location: { file: 'tests/a.spec.js', line: 3, column: 14 },
      snippet,
    })
  })

  it('is the frame of the project that led to a place outside of it', () => {
    const location = { file: '/elsewhere/check.js', line: 4, column: 9 }
    const mapped = mapError({ message: 'Error: no', stack, location, snippet }, '/project')
    expect(mapped.location).toEqual({ file: 'tests/a.spec.js', line: 3, column: 14 })
    expect(mapped).not.toHaveProperty('snippet')
  })

  it('is left out when nothing of the project led there, and the way there too', () => {
    const location = { file: '/elsewhere/check.js', line: 4, column: 9 }
    const away = { message: 'Error: no', location, snippet: `   at ../elsewhere/check.js:4\n\n${snippet}` }
    expect(mapError(away, '/project')).toEqual({ message: 'Error: no', snippet })
  })

  it.each([
    [{ line: 2, column: 0 }, { line: 2 }],
    [{ line: 0, column: 0 }, {}],
    [{ line: 1.5, column: 'x' }, {}],
  ])('has no number that counts nothing: %o', (told, kept) => {
    expect(
      mapError({ message: 'm', location: { file: '/project/a.js', ...told } }, '/project').location,
    ).toEqual({
      file: 'a.js',
      ...kept,
    })
  })
})

describe('the compared values', () => {
  const valuesOf = (matcherResult: object) => {
    const { expected, actual } = mapError({ message: 'm', matcherResult }, '/project')
    return [expected, actual]
  }

  it('are recorded if Playwright has them as data', () => {
    expect(valuesOf({ name: 'toBe', expected: 'b', actual: 3 })).toEqual(['"b"', '3'])
    expect(valuesOf({ name: 'toEqual', expected: { a: [1] }, actual: null })).toEqual([
      '{\n  a: [\n    1\n  ]\n}',
      'null',
    ])
    expect(valuesOf({ name: 'toBeUndefined', actual: 1 })).toEqual([undefined, '1'])
  })

  it('are not the files that a snapshot matcher compares', () => {
    expect(
      valuesOf({ name: 'toHaveScreenshot', expected: '/project/a.png', actual: '/project/b.png' }),
    ).toEqual([undefined, undefined])
  })
})

describe('the errors of an attempt', () => {
  const inner = { file: '/project/a.spec.js', line: 8, column: 5 }
  const outer = { file: '/project/a.spec.js', line: 7, column: 3 }
  const step = (location: object, over: object = {}) => ({
    title: 's',
    steps: [],
    duration: 5,
    location,
    ...over,
  })
  const placesOf = (error: object, ...steps: object[]) =>
    mapErrors({ errors: [error], steps } as unknown as TestResult, '/project').map(
      ({ location }) => location?.line,
    )

  it('that are a time limit’s have the place of the innermost step under way', () => {
    const hanging = step(outer, { duration: -1, steps: [step(inner, { duration: -1 })] })
    const foreign = step({ file: '/elsewhere/a.js', line: 1, column: 1 }, { duration: -1 })
    expect(placesOf({ message: 'Test timeout' }, step(outer), hanging, foreign)).toEqual([8])
    expect(placesOf({ message: 'Test timeout' }, step(outer))).toEqual([undefined])
  })

  it('that some step ended with have the place of the innermost such step', () => {
    const error = { message: 'timeout while setting up "slow"', stack: 'timeout while setting up "slow"' }
    const hook = { title: 'Before Hooks', duration: 9, error, steps: [step(inner, { error: { ...error } })] }
    expect(placesOf({ ...error }, hook, step(outer, { duration: -1 }))).toEqual([8])
  })

  it('that were thrown do not come from a step that only was under way', () => {
    const floating = step(inner, { duration: -1 })
    expect(placesOf({ value: '7' }, floating)).toEqual([undefined])
    expect(placesOf({ value: '7' }, step(outer, { error: { value: '7' } }), floating)).toEqual([7])
  })

  it('keep the place that they have', () => {
    expect(placesOf({ message: 'm', location: outer }, step(inner, { duration: -1 }))).toEqual([7])
  })

  it('are of any type', () => {
    const result = { errors: ['a text', null, 7], steps: [null, 7] } as unknown as TestResult
    expect(mapErrors(result, '/project').map(({ message }) => message)).toEqual([
      'a text',
      'Unknown error',
      'Unknown error',
    ])
  })
})
