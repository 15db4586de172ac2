import { afterEach, beforeEach, expect, it } from 'vitest'
import { startMisbehavingServer, type MisbehavingServer } from '../support/misbehaving-server'
import { createProject, listVersions, neededNode } from '../support/project'

let server: MisbehavingServer

beforeEach(async () => {
  server = await startMisbehavingServer()
})
afterEach(() => server.stop())

/** Asks the service for `/end` when Jest has come to its end, which it takes half a second for. */
const SLOW_REPORTER = `
const { get } = require('node:http')
module.exports = class {
  async onRunComplete() {
    await new Promise((resolve) => setTimeout(resolve, 500))
    await new Promise((resolve) => get(process.env.RUNLEDGER_URL + '/end', (answer) => answer.resume().on('end', resolve)))
  }
}`

const PASSES = `test('passes', () => {})`
const FILES = {
  'slow.js': SLOW_REPORTER,
  'jest.config.js': `module.exports = {
    reporters: ['./slow.js', '@runledger/jest', '@runledger/jest'],
    projects: ['one', 'two'].map((displayName) => ({ displayName, rootDir: __dirname })),
  }`,
  'a.test.js': PASSES,
  'b.test.js': `test('fails', () => { throw new Error('no') })`,
  'c.test.js': `test.skip('passes', () => {})`,
}

const versions = listVersions('jest').filter((version) => neededNode('jest', version) === undefined)
const CASES = [versions[0], versions.at(-1)].flatMap((version) => [
  { version: version as string, args: ['-i'] },
  { version: version as string, args: ['--maxWorkers=2'] },
])

it.each(CASES)('Jest $version $args: runs are sent before its reporters end, once', async (each) => {
  const project = await createProject({ framework: 'jest', version: each.version, files: FILES })
  const env = {
    RUNLEDGER_URL: server.url,
    RUNLEDGER_API_KEY: 'rl_user_key',
    RUNLEDGER_PROCEDURE_ID: 'FVT1',
  }
  const { exitCode, stderr } = await project.run({ args: each.args, env })
  await project.remove()
  expect(exitCode, stderr).toBe(1)
  expect(stderr).toContain('4 runs on record')
  const names = server.service.runs.map(({ body }) => {
    const { project: of, file } = body.report_variables
    return `${of} ${file} ${body.run_passed}`
  })
  expect(names.sort()).toEqual([
    'one a.test.js true',
    'one b.test.js false',
    'two a.test.js true',
    'two b.test.js false',
  ])
  const sent = server.requests.map(({ method, path }) => `${method} ${path}`)
  expect(sent.filter((request) => request === 'POST /v1/runs/create')).toHaveLength(4)
  // The first ones lie in folders, and wait, where tests that block Jest's own process make the disk look slow.
  expect(sent.indexOf('GET /end')).toBeGreaterThan(0)
})
