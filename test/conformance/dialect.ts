import type { Framework } from '../support/project'

/** How a framework says what all of them have, so that a behaviour's files are written once. */
export interface Dialect {
  framework: Framework
  /** First line of a test file. */
  head: string
  describe: string
  beforeAll: string
  afterAll: string
  beforeEach: string
  afterEach: string
  /** A test that is expected to fail; the body is source text and may await. */
  expectFailure(title: string, body: string): string
  skipDescribe: string
  onlyDescribe: string
  /** Names the config file, with our reporter beside the default one, and more options as source text. */
  config(options?: string): Record<string, string>
  /** Options that let a failed test be tried again `times` more times, for `config`; Jest needs `retryLine` too. */
  retries(times: number): string
  /** Line at the head of a test file that does the same where the config cannot. */
  retryLine(times: number): string
  /** Line that defines `attempt()`, to be called once in each attempt of the file's one retried test: 1, 2, … */
  attemptLine: string
  /** Options that limit every test and hook to so many milliseconds, for `config`. */
  timeout(ms: number): string
}

const COMMON = {
  beforeAll: 'beforeAll',
  afterAll: 'afterAll',
  beforeEach: 'beforeEach',
  afterEach: 'afterEach',
  describe: 'describe',
  skipDescribe: 'describe.skip',
  onlyDescribe: 'describe.only',
  attemptLine: 'let tries = 0; const attempt = () => (tries += 1)\n',
}

const JEST: Dialect = {
  ...COMMON,
  framework: 'jest',
  head: '',
  expectFailure: (title, body) => `test.failing('${title}', async () => { ${body} })\n`,
  config: (options = '') => ({
    'jest.config.js': `module.exports = { reporters: ['default', '@runledger/jest'], ${options} }\n`,
  }),
  retries: () => '',
  retryLine: (times) => `jest.retryTimes(${times})\n`,
  timeout: (ms) => `testTimeout: ${ms},`,
}

const VITEST: Dialect = {
  ...COMMON,
  framework: 'vitest',
  head: "import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'\n",
  expectFailure: (title, body) => `test.fails('${title}', async () => { ${body} })\n`,
  config: (options = '') => ({
    'vitest.config.mjs': `export default { test: { reporters: ['default', '@runledger/vitest'], ${options} } }\n`,
  }),
  retries: (times) => `retry: ${times},`,
  retryLine: () => '',
  timeout: (ms) => `testTimeout: ${ms}, hookTimeout: ${ms},`,
}

const PLAYWRIGHT: Dialect = {
  framework: 'playwright',
  head: "const { expect, test } = require('@playwright/test')\n",
  describe: 'test.describe',
  skipDescribe: 'test.describe.skip',
  onlyDescribe: 'test.describe.only',
  beforeAll: 'test.beforeAll',
  afterAll: 'test.afterAll',
  beforeEach: 'test.beforeEach',
  afterEach: 'test.afterEach',
  // `test.fail(title, body)` is of later versions than the oldest we support.
  expectFailure: (title, body) => `test('${title}', async () => { test.fail(); ${body} })\n`,
  config: (options = '') => ({
    'playwright.config.js': `module.exports = { workers: 1, reporter: [['list'], ['@runledger/playwright']], ${options} }\n`,
  }),
  retries: (times) => `retries: ${times},`,
  retryLine: () => '',
  // A failed test takes its worker with it: nothing in memory outlives an attempt.
  attemptLine: 'const attempt = () => test.info().retry + 1\n',
  timeout: (ms) => `timeout: ${ms},`,
}

export const DIALECTS: Record<Framework, Dialect> = { jest: JEST, vitest: VITEST, playwright: PLAYWRIGHT }
