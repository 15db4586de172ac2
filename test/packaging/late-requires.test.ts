import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'

const CORE = path.resolve(import.meta.dirname, '../../packages/core/dist/index.cjs')

const folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-late-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Records a suite on a CI, and prints the body that the service is sent; what `http` loads late throws. */
const SCRIPT = `
  const [core, rootDir] = process.argv.slice(1)
  const http = require('node:http')
  Object.defineProperty(http, 'Later', { enumerable: true, get() { throw new Error('it was loaded') } })
  const server = http.createServer(async (request, response) => {
    for await (const chunk of request) process.stdout.write(chunk)
    response.end('{"id":"1","url":"http://127.0.0.1/1"}')
  })
  server.listen(0, '127.0.0.1', async () => {
    const facts = { framework: 'jest', frameworkVersion: '30', rootDir, startedAtMs: 1 }
    const url = 'http://127.0.0.1:' + server.address().port
    const options = { url, apiKey: 'rl_user_key', procedureId: 'FVT1', spoolDir: rootDir + '/spool', logs: false }
    const env = { GITHUB_ACTIONS: 'true', GITHUB_SHA: 'a'.repeat(40), GITHUB_REF: 'refs/heads/trunk' }
    const execution = require(core).createExecution(facts, options, { env, print: () => {} })
    const test = { titles: ['a'], outcome: 'passed', flaky: false, startedAtMs: 1, durationMs: 1, attempts: [] }
    const lists = { tests: [test], problems: [], output: [], attachments: [] }
    execution.addSuite({ project: '', file: 'a.js', startedAtMs: 1, durationMs: 1, outcome: 'passed', ...lists })
    await execution.finish()
    server.close()
  })`

it('the CJS core knows the CI where Node cannot require what is ESM, and loads nothing late of http', () => {
  const args = ['--no-experimental-require-module', '-e', SCRIPT, CORE, folder]
  const { report_variables: variables } = JSON.parse(execFileSync(process.execPath, args).toString()) as {
    report_variables: object
  }
  expect(variables).toMatchObject({ ci: 'GitHub Actions', git_branch: 'trunk', git_commit: 'a'.repeat(40) })
})

/** Records a suite, prints what is said of it; a file that delivering needs is gone when it is needed. */
const BROKEN = `
  const [core, rootDir, gone] = process.argv.slice(1)
  const Module = require('node:module')
  const load = Module._load
  Module._load = function (name, ...others) {
    if (name.includes(gone)) throw new Error("Cannot find module '" + name + "'\\nRequire stack:\\n- a")
    return load.call(this, name, ...others)
  }
  const facts = { framework: 'jest', frameworkVersion: '30', rootDir, startedAtMs: 1 }
  const options = { url: 'http://127.0.0.1:9', apiKey: 'rl_user_key', procedureId: 'FVT1', spoolDir: rootDir + '/' + gone, caFile: 'ca.pem' }
  const execution = require(core).createExecution(facts, options, { env: {}, print: (text) => console.log(text) })
  const test = { titles: ['a'], outcome: 'passed', flaky: false, startedAtMs: 1, durationMs: 1, attempts: [] }
  const lists = { tests: [test], problems: [], output: [], attachments: [] }
  execution.addSuite({ project: '', file: 'a.js', startedAtMs: 1, durationMs: 1, outcome: 'passed', ...lists })
  void execution.finish().then(({ savedTo }) => console.log(savedTo))`

it.each(['deliver-execution', 'tls-files'])(
  'runs wait in the spool where %s cannot be loaded any more',
  (gone) => {
    const printed = execFileSync(process.execPath, ['-e', BROKEN, CORE, folder, gone]).toString()
    expect(printed).toMatch(
      /^Runledger: 1 of 1 runs not sent: what sends them cannot be loaded: Cannot find module '.*'; 1 run waits in the spool: /,
    )
    const spool = path.join(folder, gone)
    expect(printed.trim().split('\n').at(-1)).toBe(spool)
    const [name = ''] = readdirSync(spool)
    const entry = JSON.parse(readFileSync(path.join(spool, name, 'entry.json'), 'utf8')) as object
    expect(entry).toMatchObject({ request: { procedure_id: 'FVT1', report_variables: { file: 'a.js' } } })
  },
)
