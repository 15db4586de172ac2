import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { startMisbehavingServer } from '../support/misbehaving-server'
import { runCommand } from '../support/project'
import { REPOSITORY } from '../support/repository'

/** A process with a finished suite that goes on for a second, and then has nothing more to do. */
const script = `
  import { createExecution } from ${JSON.stringify(pathToFileURL(path.join(REPOSITORY, 'packages/core/dist/index.js')).href)}
  const execution = createExecution(
    { framework: 'jest', frameworkVersion: '30', rootDir: process.cwd(), startedAtMs: Date.now() },
    { requestTimeoutMs: 60_000 })
  execution.addSuite({ project: '', file: 'a.test.js', startedAtMs: Date.now(), durationMs: 1, outcome: 'passed',
    problems: [], output: [], attachments: [{ name: 'shot.png', bytes: Buffer.from('a shot') }],
    tests: [{ titles: ['t'], outcome: 'passed', flaky: false, startedAtMs: Date.now(), durationMs: 1,
      attempts: [{ status: 'passed', errors: [], attachments: [], output: [] }] }] })
  setTimeout(() => console.log('ended ' + Date.now()), 1_500)
  process.on('exit', () => console.log('exit ' + Date.now()))
`

it('lets a process end that has nothing else to wait for than a service that hangs', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-early-'))
  const server = await startMisbehavingServer()
  await server.misbehave('hangs before headers')
  await writeFile(path.join(folder, 'main.mjs'), script)
  const env = {
    RUNLEDGER_URL: server.url,
    RUNLEDGER_API_KEY: 'rl_user_key',
    RUNLEDGER_PROCEDURE_ID: 'FVT1',
    RUNLEDGER_SPOOL_DIR: path.join(folder, 'spool'),
  }
  const { stdout, stderr, exitCode } = await runCommand(process.execPath, ['main.mjs'], {
    dir: folder,
    env,
    timeoutMs: 30_000,
  })
  await server.stop()
  await rm(folder, { recursive: true, force: true })
  expect(server.requests.map(({ path: where }) => where)).toContain('/v2/attachments')
  expect(exitCode, stderr).toBe(0)
  const [, ended, exited] = /ended (\d+)\nexit (\d+)/.exec(stdout) ?? []
  expect(Number(exited) - Number(ended)).toBeLessThan(1_000)
})
