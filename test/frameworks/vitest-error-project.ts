/**
 * Reporter that writes what Vitest's reporter API tells of errors. Stacks end up as `places`, in the way that they are found
 * here: the first frame of Vitest's own list, else of the text, that is in the project.
 */
const TOLD = `import { writeFileSync } from 'node:fs'
import path from 'node:path'

const titlesOf = (entity) => [...(entity.parent.type === 'module' ? [] : titlesOf(entity.parent)), entity.name]

export default class Told {
  onInit(vitest) {
    this.root = vitest.config.root
  }

  onTestRunEnd(modules, unhandled) {
    const list = modules.map((each) => this.describe(each))
    const told = { modules: list, unhandled: unhandled.map((each) => this.describeError(each)) }
    writeFileSync('told.json', JSON.stringify(told))
  }

  describe(testModule) {
    const suites = [testModule, ...testModule.children.allSuites()]
    return {
      file: path.relative(this.root, testModule.moduleId),
      isTypecheck: testModule.meta().typecheck === true,
      errors: suites.flatMap((suite) => suite.errors().map((each) => this.describeError(each))),
      tests: [...testModule.children.allTests()].map((each) => this.describeTest(each)),
    }
  }

  describeTest(testCase) {
    const { state, note, errors = [] } = testCase.result()
    const attempts = testCase.attempts?.().map((each) => ({ ...each, errors: this.describeErrors(each.errors) }))
    return {
      name: titlesOf(testCase).join(' › '),
      state,
      note,
      location: testCase.location,
      tags: testCase.tags,
      retryCount: testCase.diagnostic()?.retryCount ?? 0,
      errors: this.describeErrors(errors),
      attempts,
    }
  }

  describeErrors(errors = []) {
    return errors.map((each) => this.describeError(each))
  }

  describeError({ name, message, stack, stacks, ...rest }) {
    const { expected, actual, diff, cause } = rest
    const chain = [...(rest.errors ?? []), ...(cause ? [cause] : [])].map((each) => this.describeError(each))
    return { name, message, expected, actual, diff, chain, place: this.findPlace(stacks, stack) }
  }

  findPlace(stacks, stack = '') {
    const isRead = stacks?.length > 0
    const frames = isRead
      ? stacks.map((each) => [each.file, each.line, each.column].join(':'))
      : stack.split('\\n').filter((line) => line.startsWith('    at '))
    const texts = frames.flatMap((frame) => frame.split(this.root + '/').slice(1))
    const [file, line, column] = texts.find((text) => !text.includes('node_modules'))?.split(/[:)]/) ?? []
    return file && { file, line: Number(line), column: Number(column) }
  }
}
`

const CONFIG = `export default { test: {
  reporters: ['default', '@runledger/vitest', './told.mjs', ['json', { outputFile: 'report.json' }]],
  includeTaskLocation: true,
  tags: [{ name: 'slow' }],
  typecheck: { enabled: true, include: ['types.test-d.ts'] },
} }
`

/** Only the type tests are checked: a syntax error elsewhere would be one of the execution. */
const TSCONFIG = `{ "files": ["types.test-d.ts"], "compilerOptions":
  { "strict": true, "module": "esnext", "moduleResolution": "bundler", "skipLibCheck": true, "noEmit": true } }
`

const FAILURES = `import { describe, expect, test } from 'vitest'
import { load } from './src/load'

expect.extend({
  toBeEven: (value: number) => ({ pass: false, message: () => value + ' is odd', expected: 'even', actual: value }),
})
let tries = 0

test('toBe', () => { expect(3).toBe(4) })
test('toEqual', () => { expect({ a: 1, b: [1, 2] }).toEqual({ a: 2, b: [1, 3] }) })
test('toMatchObject', () => { expect({ a: 1, b: 2 }).toMatchObject({ a: 3 }) })
test('texts of several lines', () => { expect('one\\ntwo').toBe('one\\nthree') })
test('toMatchSnapshot', () => { expect('now').toMatchSnapshot() })
test('toMatchInlineSnapshot', () => { expect('now').toMatchInlineSnapshot('"then"') })
test('toMatchFileSnapshot', async () => { await expect('now').toMatchFileSnapshot('then.txt') })
test('toBeGreaterThan', () => { expect(1).toBeGreaterThan(2) })
test('toThrow', () => { expect(() => { throw new Error('other') }).toThrow('boom') })
test('soft', () => { expect.soft(1).toBe(2); expect.soft('a').toBe('b'); expect(true).toBe(false) })
test('poll', async () => { await expect.poll(() => 1, { timeout: 60, interval: 20 }).toBe(2) })
test('resolves', async () => { await expect(Promise.reject(new Error('no'))).resolves.toBe(1) })
test('custom matcher', () => { expect(3).toBeEven() })
test('asymmetric matcher', () => { expect({ a: 'x' }).toEqual({ a: expect.any(Number) }) })
test('number of assertions', () => { expect.assertions(2) })
test('throws a text', () => { throw 'only a text' })
test('throws a record', () => { throw { code: 4711 } })
test('throws undefined', () => { throw undefined })
test('throws null', () => { throw null })
test('throws elsewhere', () => { load('rig 7') })
test('causes', () => {
  try { load('rig 7') } catch (cause) {
    throw new Error('no measurement', { cause: new TypeError('no rig', { cause }) })
  }
})
test('aggregate', () => { throw new AggregateError([new Error('one'), new RangeError('two')], 'several') })
test('rejects', async () => { await Promise.reject(new Error('rejected')) })
test('times out', async () => { await new Promise(() => {}) }, 50)
test('retried', { retry: 2 }, () => { tries += 1; expect(tries).toBe(9) })
test('flaky', { retry: 2 }, ({ task }) => { expect(task.result?.retryCount ?? 0).toBe(1) })
test.fails('is expected to fail', () => {})
test('secret', () => { expect(process.env.BENCH_TOKEN).toBe('another') })
describe.each([1, 2])('row %i', (row) => { test('is three', () => { expect(row).toBe(3) }) })
test('belongs to somebody', { tags: ['slow'] }, async ({ annotate }) => { await annotate('@power-team', 'owner') })
test('skips itself', ({ skip }) => { skip('no device') })
test.skip('is skipped', () => {})
`

const HOOKS = `import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

describe('each', () => {
  beforeEach(() => { throw new Error('before each') })
  afterEach(() => { throw new Error('after each') })
  test('is between', () => {})
})
describe('before', () => {
  beforeAll(() => { throw new Error('before all') })
  test('never runs', () => {})
})
describe('late', () => {
  beforeAll(() => new Promise(() => {}), 50)
  test('never runs', () => {})
})
describe('after', () => {
  afterAll(() => { expect(1).toBe(2) })
  test('runs', () => {})
})
`

const UNHANDLED = `import { test } from 'vitest'

test('leaves a rejection', async () => {
  void Promise.reject(new Error('nobody caught it'))
  await new Promise((done) => setTimeout(done, 50))
})
`

export const SECRET = 'bench-secret-7f3a9c51'

/** A project that fails in every way that Vitest has. */
export const ERROR_PROJECT = {
  'vitest.config.mjs': CONFIG,
  'told.mjs': TOLD,
  'tsconfig.json': TSCONFIG,
  // The types of TypeScript make its lines other ones than those that run.
  'src/load.ts': `interface Rig {
  name: string
}

export function load(name: string): Rig {
  throw new RangeError(\`\${name} does not answer\`)
}
`,
  'then.txt': 'then',
  '__snapshots__/failures.test.ts.snap':
    '// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`toMatchSnapshot 1`] = `"then"`;\n',
  'failures.test.ts': FAILURES,
  'hooks.test.ts': HOOKS,
  'unhandled.test.ts': UNHANDLED,
  'syntax.test.ts': 'const = 1\n',
  'missing.test.ts': "import './nowhere'\n",
  'throws.test.ts': "throw new Error('on load')\n",
  'types.test-d.ts': `import { expectTypeOf, test } from 'vitest'
test('is a number', () => { expectTypeOf<string>().toEqualTypeOf<number>() })
const text: string = 1
`,
}
