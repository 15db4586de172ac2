import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { printValue } from './print-value'

it('prints an entry on each line, sorted, so that two values can be compared by line', () => {
  expect(printValue({ b: [1, 'two', null], a: { x: undefined, y: -0 } })).toBe(
    [
      '{',
      '  "a": {',
      '    "x": undefined,',
      '    "y": -0,',
      '  },',
      '  "b": [',
      '    1,',
      '    "two",',
      '    null,',
      '  ],',
      '}',
    ].join('\n'),
  )
})

class Meter {
  readonly volts = 3
}

it.each([
  ['a text\nof "two" lines', 'a text\nof "two" lines'],
  [['say "hi"\n'], '[\n  "say \\"hi\\"\\n",\n]'],
  [10n, '10n'],
  [Symbol('x'), 'Symbol(x)'],
  [() => 1, '[Function anonymous]'],
  [Meter, '[Function Meter]'],
  [{}, '{}'],
  [[], '[]'],
  [Object.create(null), '{}'],
  [new Meter(), 'Meter {\n  "volts": 3,\n}'],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
  [new Date(NaN), 'Invalid Date'],
  [/a+/g, '/a+/g'],
  [new TypeError('no'), '[TypeError: no]'],
  [
    new Map<unknown, unknown>([
      ['a', 1],
      [{}, 2],
    ]),
    'Map {\n  "a" => 1,\n  [Object] => 2,\n}',
  ],
  [new Set([1]), 'Set {\n  1,\n}'],
  [Uint8Array.of(7), 'Uint8Array {\n  7,\n}'],
  [runInNewContext('({ a: [new Map()] })'), '{\n  "a": [\n    Map {},\n  ],\n}'],
])('prints %o', (value, expected) => {
  expect(printValue(value)).toBe(expected)
})

it('runs no code of the value', () => {
  const fail = (): never => {
    throw new Error('ran')
  }
  const hostile = Object.defineProperty({ toJSON: fail, [Symbol.iterator]: fail }, 'a', {
    get: fail,
    enumerable: true,
  })
  expect(printValue(hostile)).toBe('{\n  "a": [Getter],\n  "toJSON": [Function fail],\n}')
  expect(printValue([new Proxy({}, { ownKeys: fail, getPrototypeOf: fail })])).toBe('[\n  [Proxy],\n]')
})

it('ends for a value within itself, and for one that is deep or huge', () => {
  const circular: unknown[] = []
  circular.push(circular)
  expect(printValue(circular)).toBe('[\n  [Circular],\n]')

  let deep: unknown = 1
  for (let depth = 0; depth < 100; depth += 1) deep = [deep]
  expect(printValue(deep)).toContain('[Array]')

  let wide: unknown = 'x'
  for (let depth = 0; depth < 9; depth += 1) wide = Array.from({ length: 100 }, () => wide)
  const startMs = performance.now()
  const printed = [wide, Array(4_000_000_000), { text: 'x'.repeat(10_000_000) }].map(printValue)
  expect(performance.now() - startMs).toBeLessThan(1_000)
  for (const text of printed) expect(text.length).toBeLessThan(21_000)
})
