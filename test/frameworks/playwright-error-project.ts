import { IMPORT, type Files } from './playwright-projects'

/** Every kind of failure that Playwright tells apart, in a folder below the configuration's. */
export const ERROR_PROJECT: Files = {
  'playwright.config.js': `module.exports = {
  testDir: 'tests',
  timeout: 1500,
  workers: 2,
  reporter: [['list'], ['json', { outputFile: 'report.json' }], ['@runledger/playwright', { stepDepth: 2 }]],
}
`,
  'bench.js': "exports.check = () => { throw new Error('bench says no') }\n",
  'tests/assertions.spec.js': `${IMPORT}
const even = expect.extend({
  toBeEven: (actual) => ({ pass: actual % 2 === 0, message: () => \`\${actual} is odd\`, expected: 'even', actual }),
})
test('compares', () => { expect(1).toBe(2) })
test('compares objects', () => { expect({ a: 1, b: [1, 2] }).toEqual({ a: 2, b: [1, 3] }) })
test('goes on', () => { expect.soft(1).toBe(2); expect.soft('a').toBe('b'); expect(3).toBe(4) })
test('polls', async () => { await expect.poll(() => 5, { timeout: 200 }).toBe(6) })
test('tries', async () => { await expect(() => expect(1).toBe(7)).toPass({ timeout: 200 }) })
test('says what it compares', () => { expect(1, 'the voltage').toBe(2) })
test('has a matcher of its own', () => { even(3).toBeEven() })
test('differs from its snapshot', () => { expect('hello\\nthere').toMatchSnapshot('greeting.txt') })
test('passes against expectation', () => { test.fail() })
test('fails as expected', () => { test.fail(); expect(1).toBe(2) })
`,
  ...Object.fromEntries(
    ['linux', 'darwin', 'win32'].map((system) => [
      `tests/assertions.spec.js-snapshots/greeting-${system}.txt`,
      'hello\nworld',
    ]),
  ),
  'tests/thrown.spec.js': `${IMPORT}
test('throws a text', () => { throw 'a text' })
test('throws a record', () => { throw { code: 7 } })
test('throws nothing', () => { throw undefined })
test('has causes', () => { throw new Error('outer', { cause: new Error('middle', { cause: new TypeError('inner') }) }) })
test('has inner errors', () => { throw new AggregateError([new Error('one'), new Error('two')], 'both') })
test('throws elsewhere', () => { require('../bench').check() })
test('rejects alone', async () => {
  Promise.reject(new Error('nobody waits'))
  await new Promise((resolve) => setTimeout(resolve, 200))
})
test('throws in steps', async () => {
  await test.step('outer', () => test.step('inner', () => { throw new Error('deep') }))
})
test.describe('tried again', () => {
  test.describe.configure({ retries: 2 })
  test('passes at last', () => { if (test.info().retry < 2) throw new Error('attempt ' + test.info().retry) })
  test('never passes', () => { throw new Error('attempt ' + test.info().retry) })
})
test('ends its worker', async () => { await test.step('pulls the plug', () => process.exit(3)) })
`,
  'tests/hooks.spec.js': `${IMPORT}
const broken = test.extend({
  bench: async ({}, use) => { throw new Error('no bench') },
  untidy: async ({}, use) => { await use(1); throw new Error('bench stays open') },
})
broken('has no fixture', ({ bench }) => {})
broken('leaves its fixture', ({ untidy }) => {})
test.describe('before each', () => {
  test.beforeEach(() => { throw new Error('not before') })
  test('a', () => {})
})
test.describe('after each', () => {
  test.afterEach(() => { throw new Error('not after') })
  test('b', () => { throw new Error('and the test') })
})
test.describe('before all', () => {
  test.beforeAll(() => { throw new Error('not before all') })
  test('c', () => {})
  test('never begins', () => {})
})
test.describe('after all', () => {
  test.afterAll(() => { throw new Error('not after all') })
  test('d', () => {})
})
`,
  'tests/slow.spec.js': `${IMPORT}
const never = () => new Promise(() => {})
const slow = test.extend({ relay: async ({}, use) => { await never(); await use(1) } })
test('hangs', never)
test('hangs in a step', async () => { await test.step('outer', () => test.step('waits for the relay', never)) })
slow('hangs in a fixture', ({ relay }) => {})
test.describe('before each', () => {
  test.beforeEach(never)
  test('e', () => {})
})
`,
  'tests/marks.spec.js': `${IMPORT}
const hasTags = !require('@playwright/test/package.json').version.startsWith('1.40')
const details = { tag: ['@fast', '@bench'], annotation: [{ type: 'owner', description: '@team' }, { type: 'issue' }] }
const body = () => { test.slow(); expect(1).toBe(2) }
if (hasTags) test('is marked', details, body)
else test('is marked', body)
test('is skipped', () => { test.skip(true, 'no bench here') })
test('is to be mended', () => { test.fixme(true, 'broken since June') })
test.fixme('is to be mended some day', () => {})
`,
}

/** Files that cannot be loaded, each in another way. */
export const LOAD_ERROR_PROJECT: Files = {
  'playwright.config.js': ERROR_PROJECT['playwright.config.js'] as string,
  'tests/throws.spec.js': "throw new Error('no bench')\n",
  'tests/syntax.spec.js': 'const { test = 1\n',
  'tests/missing.spec.js': "require('./gone')\n",
  'tests/twice.spec.js': `${IMPORT}test('a', () => {})\ntest('a', () => {})\n`,
}

/** A page whose picture differs from the one in its folder, which another command has made. */
export const PICTURE_PROJECT: Files = {
  'playwright.config.js': `module.exports = {
  reporter: [['list'], ['json', { outputFile: 'report.json' }], ['@runledger/playwright']],
  use: { launchOptions: { executablePath: process.env.CHROMIUM_PATH } },
}
`,
  'panel.spec.js': `${IMPORT}
test('draws', async ({ page }) => {
  await page.setContent('<body style="background: ' + (process.env.PANEL_COLOR ?? 'red') + '"></body>')
  await expect(page).toHaveScreenshot('panel.png')
})
`,
}
