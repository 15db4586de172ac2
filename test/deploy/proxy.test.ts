// @module-tag caddy
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startS3StandIn, type S3StandIn } from '../../packages/server/src/testing/s3-stand-in'
import { replaceAll } from '../docs/read-blocks'
import { describeWithPostgres } from '../postgres/with-postgres'
import { findFreePort } from '../support/recording-proxy'
import { type Service, startService } from '../support/service'
import { readDeployFile } from './deploy-files'

// deploy/compose/Caddyfile in front of two services of one database and one bucket.

const PATIENCE = { timeout: 20_000 }

describeWithPostgres('two services behind Caddy', (postgres) => {
  let folder: string
  let store: S3StandIn
  let caddy: ChildProcess
  let url: string
  let filesUrl: string
  let dispatcher: Agent
  const services: Service[] = []
  const given = { ...process.env }

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-caddy-'))
    store = await startS3StandIn()
    const host = `localhost:${await findFreePort()}`
    url = `https://${host}`
    const filesHost = `localhost:${await findFreePort()}`
    filesUrl = `https://${filesHost}`
    Object.assign(process.env, {
      RUNLEDGER_DATABASE: await postgres().createDatabase('caddy'),
      RUNLEDGER_STORAGE: store.addressOf('runs'),
      RUNLEDGER_PUBLIC_URL: url,
      RUNLEDGER_FILES_ORIGIN: filesUrl,
      RUNLEDGER_TRUST_PROXY: 'loopback',
      AWS_ACCESS_KEY_ID: store.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.credentials.secretAccessKey,
    })
    const ports = [await findFreePort(), await findFreePort()]
    const filesPorts = [await findFreePort(), await findFreePort()]
    for (const [index, port] of ports.entries()) {
      const own = path.join(folder, String(port))
      await mkdir(own)
      const args = ['--port', String(port), '--files-port', String(filesPorts[index])]
      services.push(await startService({ folder: own, args, localUrl: `http://127.0.0.1:${port}` }))
    }
    caddy = await startCaddy(folder, { PUBLIC_HOST: host, FILES_HOST: filesHost }, { ports, filesPorts })
    dispatcher = new Agent({ connect: { ca: await readRoot(folder) } })
    await vi.waitFor(async () => expect((await ask('GET', '/readyz')).status).toBe(200), PATIENCE)
  })

  afterAll(async () => {
    process.env = given
    caddy.kill()
    for (const service of services) await service.kill()
    await store.stop()
    await dispatcher.close()
    await rm(folder, { recursive: true, force: true })
  })

  const ask = async (method: 'GET' | 'POST' | 'PUT', pathname: string, body?: string | Buffer) => {
    const address = pathname.startsWith('https:') ? pathname : url + pathname
    const headers = {
      authorization: `Bearer ${services[0]?.apiKey}`,
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    }
    const response = await request(address, { dispatcher, method, headers, body: body ?? null })
    return {
      status: response.statusCode,
      headers: response.headers,
      bytes: Buffer.from(await response.body.arrayBuffer()),
    }
  }
  const createPart = (number: string) => ask('POST', '/v2/parts', JSON.stringify({ number, name: number }))

  it('passes large files on, whole', async () => {
    const bytes = randomBytes(20 * 1024 * 1024)
    const made = await ask('POST', '/v2/attachments', '{"name": "film.bin"}')
    const { id, upload_url: upload } = JSON.parse(String(made.bytes)) as Record<'id' | 'upload_url', string>
    expect(upload).toMatch(url)
    expect((await ask('PUT', upload, bytes)).status).toBe(200)
    const ended = await ask('POST', `/v2/attachments/${id}/finalize`, '{}')
    const { url: download } = JSON.parse(String(ended.bytes)) as { url: string }
    expect((await ask('GET', download)).bytes.equals(bytes)).toBe(true)
  })

  it('shows attachments under their own name, and nothing of the service there', async () => {
    expect((await ask('GET', `${filesUrl}/trace-viewer/index.html`)).status).toBe(200)
    expect((await ask('GET', `${filesUrl}/v2/runs`)).status).toBe(404)
  })

  it('keeps sums to itself, and tells the id of a request', async () => {
    expect((await ask('GET', '/metrics')).status).toBe(403)
    const { headers } = await ask('GET', '/healthz')
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('goes on with one of them when the other is gone', async () => {
    for (let count = 0; count < 10; count += 1) expect((await createPart(`before-${count}`)).status).toBe(200)
    await services.shift()?.kill()
    // The client repeats requests whose connection broke, as reporters do.
    let number = 0
    const createMany = async () => {
      for (const end = number + 40; number < end;) {
        const { status } = await createPart(`after-${(number += 1)}`)
        if (status !== 200) return status
      }
      return 200
    }
    await expect.poll(createMany).toBe(200)
  })
})

async function startCaddy(
  folder: string,
  hosts: Record<string, string>,
  { ports, filesPorts }: Record<'ports' | 'filesPorts', number[]>,
): Promise<ChildProcess> {
  const listServices = (all: number[]) => all.map((port) => `127.0.0.1:${port}`).join(' ')
  const site = replaceAll(readDeployFile('compose/Caddyfile'), {
    'service-1:7357 service-2:7357': listServices(ports),
    'service-1:7356 service-2:7356': listServices(filesPorts),
  })
  // Certificates of its own, which nobody else is made to trust, and no port but the one.
  const options = '{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n'
  const config = path.join(folder, 'Caddyfile')
  await writeFile(config, options + site)
  return spawn('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], {
    env: { ...process.env, ...hosts, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: 'ignore',
  })
}

async function readRoot(folder: string): Promise<Buffer> {
  const file = path.join(folder, 'caddy/pki/authorities/local/root.crt')
  return vi.waitFor(() => readFile(file), PATIENCE)
}
