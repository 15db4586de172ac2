import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const BIN = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../packages/cli/dist/bin.js')

let folder: string
let children: ChildProcess[]

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runledger-serve-'))
  children = []
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

function startProcess(...flags: string[]): ChildProcess {
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', ...flags], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  return child
}

async function serve(...flags: string[]) {
  const child = startProcess('--json', ...flags)
  const [chunk] = (await once(child.stdout!, 'data')) as [Buffer]
  return { child, line: JSON.parse(String(chunk)) as { url: string; sign_in_url: string; data: string } }
}

async function readCredentials(): Promise<{ url: string; api_key: string; procedure_id: string }> {
  return JSON.parse(await readFile(path.join(folder, '.runledger/credentials.json'), 'utf8')) as Awaited<
    ReturnType<typeof readCredentials>
  >
}

async function send(method: string, url: string, body?: unknown): Promise<Response> {
  const { api_key: key } = await readCredentials()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
}

async function createRun(url: string, serialNumber: string): Promise<string | undefined> {
  const { procedure_id } = await readCredentials()
  const steps = Array.from({ length: 50 }, (_, index) => ({
    name: `step ${index}`,
    step_passed: true,
    started_at: '2026-11-20T09:00:00Z',
    duration: 'PT1S',
  }))
  const unit_under_test = { serial_number: serialNumber }
  const body = { procedure_id, unit_under_test, run_passed: true, duration: 'PT1S', steps }
  const response = await send('POST', `${url}/v1/runs/create`, body).catch(() => undefined)
  return response?.ok ? ((await response.json()) as { id: string }).id : undefined
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  let all = ''
  for await (const chunk of stream) all += String(chunk)
  return all
}

describe('runledger serve', () => {
  it('prints where it is as one line of JSON once it listens, and ends with 0 on SIGTERM', async () => {
    const { child, line } = await serve()
    expect(line).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as unknown,
      sign_in_url: expect.stringMatching(`^${line.url}/sign-in\\?code=[\\w-]{43}$`) as unknown,
      data: expect.stringMatching(/\.runledger$/) as unknown,
    })
    expect((await readCredentials()).url).toBe(line.url)
    expect((await send('GET', `${line.url}/v2/runs`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('prints what to install and what to add to the config, for the framework of the project', async () => {
    const manifest = path.join(folder, 'package.json')
    await writeFile(manifest, '{"devDependencies": {"vitest": "^4.0.0"}}')
    const [chunk] = (await once(startProcess().stdout!, 'data')) as [Buffer]
    expect(String(chunk)).toContain(
      [
        '  Vitest          npm install --save-dev @runledger/vitest',
        "                  reporters: ['default', '@runledger/vitest']",
      ].join('\n'),
    )
    expect(String(chunk)).not.toContain('@runledger/jest')
  })

  it('prints no link that signs in into a log', async () => {
    const [chunk] = (await once(startProcess().stdout!, 'data')) as [Buffer]
    expect(String(chunk)).toContain('Sign in with      the link that `runledger sign-in` prints\n')
    expect(String(chunk)).not.toContain('code=')
  })

  it('serves the built dashboard with hashed files that never change', async () => {
    const { line } = await serve()
    const page = await (await fetch(`${line.url}/runs/any`)).text()
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1]
    const asset = await fetch(`${line.url}${script}`)
    expect([asset.status, asset.headers.get('cache-control'), asset.headers.get('content-encoding')]).toEqual(
      [200, 'public, max-age=31536000, immutable', 'gzip'],
    )
    expect(asset.headers.get('content-type')).toMatch(/javascript/)
    expect((await fetch(`${line.url}/assets/none.js`)).status).toBe(404)
  })

  it('keeps every acknowledged run through kill -9 in mid-write, and starts again', async () => {
    const acknowledged: string[] = []
    for (let cycle = 0; cycle < 3; cycle += 1) {
      const { child, line } = await serve()
      const enough = acknowledged.length + 20
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        for (let index = 0; ; index += 1) {
          const id = await createRun(line.url, `${cycle}-${writer}-${index}`)
          if (id === undefined) return
          // The other writers wait for theirs meanwhile.
          if (acknowledged.push(id) === enough) child.kill('SIGKILL')
        }
      })
      await Promise.all(writers)
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(60)
    const { line } = await serve()
    for (const id of acknowledged) {
      const run = (await (await send('GET', `${line.url}/v2/runs/${id}`)).json()) as { phases: unknown[] }
      expect(run.phases).toHaveLength(50)
    }
  })

  it('refuses a data folder that another process serves, in one line', async () => {
    await serve()
    const second = startProcess()
    const [message, [code]] = await Promise.all([text(second.stderr!), once(second, 'exit')])
    expect(code).toBe(1)
    expect(message).toMatch(/^runledger: Another Runledger service uses the data folder .*\n$/)
  })

  it('writes no credentials when its port is taken', async () => {
    const { line } = await serve('--data', path.join(folder, 'first'))
    const second = startProcess('--port', new URL(line.url).port)
    const [message, [code]] = await Promise.all([text(second.stderr!), once(second, 'exit')])
    expect([code, message]).toEqual([
      1,
      expect.stringMatching(
        /^runledger: A Runledger is at http:\/\/127\.0\.0\.1:\d+ already\. To share it, .*\n$/,
      ),
    ])
    await expect(access(path.join(folder, '.runledger'))).rejects.toThrow('ENOENT')
  })

  it('makes no folder when it cannot listen', async () => {
    const { line } = await serve('--data', path.join(folder, 'first'))
    const second = startProcess('--data', path.join(folder, 'new/second'), '--port', new URL(line.url).port)
    expect(await once(second, 'exit')).toEqual([1, null])
    expect(await readdir(folder)).toEqual(['first'])
  })

  it('keeps a data folder that was there when it cannot start', async () => {
    const { child } = await serve()
    child.kill('SIGTERM')
    await once(child, 'exit')
    const { line } = await serve('--data', path.join(folder, 'first'))
    const second = startProcess('--port', new URL(line.url).port)
    expect(await once(second, 'exit')).toEqual([1, null])
    await access(path.join(folder, '.runledger/credentials.json'))
  })

  it('ends at once where no folder can be made', async () => {
    const child = startProcess('--data', '/proc/runledger/data')
    const [message, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')])
    expect(code).toBe(1)
    expect(message).toMatch(/^runledger: The data folder \/proc\/runledger\/data cannot be used: ENOENT.*\n$/)
  })

  it('continues, and ends with 0, when its output is no longer read', async () => {
    const { child, line } = await serve()
    child.stdout!.destroy()
    child.stderr!.destroy()
    const initialized = await send('POST', `${line.url}/v2/attachments`, { name: 'logged.txt' })
    await rm(path.join(folder, '.runledger/blobs/incoming'), { recursive: true })
    const { upload_url } = (await initialized.json()) as { upload_url: string }
    expect((await fetch(upload_url, { method: 'PUT', body: 'x' })).status).toBe(500)
    expect(await createRun(line.url, 'UNREAD')).toBeDefined()
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it.skipIf(process.platform === 'win32')('says in one line that it may open too few files', async () => {
    for (const limit of [40, 64]) {
      const script = `ulimit -n ${limit}; exec '${process.execPath}' '${BIN}' serve --port 0`
      const child = spawn('sh', ['-c', script], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
      children.push(child)
      const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
      const line =
        'runledger: this process may open too few files: raise the limit (ulimit -n) to 1024 or more\n'
      expect({ code: code as unknown, said }).toEqual({ code: 1, said: line })
    }
  })

  it('warns when other machines can reach it', async () => {
    const child = startProcess('--host', '0.0.0.0')
    const [chunk] = (await once(child.stderr!, 'data')) as [Buffer]
    expect(String(chunk)).toMatch(/^Warning: listening on 0\.0\.0\.0/)
  })
})

describe('the CommonJS build of the server', () => {
  it('starts and closes', async () => {
    const require = createRequire(import.meta.url)
    const { createServer, resolveServerConfig } = require('../../packages/server/dist/index.cjs') as {
      createServer(config: unknown): { start(): Promise<{ url: string; close(): Promise<void> }> }
      resolveServerConfig(flags: object, env: object): unknown
    }
    const server = await createServer(resolveServerConfig({ data: folder, port: 0 }, {})).start()
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    expect((await fetch(`${server.url}/runs`)).headers.get('content-type')).toBe('text/html; charset=utf-8')
    await server.close()
  })
})
