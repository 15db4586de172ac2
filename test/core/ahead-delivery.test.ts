import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startMisbehavingServer, type MisbehavingServer, type Mode } from '../support/misbehaving-server'
import { runCommand } from '../support/project'
import { REPOSITORY } from '../support/repository'

let folder: string
let server: MisbehavingServer

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-ahead-'))
  server = await startMisbehavingServer()
})
afterEach(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

/** A process whose tests have ended and whose runs have been begun, and which then does what `end` says. */
const write = (end: string): string => `
  import { rmSync, writeFileSync } from 'node:fs'
  import { setTimeout as sleep } from 'node:timers/promises'
  import { rootCertificates } from 'node:tls'
  import { createExecution } from ${JSON.stringify(pathToFileURL(path.join(REPOSITORY, 'packages/core/dist/index.js')).href)}
  writeFileSync('ca.pem', rootCertificates[0])
  const execution = createExecution(
    { framework: 'jest', frameworkVersion: '30', rootDir: process.cwd(), startedAtMs: Date.now() },
    { requestTimeoutMs: 60_000, deadlineMs: 3_000, caFile: 'ca.pem' })
  execution.addSuite({ project: '', file: 'a.test.js', startedAtMs: Date.now(), durationMs: 1, outcome: 'passed',
    problems: [], output: [], attachments: [],
    tests: [{ titles: ['t'], outcome: 'passed', flaky: false, startedAtMs: Date.now(), durationMs: 1,
      attempts: [{ status: 'passed', errors: [], attachments: [], output: [] }] }] })
  await execution.settled()
  execution.testsEnded()
  await sleep(500)
  ${end}
  process.on('exit', () => console.log('exit ' + Date.now()))
`

async function run(end: string, mode: Mode) {
  await server.misbehave(mode)
  await writeFile(path.join(folder, 'main.mjs'), write(end))
  const env = {
    RUNLEDGER_URL: server.url,
    RUNLEDGER_API_KEY: 'rl_user_key',
    RUNLEDGER_PROCEDURE_ID: 'FVT1',
    RUNLEDGER_SPOOL_DIR: path.join(folder, 'spool'),
  }
  const ended = await runCommand(process.execPath, ['main.mjs'], { dir: folder, env, timeoutMs: 30_000 })
  expect(server.requests.length, ended.stderr).toBeGreaterThan(0)
  return ended
}

it.each(['hangs before headers', 'answers 429 with Retry-After'] as const)(
  'lets a process end that never comes to its end, where a service %s',
  async (mode) => {
    const { stdout, exitCode } = await run(`console.log('ended ' + Date.now())`, mode)
    expect(exitCode).toBe(0)
    const [, ended, exited] = /ended (\d+)\nexit (\d+)/.exec(stdout) ?? []
    expect(Number(exited) - Number(ended)).toBeLessThan(300)
  },
)

it('the end keeps the process, also where it has only the connection that was there before', async () => {
  const end = `rmSync('ca.pem'); void execution.finish().then(({ status }) => (console.log(status), process.exitCode = 7))`
  const { stdout, exitCode } = await run(end, 'hangs before headers')
  expect(stdout).toContain('failed')
  expect(exitCode).toBe(7)
})
