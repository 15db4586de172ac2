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
  /** `test.<failing>`: a test that is expected to fail. */
  failing: string
  skipDescribe: string
  onlyDescribe: string
  /** Names the config file, with our reporter beside the default one, and more options as source text. */
  config(options?: string): Record<string, string>
  /** Options that let a failed test be tried again `times` more times, for `config`; Jest needs `retryLine` too. */
  retries(times: number): string
  /** Line at the head of a test file that does the same where the config cannot. */
  retryLine(times: number): string
}

const COMMON = {
  beforeAll: 'beforeAll',
  afterAll: 'afterAll',
  beforeEach: 'beforeEach',
  afterEach: 'afterEach',
  describe: 'describe',
  skipDescribe: 'describe.skip',
  onlyDescribe: 'describe.only',
}

export const JEST: Dialect = {
  ...COMMON,
  framework: 'jest',
  head: '',
  failing: 'failing',
  config: (options = '') => ({
    'jest.config.js': `module.exports = { reporters: ['default', '@runledger/jest'], ${options} }\n`,
  }),
  retries: () => '',
  retryLine: (times) => `jest.retryTimes(${times})\n`,
}

export const VITEST: Dialect = {
  ...COMMON,
  framework: 'vitest',
  head: "import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'\n",
  failing: 'fails',
  config: (options = '') => ({
    'vitest.config.mjs': `export default { test: { reporters: ['default', '@runledger/vitest'], ${options} } }\n`,
  }),
  retries: (times) => `retry: ${times},`,
  retryLine: () => '',
}

export const PLAYWRIGHT: Dialect = {
  framework: 'playwright',
  head: "const { expect, test } = require('@playwright/test')\n",
  describe: 'test.describe',
  skipDescribe: 'test.describe.skip',
  onlyDescribe: 'test.describe.only',
  beforeAll: 'test.beforeAll',
  afterAll: 'test.afterAll',
  beforeEach: 'test.beforeEach',
  afterEach: 'test.afterEach',
  failing: 'fail',
  config: (options = '') => ({
    'playwright.config.js': `module.exports = { workers: 1, reporter: [['list'], ['@runledger/playwright']], ${options} }\n`,
  }),
  retries: (times) => `retries: ${times},`,
  retryLine: () => '',
}

export const DIALECTS: Record<Framework, Dialect> = { jest: JEST, vitest: VITEST, playwright: PLAYWRIGHT }
