import type { Framework } from '../../support/project'
import { OWN_REPORT, OWN_TRIES } from './own-report'

// Vitest's JSON report does not say how often a test was tried.
const TELL_TRIES = `{
  onTestRunEnd(modules) {
    const tries = (test) => (test.diagnostic()?.retryCount ?? 0) + 1
    const files = modules.map((module) => [basename(module.moduleId), [...module.children.allTests()].map(tries)])
    writeFileSync('${OWN_TRIES}', JSON.stringify(Object.fromEntries(files)))
  },
}`

/** Files or jobs that are run at the same time. */
export const WORKERS = 2

/** Config with our reporter beside the framework's own JSON report. */
export const CONFIGS: Record<Framework, Record<string, string>> = {
  jest: { 'jest.config.js': `module.exports = { maxWorkers: ${WORKERS}, reporters: ['@runledger/jest'] }\n` },
  vitest: {
    'vitest.config.mjs': `import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
const reporters = [['json', { outputFile: '${OWN_REPORT}' }], '@runledger/vitest', ${TELL_TRIES}]
export default { test: { maxWorkers: ${WORKERS}, reporters } }\n`,
  },
  playwright: {
    'playwright.config.js': `module.exports = {
  workers: ${WORKERS}, reporter: [['json', { outputFile: '${OWN_REPORT}' }], ['@runledger/playwright']],
}\n`,
  },
}

export const ARGUMENTS: Record<Framework, string[]> = {
  jest: ['--json', `--outputFile=${OWN_REPORT}`],
  vitest: [],
  playwright: [],
}
