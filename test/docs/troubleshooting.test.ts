import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCertificates, type Certificates } from '../support/certificates'
import { createProject, newestVersion, runCommand, type Project } from '../support/project'
import { REPOSITORY } from '../support/repository'
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server'
import { startService, type Service } from '../support/service'
import { readBlocks } from './read-blocks'

// docs/troubleshooting.md: the reporter prints every message of the guide in the trouble that the text describes.

const DOCUMENT = 'docs/troubleshooting.md'
const text = readFileSync(path.join(REPOSITORY, DOCUMENT), 'utf8').replaceAll(/^```.*?^```$/gms, '')
const COMMAND = /^(?:npx|git) /
const messages = [...text.matchAll(/`([^`]+)`/g)]
  .map(([, message = '']) => message)
  .filter((message) => message.includes(' ') && !COMMAND.test(message))

let service: Service
let hanging: ScriptedServer
let certificates: Certificates
let unknownAuthority: Server
let project: Project
let blockedFolder: string
/** Of a station that is linked to no procedure. */
let stationKey: string

beforeAll(async () => {
  service = await startService()
  const station = (await post('/v2/stations', { name: 'Bench' })) as { id: string }
  stationKey = (
    (await post('/v2/keys', { kind: 'station', name: 'CI', station_id: station.id })) as { key: string }
  ).key
  hanging = await startScriptedServer(() => undefined)
  certificates = createCertificates()
  unknownAuthority = createTlsServer(certificates.read('service'), (_, response) => response.end()).listen(
    0,
    '127.0.0.1',
  )
  blockedFolder = path.join(await mkdtemp(path.join(os.tmpdir(), 'runledger-docs-')), 'a-file')
  await writeFile(blockedFolder, '')
  project = await createProject({
    framework: 'vitest',
    version: newestVersion('vitest'),
    files: {
      'vitest.config.mjs': "export default { test: { reporters: ['default', '@runledger/vitest'] } }\n",
      'a.test.mjs':
        "import { expect, test } from 'vitest'\ntest('holds', () => { expect(process.env.BROKEN).toBe(undefined) })\n",
      'package.json': JSON.stringify({
        name: 'widget',
        devDependencies: { vitest: '*', '@runledger/vitest': '*' },
      }),
    },
  })
})
afterAll(async () => {
  await Promise.all([service.stop(), hanging.stop(), project.remove()])
  certificates.remove()
  unknownAuthority.close()
  await rm(path.dirname(blockedFolder), { recursive: true, force: true })
})

async function post(pathname: string, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
  const response = await fetch(service.url + pathname, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  return response.json()
}

/** With these everything is recorded. */
const settings = () => ({
  RUNLEDGER_URL: service.url,
  RUNLEDGER_API_KEY: service.apiKey,
  RUNLEDGER_PROCEDURE_ID: service.procedureId,
})

/** The part of each message by which it is known, and the variables that bring it about. */
const TROUBLES: Record<string, () => Record<string, string | undefined>> = {
  'no API key': () => ({ RUNLEDGER_URL: undefined, RUNLEDGER_API_KEY: undefined }),
  'not the address': () => ({ RUNLEDGER_URL: undefined }),
  'no procedure:': () => ({ RUNLEDGER_PROCEDURE_ID: undefined }),
  'it is wrong, expired or revoked': () => ({ RUNLEDGER_API_KEY: 'rl_wrong' }),
  'check procedureId': () => ({ RUNLEDGER_PROCEDURE_ID: 'NO-SUCH-PROCEDURE' }),
  'check procedureId (': () => ({ RUNLEDGER_API_KEY: stationKey }),
  'and that the service runs': () => ({ RUNLEDGER_URL: 'http://127.0.0.1:9' }),
  'set caFile': () => ({
    RUNLEDGER_URL: `https://127.0.0.1:${(unknownAuthority.address() as AddressInfo).port}`,
  }),
  'does not speak TLS': () => ({ RUNLEDGER_URL: service.url.replace('http:', 'https:') }),
  'default branch is not known': () => ({
    BROKEN: '1',
    CI: 'true',
    GIT_BRANCH: 'topic',
    JENKINS_URL: 'http://j',
  }),
  'in the spool': () => ({ RUNLEDGER_URL: hanging.url, RUNLEDGER_DEADLINE_MS: '1000' }),
  'cannot be used': () => ({ RUNLEDGER_SPOOL_DIR: blockedFolder }),
  'cannot be …': () => ({ RUNLEDGER_DEADLINE_MS: 'soon' }),
  'nothing is on record': () => ({ RUNLEDGER_DEADLINE_MS: 'soon' }),
  'did you mean': () => ({ RUNLEDGER_PROCEDUR_ID: 'X' }),
}

/** Tests of messages that variables alone do not bring about, by their files. */
const OTHER_TESTS: Record<string, string> = {
  'watch mode is not recorded': 'test/frameworks/node-test.test.ts',
}

test('every message of the guide is tried', () => {
  const marks = [...Object.keys(TROUBLES), ...Object.keys(OTHER_TESTS)]
  expect(messages.length).toBeGreaterThan(10)
  expect(messages.filter((message) => !marks.some((mark) => message.includes(mark)))).toEqual([])
})

test.each(Object.entries(TROUBLES))('the reporter prints %s', async (mark, bringAbout) => {
  const [message, ...others] = messages.filter((each) => each.includes(mark))
  expect([message, ...others], mark).toEqual([expect.any(String)])
  const spoolDir = `${project.dir}.state/${mark.replaceAll(/\W/g, '-')}`
  const env = { ...settings(), RUNLEDGER_SPOOL_DIR: spoolDir, ...bringAbout() }
  const { stderr, exitCode } = await project.run({ env })
  expect(exitCode, stderr).toBe('BROKEN' in env ? 1 : 0)
  expect(stderr).toMatch(toPattern(message ?? ''))
})

test.each(Object.entries(OTHER_TESTS))('%s is expected by %s', (message, file) => {
  expect(messages).toContain(message)
  expect(readFileSync(path.join(REPOSITORY, file), 'utf8')).toContain(`'Runledger: ${message}'`)
})

const PHOTO = `import { attach } from '@runledger/vitest'
import { test } from 'vitest'
test('takes a photo', () => attach('photo', { body: new Uint8Array(6_000), contentType: 'image/png' }))
`

test('attachments that were left out are in the log of the run, refused ones in the last line', async () => {
  const strict = await startService({ args: ['--max-attachment-bytes', '5000'] })
  const files = {
    'vitest.config.mjs': "export default { test: { reporters: ['default', '@runledger/vitest'] } }\n",
    'photo.test.mjs': PHOTO,
  }
  const photos = await createProject({ framework: 'vitest', version: newestVersion('vitest'), files })
  try {
    const env = { RUNLEDGER_MAX_ATTACHMENT_BYTES: '5000' }
    const left = await photos.run({ service, env })
    const run = await service.readRun(/runs\/(\S+)/.exec(left.stderr)?.[1] ?? '')
    const log = (await service.download(run, 'photo.test.mjs.log')).toString()
    expect(log).toContain('its 6000 bytes are over maxAttachmentBytes (5000)')
    const refused = await photos.run({ service: strict })
    expect(refused.stderr).toMatch(/photo.*answered 413/)
  } finally {
    await Promise.all([strict.stop(), photos.remove()])
  }
})

const commands = readBlocks(DOCUMENT, 'sh').flatMap((block) => block.trim().split('\n'))

test.each(commands)('%s', async (command) => {
  const args = command.replace('npx runledger', path.join(REPOSITORY, 'packages/cli/dist/bin.js')).split(' ')
  const env = { ...settings(), XDG_STATE_HOME: `${project.dir}.state` }
  const { exitCode, stdout, stderr } = await runCommand(process.execPath, args, { dir: project.dir, env })
  expect(exitCode, stdout + stderr).toBe(0)
})

/** `…` stands for what differs from one project to another. */
function toPattern(message: string): RegExp {
  const parts = message.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(parts.join('.+'))
}
