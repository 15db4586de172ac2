import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { access, chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { type AddressInfo, connect, createServer as createNetServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resolveServerConfig } from './base/config/server-config'
import { createContext } from './open-context'
import { StartError } from './base/errors'
import { createServer } from './server'
import { startTestServer, type TestServer } from './testing/start-test-server'
import { isOnPostgres, isWithBucket } from './testing/test-database'

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
      service_secret: expect.stringMatching(/^[\w-]{43}$/) as unknown,
    })
    expect((await stat(join(folder, '.runledger/credentials.json'))).mode & 0o777).toBe(0o600)
    expect(await readFile(join(folder, '.runledger/.gitignore'), 'utf8')).toBe('*\n')
    const { data } = (await (await server.send('GET', '/v2/procedures')).json()) as { data: unknown[] }
    expect(data).toMatchObject([
      { identifier: 'acme-lamp', name: '@acme/lamp', created_by_user: { name: 'Local user' } },
    ])
  })

  it.skipIf(isOnPostgres)('stores no key in readable form', async () => {
    const server = await start()
    await server.running.close()
    const names = (await readdir(join(folder, '.runledger'))).filter((name) => name.includes('.db'))
    expect(names).toContain('runledger.db')
    for (const name of names) {
      // What lies beside the database goes with its last connection, which may be now.
      const read = readFile(join(folder, '.runledger', name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT' || name === 'runledger.db') throw error
        return Buffer.alloc(0)
      })
      expect((await read).includes(server.apiKey)).toBe(false)
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

  it.skipIf(isOnPostgres)('says in one sentence what is wrong with a data folder', async () => {
    await writeFile(join(folder, 'file'), '')
    await expect(start({ data: join(folder, 'file') })).rejects.toThrow(
      /^The data folder .*file cannot be used/,
    )
    await mkdir(join(folder, 'broken'))
    await writeFile(join(folder, 'broken', 'runledger.db'), 'no database '.repeat(20))
    const broken = start({ data: join(folder, 'broken') })
    await expect(broken).rejects.toThrow(
      /^The database .*broken\/runledger\.db is damaged, or is not an SQLite database: file is not/,
    )
    await expect(broken).rejects.toBeInstanceOf(StartError)
  })

  it('blames the folder, not the port, for credentials that cannot be written', async () => {
    await mkdir(join(folder, `.runledger/credentials.json.${process.pid}.tmp`), { recursive: true })
    await expect(start()).rejects.toThrow(/^The data folder .* cannot be used: EISDIR/)
  })

  it('takes no folder that is something else, and overwrites nothing in it', async () => {
    const project = join(folder, 'project')
    await mkdir(project)
    await writeFile(join(project, 'package.json'), '{}')
    await expect(start({ data: project })).rejects.toThrow('holds package.json')
    const cloud = join(folder, 'cloud')
    await mkdir(cloud)
    await writeFile(join(cloud, 'credentials.json'), '{"type":"service_account"}')
    await expect(start({ data: cloud })).rejects.toThrow('holds a credentials.json that is not')
    expect(await readdir(project)).toEqual(['package.json'])
    expect(await readJson('cloud/credentials.json')).toEqual({ type: 'service_account' })
    await mkdir(join(folder, '.runledger'))
    await writeFile(join(folder, '.runledger/.gitignore'), '*.db\n')
    await start()
    expect(await readFile(join(folder, '.runledger/.gitignore'), 'utf8')).toBe('*.db\n')
  })

  it.skipIf(isWithBucket)('removes bytes that a killed process stored for no attachment', async () => {
    const first = await start()
    const kept = await first.upload('kept.txt', 'kept')
    await first.running.close()
    const orphan = join(folder, '.runledger/blobs/ab', `ab${'0'.repeat(62)}`)
    await mkdir(join(folder, '.runledger/blobs/ab'), { recursive: true })
    await writeFile(orphan, 'orphan')
    const second = await start()
    await expect.poll(() => access(orphan).catch((error: unknown) => String(error))).toMatch(/ENOENT/)
    const finalized = await second.send('POST', `/v2/attachments/${kept}/finalize`)
    const { url } = (await finalized.json()) as { url: string }
    expect(await (await fetch(url)).text()).toBe('kept')
  })

  it('says that another Runledger has the port and how to share it, and leaves the data folder free', async () => {
    const first = await start()
    const port = Number(new URL(first.url).port)
    const other = join(folder, 'other')
    const config = resolveServerConfig({ port, data: other, projectDir: folder }, {})
    await expect(createServer(config).start()).rejects.toThrow(
      `A Runledger is at ${first.url} already. To share it, set RUNLEDGER_URL=${first.url}`,
    )
    await expect(access(join(other, 'credentials.json'))).rejects.toThrow('ENOENT')
    await start({ data: other })
  })

  it('says which port another program has', async () => {
    const other = createNetServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const config = resolveServerConfig({ port, data: join(folder, 'other'), projectDir: folder }, {})
    await expect(createServer(config).start()).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use`)
    other.close()
  })

  it.runIf(process.platform !== 'win32')(
    'closes a folder that is there, and what is in it, to others',
    async () => {
      const data = join(folder, '.runledger')
      await mkdir(data)
      await chmod(data, 0o755)
      const first = await start()
      await first.upload('a.txt', 'a')
      const openToOthers = async () => {
        const names = ['', ...(await readdir(data, { recursive: true }))]
        const modes = await Promise.all(names.map(async (name) => (await stat(join(data, name))).mode))
        return names.filter((_, index) => ((modes[index] ?? 0) & 0o077) !== 0)
      }
      expect(await openToOthers()).toEqual([])
      await first.running.close()
      for (const name of await readdir(data)) await chmod(join(data, name), 0o755)
      await start()
      expect(await openToOthers()).toEqual([])
    },
  )

  it('keeps git away from a folder before anything is in it', async () => {
    const context = await createContext(
      resolveServerConfig({ data: join(folder, 'new'), projectDir: folder }, {}),
    )
    await context.close()
    expect(await readFile(join(folder, 'new/.gitignore'), 'utf8')).toBe('*\n')
  })

  it.each([
    ['no address of this machine', '198.51.100.1', '--host 198.51.100.1 is not an address of this machine'],
    ['no address at all', 'x'.repeat(300), 'Nothing can listen on xxx'],
  ])('says that it was given %s, and makes no folder', async (_, host, message) => {
    const data = join(folder, 'new')
    const config = resolveServerConfig({ host, port: 0, data, projectDir: folder }, {})
    await expect(createServer(config).start()).rejects.toThrow(message)
    await expect(access(data)).rejects.toThrow('ENOENT')
  })

  it('listens on this machine alone when the flag for the address is empty', () => {
    expect(resolveServerConfig({ host: '', data: ' ' }, {})).toMatchObject({
      host: '127.0.0.1',
      dataDir: join(process.cwd(), '.runledger'),
    })
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
    if (!isWithBucket) await expect.poll(async () => (await readBlobs()).length).toBe(1)
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

describe('close at once', () => {
  it('may be called twice', async () => {
    const server = await start()
    await Promise.all([server.running.close(), server.running.close()])
    await server.running.close()
  })

  it('does not wait for connections that a browser opened in advance', async () => {
    const server = await start()
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    await once(socket, 'connect')
    await server.send('GET', '/v2/runs')
    const startedAt = Date.now()
    await server.running.close()
    expect(Date.now() - startedAt).toBeLessThan(2000)
    socket.destroy()
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
    for (const trustProxy of ['10.0.0.0/33', 'everybody', '1.2.3.4,']) {
      expect(() => resolveServerConfig({ trustProxy }, {})).toThrow('--trust-proxy (RUNLEDGER_TRUST_PROXY)')
    }
    expect(resolveServerConfig({ trustProxy: 'loopback, 10.0.0.0/8,::1' }, {}).trustProxy).toBe(
      'loopback, 10.0.0.0/8,::1',
    )
    expect(() => resolveServerConfig({}, { RUNLEDGER_LOG_LEVEL: 'loud' })).toThrow(
      '--log-level (RUNLEDGER_LOG_LEVEL) must be one of silent, error',
    )
    for (const publicUrl of ['runs.example.com', 'https://user:secret@runs.example.com']) {
      expect(() => resolveServerConfig({ publicUrl }, {})).toThrow('--public-url (RUNLEDGER_PUBLIC_URL)')
    }
  })
})
