import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { REPOSITORY } from './repository'

/** The built core, as scripts import it. */
const CORE_URL = pathToFileURL(path.join(REPOSITORY, 'packages/core/dist/index.js')).href

/**
 * Source of an ES module that has opened `execution` with one suite, which has one passed test and one attachment. What
 * options there are come from variables.
 */
export const OPEN_EXECUTION = `
  import { createExecution } from ${JSON.stringify(CORE_URL)}
  const now = Date.now()
  const execution = createExecution({ framework: 'jest', frameworkVersion: '30', rootDir: process.cwd(), startedAtMs: now }, {})
  const attempt = { status: 'passed', errors: [], attachments: [], output: [] }
  const test = { titles: ['t'], outcome: 'passed', flaky: false, startedAtMs: now, durationMs: 1, attempts: [attempt] }
  execution.addSuite({ project: '', file: 'a.test.js', startedAtMs: now, durationMs: 1, outcome: 'passed', tests: [test],
    problems: [], output: [], attachments: [{ name: 'shot.png', bytes: Buffer.from('a shot') }] })
`
