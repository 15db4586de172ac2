import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'

const CORE = path.resolve(import.meta.dirname, '../../packages/core/dist/index.cjs')

const folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-env-ci-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Records a suite on a CI, and prints the body of the run's creation. */
const SCRIPT = `
  const [core, rootDir] = process.argv.slice(1)
  const server = require('node:http').createServer(async (request, response) => {
    for await (const chunk of request) if (request.url === '/v1/runs/create') process.stdout.write(chunk)
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

it('the CJS core knows the CI where Node cannot require the ESM package that tells it', () => {
  const args = ['--no-experimental-require-module', '-e', SCRIPT, CORE, folder]
  const { report_variables: variables } = JSON.parse(execFileSync(process.execPath, args).toString()) as {
    report_variables: object
  }
  expect(variables).toMatchObject({ ci: 'GitHub Actions', git_branch: 'trunk', git_commit: 'a'.repeat(40) })
})
