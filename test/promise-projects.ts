import type { Framework } from './support/project'

/**
 * Our reporter as the variable REPORTER says: not at all, with options, or by the one line of the README. The variable ONLY
 * chooses a file.
 */
const choose = (name: string, line: string): string =>
  `const ours = process.env.REPORTER === 'none' ? []
    : process.env.REPORTER === 'options' ? [['${name}', JSON.parse(process.env.OPTIONS)]] : [${line}]
  const files = process.env.ONLY ?? '*.test.js'\n`

/** Two files, the second of which fails; each test notes when it ended. */
const createTests = (head: string): Record<string, string> => ({
  'a.test.js': `${head}
    test('measures', () => {
      measure('output', 3.3, { unit: 'V', low: 3.2, high: 3.4 })
      writeFileSync('ended', String(Date.now()))
    })\n`,
  'b.test.js': `${head}
    test('holds', () => {})
    test('breaks', () => {
      writeFileSync('ended', String(Date.now()))
      throw new Error('it is broken')
    })\n`,
})

/** A small project of each framework, with our reporter as its README says. */
export const PROMISE_PROJECTS: Record<Framework, Record<string, string>> = {
  jest: {
    'jest.config.js': `${choose('@runledger/jest', "'@runledger/jest'")}
      module.exports = { reporters: ['default', ...ours], testMatch: ['<rootDir>/' + files], maxWorkers: 1 }\n`,
    ...createTests(
      "const { measure } = require('@runledger/jest')\nconst { writeFileSync } = require('node:fs')\n",
    ),
  },
  vitest: {
    'vitest.config.mjs': `${choose('@runledger/vitest', "'@runledger/vitest'")}
      export default { test: { reporters: ['default', ...ours], include: [files], fileParallelism: false } }\n`,
    ...createTests(`import { measure } from '@runledger/vitest'
      import { writeFileSync } from 'node:fs'
      import { test } from 'vitest'\n`),
  },
  playwright: {
    'playwright.config.js': `${choose('@runledger/playwright', "['@runledger/playwright']")}
      module.exports = { reporter: [['list'], ...ours], testMatch: files, workers: 1 }\n`,
    ...createTests(`const { test } = require('@playwright/test')
      const { measure } = require('@runledger/playwright')
      const { writeFileSync } = require('node:fs')\n`),
  },
}
