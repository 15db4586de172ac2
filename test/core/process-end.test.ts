import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startMisbehavingServer, type MisbehavingServer } from '../support/misbehaving-server'
import { runCommand } from '../support/project'
import { OPEN_EXECUTION } from '../support/record-script'
import { TestServers } from '../support/sockets'

let folder: string
let server: MisbehavingServer
let servers: TestServers

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-end-'))
  server = await startMisbehavingServer()
  servers = new TestServers()
})
afterEach(async () => {
  await server.stop()
  await servers.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Its attachment is sent early; then the framework calls its last hook. */
const script = `${OPEN_EXECUTION}
  import { setTimeout as sleep } from 'node:timers/promises'
  await execution.settled()
  await sleep(500)
  const { status } = await execution.finish()
  console.log(status + ' ' + Date.now())
  process.on('exit', () => console.log('exit ' + Date.now()))
`

it.each([
  ['that is well', async () => ({})],
  ['that hangs', () => misbehave('hangs before headers')],
  ['that hangs in the middle of its response', () => misbehave('hangs after headers')],
  ['that asks for patience', () => misbehave('answers 429 with Retry-After')],
  ['that resets connections', () => misbehave('resets in mid-request')],
  [
    'whose TLS handshake hangs',
    async () => ({ RUNLEDGER_URL: `https://127.0.0.1:${await servers.silence()}` }),
  ],
  [
    'behind a proxy that hangs',
    async () => ({
      RUNLEDGER_URL: 'https://service.example',
      HTTPS_PROXY: `http://127.0.0.1:${await servers.silence()}`,
    }),
  ],
])('lets the process end as soon as the last hook is done, for a service %s', async (_, prepare) => {
  const env = {
    RUNLEDGER_URL: server.url,
    RUNLEDGER_API_KEY: 'rl_user_key',
    RUNLEDGER_PROCEDURE_ID: 'FVT1',
    RUNLEDGER_SPOOL_DIR: path.join(folder, 'spool'),
    RUNLEDGER_DEADLINE_MS: '1000',
    RUNLEDGER_REQUEST_TIMEOUT_MS: '60000',
    ...(await prepare()),
  }
  await writeFile(path.join(folder, 'main.mjs'), script)
  const result = await runCommand(process.execPath, ['main.mjs'], { dir: folder, env, timeoutMs: 30_000 })
  expect(result.exitCode, result.stderr).toBe(0)
  const [, finished, exited] = /(?:uploaded|failed) (\d+)\nexit (\d+)/.exec(result.stdout) ?? []
  expect(Number(exited) - Number(finished)).toBeLessThan(250)
})

async function misbehave(mode: Parameters<MisbehavingServer['misbehave']>[0]): Promise<object> {
  await server.misbehave(mode)
  return {}
}
