import { randomBytes } from 'node:crypto'
import { access, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resolveServerConfig } from './config/server-config'
import { createServer } from './server'
import { startTestServer, type TestServer } from './testing/start-test-server'

let folder: string
let servers: TestServer[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-start-'))
  servers = []
})

afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop().catch(() => undefined)))
  await rm(folder, { recursive: true, force: true })
})

async function start(flags: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  const server = await startTestServer({ data: join(folder, '.runledger'), projectDir: folder, ...flags })
  servers.push(server)
  return server
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(join(folder, path), 'utf8'))
}

describe('first start', () => {
  it('names the procedure after the nearest package.json and writes credentials for their owner alone', async () => {
    await writeFile(join(folder, 'package.json'), '{"name":"@acme/lamp"}')
    await mkdir(join(folder, 'sub'))
    const server = await start({ projectDir: join(folder, 'sub') })
    expect(await readJson('.runledger/credentials.json')).toEqual({
      url: server.url,
      api_key: expect.stringMatching(/^rl_user_[\w-]{43}$/) as unknown,
      procedure_id: 'acme-lamp',
    })
    expect((await stat(join(folder, '.runledger/credentials.json'))).mode & 0o777).toBe(0o600)
    expect(await readFile(join(folder, '.runledger/.gitignore'), 'utf8')).toBe('*\n')
    const { data } = (await (await server.send('GET', '/v2/procedures')).json()) as { data: unknown[] }
    expect(data).toMatchObject([
      { identifier: 'acme-lamp', name: '@acme/lamp', created_by_user: { name: 'Local user' } },
    ])
  })

  it('stores no key in readable form', async () => {
    const server = await start()
    await server.running.close()
    for (const name of await readdir(join(folder, '.runledger'))) {
      if (!name.includes('.db')) continue
      expect((await readFile(join(folder, '.runledger', name))).includes(server.apiKey)).toBe(false)
    }
  })

  it('keeps the key at later starts, gives the new address, and issues a key when the file is gone', async () => {
    const first = await start()
    const { id } = await first.createRun()
    await first.running.close()
    const second = await start()
    expect(second.apiKey).toBe(first.apiKey)
    expect(await readJson('.runledger/credentials.json')).toMatchObject({ url: second.url })
    expect((await second.getRun(id)).outcome).toBe('PASS')
    await second.running.close()
    await rm(join(folder, '.runledger/credentials.json'))
    const third = await start()
    expect(third.apiKey).not.toBe(first.apiKey)
    expect((await third.send('GET', `/v2/runs/${id}`)).status).toBe(200)
  })
})

describe('start', () => {
  it('refuses a data folder that another service uses, and takes it once that has stopped', async () => {
    const first = await start()
    await expect(start()).rejects.toThrow(/Another Runledger service uses the data folder/)
    expect((await first.send('GET', '/v2/runs')).status).toBe(200)
    await first.running.close()
    await start()
  })

  it('says which port is in use, and leaves the data folder free', async () => {
    const first = await start()
    const port = Number(new URL(first.url).port)
    const other = join(folder, 'other')
    const config = resolveServerConfig({ port, data: other, projectDir: folder }, {})
    await expect(createServer(config).start()).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use`)
    await expect(access(join(other, 'credentials.json'))).rejects.toThrow('ENOENT')
    await start({ data: other })
  })

  it('sweeps what a former process left half received', async () => {
    const incoming = join(folder, '.runledger', 'blobs', 'incoming')
    await mkdir(incoming, { recursive: true })
    await writeFile(join(incoming, 'left-over'), 'half')
    await start()
    expect(await readdir(incoming)).toEqual([])
  })

  it('deletes attachments that were never linked once their time is over, bytes included', async () => {
    const first = await start()
    const { id: runId } = await first.createRun()
    const linked = await first.upload('a.txt', 'linked')
    await first.upload('same.txt', 'linked')
    await first.send('PATCH', `/v2/runs/${runId}`, { attachments: [linked] })
    const unlinked = await first.upload('b.txt', 'never linked')
    await first.running.close()
    const second = await start({ unlinkedLifeHours: 0 })
    await expect
      .poll(async () => (await second.send('POST', `/v2/attachments/${unlinked}/finalize`)).status)
      .toBe(404)
    await expect.poll(async () => (await readBlobs()).length).toBe(1)
    const [attachment] = (await second.getRun(runId)).attachments
    expect(await (await fetch(attachment?.download_url ?? '')).text()).toBe('linked')
  })
})

async function readBlobs(): Promise<string[]> {
  const entries = await readdir(join(folder, '.runledger/blobs'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

describe('close', () => {
  it('lets an upload in flight finish', async () => {
    const server = await start()
    const { id: runId } = await server.createRun()
    const initialized = await server.send('POST', `/v2/runs/${runId}/attachments`, { name: 'slow.bin' })
    const { upload_url } = (await initialized.json()) as { upload_url: string }
    const bytes = randomBytes(200_000)
    let closed: Promise<void> | undefined
    const answered = new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-length': String(bytes.length) }
      const sending = httpRequest(upload_url, { method: 'PUT', headers }, ({ statusCode }) =>
        resolve(statusCode),
      )
      sending.on('error', reject)
      sending.write(bytes.subarray(0, 100_000), () => {
        setTimeout(() => {
          closed = server.running.close()
          setTimeout(() => sending.end(bytes.subarray(100_000)), 50)
        }, 50)
      })
    })
    expect(await answered).toBe(200)
    const answeredAt = Date.now()
    await closed
    expect(Date.now() - answeredAt).toBeLessThan(2000)
    const again = await start()
    expect((await again.getRun(runId)).attachments).toMatchObject([{ size: 200_000 }])
  })
})

describe('configuration', () => {
  it('takes a flag before its variable before the default', () => {
    const env = { RUNLEDGER_PORT: '9000', RUNLEDGER_PUBLIC_URL: 'https://runs.example.com/ledger/' }
    const config = resolveServerConfig({ data: '/d', port: '9100' }, env)
    expect(config).toMatchObject({
      port: 9100,
      host: '127.0.0.1',
      publicUrl: 'https://runs.example.com/ledger',
      maxAttachmentBytes: 104_857_600,
    })
    expect(resolveServerConfig({}, {})).toMatchObject({ port: 7357, publicUrl: undefined })
  })

  it('names the flag and the variable of a value that makes no sense', () => {
    expect(() => resolveServerConfig({ port: '70000' }, {})).toThrow('--port (RUNLEDGER_PORT) must be')
    expect(() => resolveServerConfig({}, { RUNLEDGER_PORT: '80a' })).toThrow('but is "80a"')
    expect(() => resolveServerConfig({ publicUrl: 'runs.example.com' }, {})).toThrow(
      '--public-url (RUNLEDGER_PUBLIC_URL)',
    )
  })
})
