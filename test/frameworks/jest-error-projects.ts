const CONFIG = {
  'jest.config.js':
    "module.exports = { testLocationInResults: true, reporters: ['default', '@runledger/jest'] }\n",
}

/** One file for each group of ways to fail, for a comparison with Jest's own JSON report. */
export const FAILURES_PROJECT: Record<string, string> = {
  ...CONFIG,
  'matchers.test.js': `
    expect.extend({
      toBeSteady: (actual) => ({ pass: false, message: () => \`\${actual} V is not steady\`, expected: 'steady', actual }),
      toBeQuiet: (actual) => ({ pass: false, message: () => \`\${actual} dB is not quiet\` }),
    })
    test('toBe', () => { expect(1 + 1).toBe(3) })
    test('toBe of lines', () => { expect('red\\ngreen').toBe('red\\nblue') })
    test('toEqual', () => { expect({ a: 1, b: { c: [1, 2] } }).toEqual({ a: 1, b: { c: [1, 3] } }) })
    test('toMatchObject', () => { expect({ a: 1, b: 2 }).toMatchObject({ a: 2 }) })
    test('not', () => { expect(1).not.toBe(1) })
    test('toThrow', () => { expect(() => { throw new Error('inner') }).toThrow('other') })
    test('resolves', async () => { await expect(Promise.resolve('on')).resolves.toBe('off') })
    test('toMatchSnapshot', () => { expect({ a: 1 }).toMatchSnapshot() })
    test('two snapshots', () => { expect(1).toMatchSnapshot(); expect(2).toMatchSnapshot() })
    test('toMatchInlineSnapshot', () => { expect({ a: 1 }).toMatchInlineSnapshot('{"a": 2}') })
    test('a matcher with values', () => { expect(3.1).toBeSteady() })
    test('a matcher without values', () => { expect(70).toBeQuiet() })
    test('asymmetric', () => { expect({ a: 'x' }).toEqual({ a: expect.any(Number) }) })
    test('assertions', () => { expect.assertions(2); expect(1).toBe(1) })
    test('in a helper', () => { require('./helper').check(4) })
    test.each([1, 2])('each %i', (n) => { expect(n).toBe(0) })\n`,
  'helper.js': 'exports.check = (volts) => {\n  expect(volts).toBe(5)\n}\n',
  'thrown.test.js': `
    test('an error', () => { throw new Error('no reading') })
    test('a text', () => { throw 'a bare text' })
    test('an object', () => { throw { code: 4711 } })
    test('undefined', () => { throw undefined })
    test('a cause', () => { throw new Error('outer', { cause: new TypeError('middle', { cause: 'innermost' }) }) })
    test('several', () => { throw new AggregateError([new Error('first of them'), 'second of them'], 'several') })
    test('several without frames', () => Promise.any([Promise.reject(new Error('one of any'))]))
    test('a rejection', async () => { await Promise.reject(new Error('rejected')) })
    test('a time-out', () => new Promise(() => {}), 50)
    test('done with an error', (done) => { done(new Error('done with it')) })
    test('nobody awaits', async () => { Promise.reject(new Error('not awaited')); await new Promise((end) => setTimeout(end, 50)) })
    test('node:assert', () => { require('node:assert').strictEqual(1, 2) })
    test.failing('passes unexpectedly', () => {})\n`,
  'hooks.test.js': `
    describe('each', () => {
      beforeEach(() => { throw new Error('before each') })
      afterEach(() => { throw new Error('after each') })
      test('runs', () => {})
    })
    describe('all', () => {
      beforeAll(() => { throw new Error('before all') })
      test('runs', () => {})
      test.skip('does not run', () => {})
    })
    describe('late', () => {
      afterAll(() => { throw new Error('after all') })
      test('holds', () => {})
    })\n`,
  'retries.test.js': `
    jest.retryTimes(2, { logErrorsBeforeRetry: true })
    let tries = 0
    test('flaky', () => { tries += 1; expect(tries).toBe(3) })
    describe('with two errors', () => {
      afterEach(() => { throw new Error('after it') })
      test('always fails', () => { throw new Error('in it') })
    })\n`,
  'namesakes.test.js': `
    jest.retryTimes(1, { logErrorsBeforeRetry: true })
    test('same', () => { throw new Error('in the first') })
    test.concurrent('same', async () => { throw new Error('in the second') })
    test.concurrent('same', async () => {})\n`,
  'missing.test.js': "require('./nowhere')\n",
  'syntax.test.js': "test('x', () => {\n  const = 2\n})\n",
  'throws.test.js': "throw new Error('while loading')\n",
}

/** The snapshots that do not match; the link in the first line is that of the version. */
export function createSnapshots(version: string): Record<string, string> {
  const link = version.startsWith('29') ? 'https://goo.gl/fbAQLP' : 'https://jestjs.io/docs/snapshot-testing'
  const snapshots = {
    'toMatchSnapshot 1': '\n{\n  "a": 5,\n}\n',
    'two snapshots 1': '9',
    'two snapshots 2': '8',
  }
  const text = Object.entries(snapshots).map(([name, value]) => `exports[\`${name}\`] = \`${value}\`;\n`)
  return { '__snapshots__/matchers.test.js.snap': [`// Jest Snapshot v1, ${link}\n`, ...text].join('\n') }
}

/** In the same process, Jest hands over all fields of what was thrown, and objects of the tests. */
export const LIVE_PROJECT: Record<string, string> = {
  ...CONFIG,
  'live.test.js': `
    test('an asymmetric matcher', () => { expect({ a: 'x' }).toEqual({ a: expect.any(Number) }) })
    test('a map', () => { expect(new Map([['a', 1]])).toEqual(new Map([['a', 2]])) })
    test('a value within itself', () => { const a = { x: 1 }; a.self = a; expect(a).toEqual({ x: 2 }) })
    test('a getter that throws', () => {
      expect.extend({ toFit: (actual) => ({ pass: false, message: () => 'does not fit', actual, expected: 1 }) })
      expect(Object.defineProperty({}, 'size', { get() { throw new Error('ran') }, enumerable: true })).toFit()
    })
    test('a cause that is an object', () => { throw new Error('outer', { cause: { code: 'E_CABLE' } }) })\n`,
}
