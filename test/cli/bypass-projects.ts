import type { Framework } from '../support/project'

/** A project whose command leaves the reporter out. */
export interface Bypass {
  what: string
  framework: Framework | 'node:test'
  scripts: Record<string, string>
  files: Record<string, string>
  /** The fault that doctor names, and how. */
  code: string
  said: RegExp
  /** What init says is left to do. Undefined where it sets up the command. */
  left?: RegExp
  /** Where the script is, `test` in the root if nothing is said. */
  dir?: string
}

const JEST_TEST = "test('adds', () => expect(1 + 1).toBe(2))\n"
const VITEST_TEST = "import { expect, test } from 'vitest'\ntest('adds', () => { expect(1 + 1).toBe(2) })\n"
const PLAYWRIGHT_TEST =
  "const { expect, test } = require('@playwright/test')\ntest('adds', () => expect(1 + 1).toBe(2))\n"
const NODE_TEST = "import { test } from 'node:test'\ntest('adds', () => {})\n"

const JEST_CONFIG = "module.exports = { reporters: ['default', '@runledger/jest'] }\n"
const VITEST_CONFIG = "export default { test: { reporters: ['default', '@runledger/vitest'] } }\n"
const PLAYWRIGHT_CONFIG = "module.exports = { reporter: [['list'], ['@runledger/playwright']] }\n"
const NODE_FLAGS = '--test-reporter=@runledger/node-test --test-reporter-destination=stdout'

/** As `react-scripts` does it: a config of its own, and what stands behind `test` handed on. */
const WRAPPER = `const [command, ...args] = process.argv.slice(2)
if (command !== 'test') process.exit(2)
require('jest').run([...args, '--config', JSON.stringify({ rootDir: process.cwd() })])
`

export const BYPASSES: readonly Bypass[] = [
  {
    what: 'another config file',
    framework: 'jest',
    scripts: { test: 'jest --config config/jest.unit.js' },
    files: {
      'jest.config.js': JEST_CONFIG,
      'config/jest.unit.js': "module.exports = { rootDir: '..' }\n",
      'a.test.js': JEST_TEST,
    },
    code: 'reporter-not-configured',
    said: /^the script test \(`jest --config config\/jest\.unit\.js`\) uses config\/jest\.unit\.js, and .* does not name @runledger\/jest \(jest\.config\.js names it, but is not used\)$/,
  },
  {
    what: '--reporters of Jest',
    framework: 'jest',
    scripts: { test: 'jest --reporters=default' },
    files: { 'jest.config.js': JEST_CONFIG, 'a.test.js': JEST_TEST },
    code: 'reporter-overridden',
    said: /names its reporters with --reporters, which replace those of the config: default$/,
  },
  {
    what: 'a reporter in a project of Jest',
    framework: 'jest',
    scripts: { test: 'jest --silent' },
    files: {
      'jest.config.js':
        "module.exports = { projects: [{ displayName: 'a', reporters: ['default', '@runledger/jest'] }] }\n",
      'a.test.js': JEST_TEST,
    },
    code: 'reporter-misplaced',
    said: /jest\.config\.js names @runledger\/jest in a project only/,
  },
  {
    what: 'a wrapper',
    framework: 'jest',
    scripts: { test: 'node node_modules/react-scripts/bin/react-scripts.js test' },
    files: {
      'jest.config.js': JEST_CONFIG,
      'a.test.js': JEST_TEST,
      'node_modules/react-scripts/package.json':
        '{"name": "react-scripts", "version": "5.0.1", "bin": {"react-scripts": "./bin/react-scripts.js"}}',
      'node_modules/react-scripts/bin/react-scripts.js': WRAPPER,
    },
    code: 'reporter-not-configured',
    said: /`react-scripts test`\) gives Jest a config of its own, without @runledger\/jest$/,
  },
  {
    what: 'a script in a workspace',
    framework: 'jest',
    scripts: {},
    files: {
      'jest.config.js':
        "module.exports = { projects: ['<rootDir>/packages/*'], reporters: ['default', '@runledger/jest'] }\n",
      'packages/a/package.json': '{"name": "a", "scripts": {"test": "jest"}}\n',
      'packages/a/jest.config.js': 'module.exports = {}\n',
      'packages/a/a.test.js': JEST_TEST,
    },
    dir: 'packages/a',
    code: 'reporter-not-configured',
    said: /^the script test \(`jest`\) uses packages\/a\/jest\.config\.js, and .* does not name @runledger\/jest$/,
    left: /Not recorded yet: the script test \(`jest`\) uses packages\/a\/jest\.config\.js/,
  },
  {
    what: '--reporter of Vitest',
    framework: 'vitest',
    scripts: { test: 'vitest run --reporter=dot' },
    files: { 'vitest.config.mjs': VITEST_CONFIG, 'a.test.js': VITEST_TEST },
    code: 'reporter-overridden',
    said: /^the script test \(`vitest run --reporter=dot`\) names its reporters with --reporter/,
  },
  {
    what: 'a reporter in a project of Vitest',
    framework: 'vitest',
    scripts: { test: 'vitest run' },
    files: {
      'vitest.config.mjs':
        "export default { test: { projects: [{ test: { name: 'a', reporters: ['default', '@runledger/vitest'] } }] } }\n",
      'a.test.js': VITEST_TEST,
    },
    code: 'reporter-misplaced',
    said: /vitest\.config\.mjs names @runledger\/vitest in a project only/,
  },
  {
    what: 'a chain of scripts',
    framework: 'vitest',
    scripts: { test: 'npm run unit -- --reporter=verbose', unit: 'vitest run' },
    files: { 'vitest.config.mjs': VITEST_CONFIG, 'a.test.js': VITEST_TEST },
    code: 'reporter-overridden',
    said: /^the script test \(`vitest run --reporter=verbose`\) names its reporters/,
  },
  {
    what: 'a variable that switches the reporter off',
    framework: 'vitest',
    scripts: { test: 'RUNLEDGER_DISABLED=1 vitest run' },
    files: { 'vitest.config.mjs': VITEST_CONFIG, 'a.test.js': VITEST_TEST },
    code: 'disabled',
    said: /^the script test \(`vitest run`\) sets RUNLEDGER_DISABLED/,
    left: /Not recorded yet: the script test \(`vitest run`\) sets RUNLEDGER_DISABLED/,
  },
  {
    what: 'a variable that the config reads',
    framework: 'playwright',
    scripts: { test: 'PLAYWRIGHT_QUIET=1 playwright test' },
    files: {
      'playwright.config.js':
        "module.exports = { reporter: process.env.PLAYWRIGHT_QUIET ? 'line' : [['list'], ['@runledger/playwright']] }\n",
      'a.spec.js': PLAYWRIGHT_TEST,
    },
    code: 'reporter-not-used',
    said: /uses the reporters line: playwright\.config\.js names @runledger\/playwright, but not in every case$/,
    left: /Not recorded yet: .*uses the reporters line/,
  },
  {
    what: 'a blob of a shard',
    framework: 'playwright',
    scripts: { test: 'playwright test --shard=1/1 --reporter=blob' },
    files: { 'playwright.config.js': PLAYWRIGHT_CONFIG, 'a.spec.js': PLAYWRIGHT_TEST },
    code: 'reporter-overridden',
    said: /names its reporters with --reporter, which replace those of the config: blob$/,
  },
  {
    what: 'npx in a folder without a config',
    framework: 'playwright',
    scripts: { test: 'cd e2e && npx playwright test' },
    files: { 'playwright.config.js': PLAYWRIGHT_CONFIG, 'e2e/a.spec.js': PLAYWRIGHT_TEST },
    code: 'reporter-not-configured',
    said: /^the script test \(`playwright test`\) finds no config, so no reporter \(playwright\.config\.js names it, but is not used\)$/,
  },
  {
    what: 'a subshell in a folder without a config',
    framework: 'playwright',
    scripts: { test: '(cd e2e && npx playwright test) && echo done' },
    files: { 'playwright.config.js': PLAYWRIGHT_CONFIG, 'e2e/a.spec.js': PLAYWRIGHT_TEST },
    code: 'reporter-not-configured',
    said: /^the script test \(`playwright test`\) finds no config, so no reporter/,
  },
  {
    what: 'an exported variable and a shell',
    framework: 'jest',
    scripts: { test: "export LAMP=1; sh -c 'jest --reporters=default'" },
    files: { 'jest.config.js': JEST_CONFIG, 'a.test.js': JEST_TEST },
    code: 'reporter-overridden',
    said: /^the script test \(`jest --reporters=default`\) names its reporters with --reporters/,
  },
  {
    what: 'one of two scripts',
    framework: 'node:test',
    scripts: { test: 'node --import ./register.mjs --test', unit: `node --test ${NODE_FLAGS}` },
    files: { 'register.mjs': '', 'a.test.mjs': NODE_TEST },
    code: 'reporter-not-configured',
    said: /^package\.json does not name @runledger\/node-test in the script test$/,
  },
]
