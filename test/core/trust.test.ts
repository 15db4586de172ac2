import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onlyIf } from '../support/only-if'
import { createCertificates, type Certificates } from '../support/certificates'
import { listNodes } from '../support/nodes'
import { runCommand } from '../support/project'
import { OPEN_EXECUTION } from '../support/record-script'
import { serveWell, TestServers } from '../support/sockets'

let certificates: Certificates
let servers: TestServers
let folder: string
let url: string

beforeAll(async () => {
  certificates = createCertificates()
  servers = new TestServers()
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-trust-'))
  await writeFile(
    path.join(folder, 'main.mjs'),
    `${OPEN_EXECUTION}; console.log((await execution.finish()).status)`,
  )
  url = `https://127.0.0.1:${await servers.https(certificates.read('service'), serveWell('https'))}`
})
afterAll(async () => {
  certificates.remove()
  await servers.stop()
  await rm(folder, { recursive: true, force: true })
})

/** What an execution comes to whose Node is started so; variables with names of files in the folder of certificates. */
async function record(node: string, args: string[], files: Record<string, string>): Promise<string> {
  const variables = Object.entries(files).map(([name, file]) => [name, certificates.at(file)])
  const env = {
    RUNLEDGER_URL: url,
    RUNLEDGER_API_KEY: 'rl_user_key',
    RUNLEDGER_PROCEDURE_ID: 'FVT1',
    RUNLEDGER_SPOOL_DIR: path.join(folder, 'spool'),
    RUNLEDGER_MAX_RETRIES: '0',
    ...Object.fromEntries(variables),
  }
  const { stdout, stderr } = await runCommand(node, [...args, 'main.mjs'], { dir: folder, env })
  return stdout.trim() || stderr
}

/** Names another authority than the service's. */
const OTHER = { RUNLEDGER_CA_FILE: 'other-ca.pem' }

describe.each(listNodes())('on Node $major', ({ major, binary }) => {
  it('an unknown authority is not trusted', async () => {
    expect(await record(binary, [], {})).toBe('failed')
    expect(await record(binary, [], OTHER)).toBe('failed')
  })

  it('the authority of NODE_EXTRA_CA_CERTS is, also where caFile names another', async () => {
    const extra = { NODE_EXTRA_CA_CERTS: 'ca.pem' }
    expect(await record(binary, [], extra)).toBe('uploaded')
    expect(await record(binary, [], { ...extra, ...OTHER })).toBe('uploaded')
  })

  it(
    'so are the system’s with --use-system-ca, also where caFile names another',
    onlyIf(major >= 22, 'Node 20 has no --use-system-ca'),
    async () => {
      const system = { SSL_CERT_FILE: 'ca.pem' }
      expect(await record(binary, [], system)).toBe('failed')
      expect(await record(binary, ['--use-system-ca'], system)).toBe('uploaded')
      expect(await record(binary, ['--use-system-ca'], { ...system, ...OTHER })).toBe('uploaded')
    },
  )
})
