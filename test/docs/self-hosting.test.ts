import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createCertificates, type Certificates } from '../support/certificates'
import { createProject, newestVersion, runCommand } from '../support/project'
import { findFreePort } from '../support/recording-proxy'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'
import { findBlock, readBlocks, replaceAll } from './read-blocks'

// docs/self-hosting.md, with its names, paths and ports replaced by those of this test.

const DOCUMENT = 'docs/self-hosting.md'

const units = readBlocks(DOCUMENT, 'ini')
const commands = readBlocks(DOCUMENT, 'sh')
const unit = findBlock(units, 'ExecStart=/usr/local/bin/runledger serve')

let folder: string
let command: string
beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'runledger-docs-')))
  command = path.join(folder, 'runledger')
  const cli = path.join(REPOSITORY, 'packages/cli/dist/bin.js')
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`)
  await chmod(command, 0o755)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the service behind nginx', { tags: ['nginx'] }, () => {
  let certificates: Certificates
  let service: Service
  let localUrl: string
  let nginx: ChildProcess
  let url: string
  let filesUrl: string
  let dispatcher: Agent

  beforeAll(async () => {
    certificates = createCertificates()
    dispatcher = new Agent({ connect: { ca: certificates.read('ca').cert } })
    const port = await findFreePort()
    url = `https://127.0.0.1:${port}`
    const localPort = await findFreePort()
    localUrl = `http://127.0.0.1:${localPort}`
    const filesPort = await findFreePort()
    const localFilesPort = await findFreePort()
    filesUrl = `https://127.0.0.1:${filesPort}`
    service = await startService({
      folder,
      command: ['env', ...readEnvironment(url, filesUrl), command],
      args: ['--port', String(localPort), '--files-port', String(localFilesPort)],
      localUrl,
    })
    const filesOrigin = `http://127.0.0.1:${localFilesPort}`
    nginx = await startNginx({ port, filesPort, certificates, origin: localUrl, filesOrigin })
  })
  afterAll(async () => {
    nginx.kill()
    await service.stop()
    await dispatcher.close()
    certificates.remove()
  })

  const ask = (pathname: string) => request(url + pathname, { dispatcher })
  const runledger = (...args: string[]) =>
    runCommand(command, args, { dir: folder, env: { NODE_EXTRA_CA_CERTS: certificates.at('ca.pem') } })

  /** The key that CI gets by the commands of the document. */
  async function makeStationKey(): Promise<string> {
    const block = findBlock(commands, 'createStation')
    let key = ''
    let stationId = ''
    for (const line of block.trim().split('\n')) {
      const [, operation = '', rest = ''] = /^runledger call (\w+) (.*)$/.exec(line) ?? []
      const args = rest.startsWith('--body') ? ['--body', rest.slice('--body '.length + 1, -1)] : [rest]
      const { exitCode, stdout, stderr } = await runledger(
        'call',
        operation,
        ...args.map((arg) => arg.replace('STATION_ID', stationId)),
      )
      expect(exitCode, stderr).toBe(0)
      const answer = JSON.parse(stdout) as { id: string; api_key?: string; key?: string }
      if (operation === 'createStation') stationId = answer.id
      key = answer.api_key ?? answer.key ?? ''
    }
    return key
  }

  test('takes the runs of CI with its key, a large attachment among them', async () => {
    const apiKey = await makeStationKey()
    const bytes = randomBytes(20 * 1024 * 1024)
    const project = await createProject({
      framework: 'vitest',
      version: newestVersion('vitest'),
      files: {
        'vitest.config.mjs': "export default { test: { reporters: ['default', '@runledger/vitest'] } }\n",
        'video.bin': bytes,
        'a.test.js': `import { test } from 'vitest'
import { attach } from '@runledger/vitest'
test('films', () => attach('film.bin', { path: 'video.bin' }))
`,
      },
    })
    const env = {
      RUNLEDGER_URL: url,
      RUNLEDGER_API_KEY: apiKey,
      RUNLEDGER_PROCEDURE_ID: 'WEB',
      RUNLEDGER_CA_FILE: certificates.at('ca.pem'),
    }
    const { exitCode, stderr } = await project.run({ env })
    await project.remove()
    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain(`Runledger: 1 run on record, passed: ${url}/runs/`)
    const [run] = await service.readAllRuns()
    const film = run?.attachments.find(({ name }) => name.endsWith('film.bin'))
    expect(film?.download_url).toMatch(url)
    const { body } = await request(film?.download_url ?? '', { dispatcher })
    expect(Buffer.from(await body.arrayBuffer()).equals(bytes)).toBe(true)
  })

  test('attachments open under their own name, where nothing of the service is', async () => {
    const askFiles = async (pathname: string) => {
      const { statusCode, body } = await request(filesUrl + pathname, { dispatcher })
      await body.dump()
      return statusCode
    }
    expect(await askFiles('/trace-viewer/index.html')).toBe(200)
    expect(await askFiles('/v2/runs')).toBe(404)
  })

  test('a body that is too long gets the service’s own answer', async () => {
    const { statusCode, body } = await request(`${url}/v1/runs/create`, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${service.apiKey}` },
      body: JSON.stringify({ text: 'x'.repeat(9 * 1024 * 1024) }),
    })
    expect(statusCode).toBe(413)
    expect(await body.json()).toMatchObject({ error: expect.anything() as unknown })
  })

  test('people sign in through it, and a session never travels without TLS', async () => {
    const { exitCode, stdout } = await runledger('sign-in', '--json')
    expect(exitCode).toBe(0)
    const { sign_in_url: link } = JSON.parse(stdout) as { sign_in_url: string }
    expect(link).toMatch(`${url}/sign-in?code=`)
    const signedIn = await request(`${url}/session`, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: new URL(link).searchParams.get('code') }),
    })
    await signedIn.body.dump()
    expect(signedIn.statusCode).toBeLessThan(300)
    expect(String(signedIn.headers['set-cookie'])).toMatch(/; Secure/i)
  })

  test('it shows the sign-in page and its state, and no metrics', async () => {
    const statuses: Record<string, number> = {}
    for (const pathname of ['/sign-in', '/healthz', '/readyz', '/metrics']) {
      const { statusCode, body } = await ask(pathname)
      await body.dump()
      statuses[pathname] = statusCode
    }
    expect(statuses).toEqual({ '/sign-in': 200, '/healthz': 200, '/readyz': 200, '/metrics': 403 })
    expect((await fetch(`${localUrl}/metrics`)).status).toBe(200)
  })

  test('a backup and a restore work beside it', async () => {
    const [backUp, check] = [
      ...findBlock(units, 'ExecStart=/usr/local/bin/runledger backup').matchAll(/^ExecStart=(.*)$/gm),
    ].map(([, line = '']) => line.split(' ').slice(1))
    const inFolder = (args: string[] = []) =>
      args.map((arg) => (arg.startsWith('/') ? path.join(folder, path.basename(arg) + '-copy') : arg))
    const restore = (findBlock(commands, 'runledger restore').split('\n')[0] ?? '').split(' ').slice(1)
    for (const args of [backUp, check, restore]) {
      const { exitCode, stdout, stderr } = await runledger(...inFolder(args))
      expect(exitCode, stdout + stderr).toBe(0)
    }
  })
})

test('systemd takes the units', { tags: ['systemd-analyze'] }, async () => {
  const dir = path.join(folder, 'units')
  await mkdir(dir)
  const names = ['runledger.service', 'runledger-backup.service', 'runledger-backup.timer']
  expect(units).toHaveLength(names.length)
  for (const [index, name] of names.entries()) {
    const text = (units[index] as string).replaceAll('/usr/local/bin/runledger', command)
    await writeFile(path.join(dir, name), text.replace('User=runledger', 'User=root'))
  }
  const files = names.map((name) => path.join(dir, name))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], {
    encoding: 'utf8',
  })
  expect(stderr.split('\n').filter((line) => line.includes(dir))).toEqual([])
  expect(status).toBe(0)
})

/** The variables of the unit, with the public address of this test. */
function readEnvironment(url: string, filesUrl: string): string[] {
  const text = replaceAll(unit, {
    'https://runledger.example.com': url,
    'https://runledger-files.example.com': filesUrl,
  })
  return [...text.matchAll(/^Environment=(.*)$/gm)].map(([, variable = '']) => variable)
}

interface Proxy {
  port: number
  filesPort: number
  certificates: Certificates
  origin: string
  filesOrigin: string
}

async function startNginx({
  port,
  filesPort,
  certificates,
  origin,
  filesOrigin,
}: Proxy): Promise<ChildProcess> {
  const [block = ''] = readBlocks(DOCUMENT, 'nginx')
  const listen = (name: string, by: number) => ({
    [`listen 443 ssl;\n    server_name ${name}`]: `listen 127.0.0.1:${by} ssl;\n    server_name ${name}`,
  })
  const server = replaceAll(block, {
    ...listen('runledger.example.com', port),
    ...listen('runledger-files.example.com', filesPort),
    '/etc/ssl/runledger.pem': certificates.at('service.pem'),
    '/etc/ssl/private/runledger.key': certificates.at('service.key'),
    'http://127.0.0.1:7357': origin,
    'http://127.0.0.1:7356': filesOrigin,
  })
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${path.join(folder, kind)};`)
    .join('\n')
  const config = path.join(folder, 'nginx.conf')
  const main = `daemon off;\npid ${path.join(folder, 'nginx.pid')};\nerror_log stderr;\nevents {}\n`
  await writeFile(config, `${main}http {\naccess_log off;\n${temporary}\n${server}}\n`)
  const nginx = spawn('nginx', ['-c', config, '-e', 'stderr', '-g', 'user root;'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  nginx.stderr?.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
  await vi
    .waitFor(() => connect(port), { timeout: 20_000 })
    .catch((error: unknown) => {
      throw new Error(`nginx did not start: ${complaint}`, { cause: error })
    })
  return nginx
}

function connect(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(void socket.destroy()))
    socket.once('error', reject)
  })
}
