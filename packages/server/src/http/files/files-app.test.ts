import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resolveServerConfig } from '../../base/config/server-config'
import { findFreePort } from '../../testing/find-free-port'
import { startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

interface Addresses {
  open: string | null
  download: string
}

async function attach(on: TestServer, name: string, bytes: string, type?: string): Promise<Addresses> {
  const { id: runId } = await on.createRun()
  const id = await on.upload(name, bytes, type === undefined ? {} : { 'content-type': type })
  await on.send('PATCH', `/v2/runs/${runId}`, { attachments: [id] })
  const [attachment] = (await on.getRun(runId)).attachments
  return { open: attachment?.open_url ?? null, download: attachment?.download_url ?? '' }
}

describe('the origin of files', () => {
  it('is the viewer’s for a trace, with the signed address on its own origin', async () => {
    const { open, download } = await attach(server, 'test-1/trace.zip', 'PK')
    const url = new URL(open ?? '')
    expect(url.origin).not.toBe(server.url)
    expect(url.pathname).toBe('/trace-viewer/index.html')
    const { pathname, search } = new URL(download)
    expect(url.searchParams.get('trace')).toBe(pathname + search)
    expect(await (await fetch(new URL(pathname + search, url))).text()).toBe('PK')
  })

  it.each([
    ['report.html', undefined, true],
    ['report', 'text/html; charset=utf-8', true],
    ['page.xhtml', 'application/xhtml+xml', true],
    ['flame.svg', undefined, true],
    ['report.html', 'text/plain', false],
    ['shot.png', undefined, false],
    ['data.zip', undefined, false],
  ])('opens %s of type %s: %s', async (name, type, opens) => {
    const { open } = await attach(server, name, '<b>x</b>', type)
    expect(open !== null).toBe(opens)
    if (open === null) return
    const { status, headers } = await fetch(open)
    expect([status, headers.get('content-disposition'), headers.get('x-content-type-options')]).toEqual([
      200,
      'inline',
      'nosniff',
    ])
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(
      /^default-src 'unsafe-inline' 'unsafe-eval' data: blob:; .*; sandbox allow-scripts/,
    )
    expect(policy).not.toContain('allow-same-origin')
    expect(policy).not.toContain('allow-top-navigation')
  })

  it('sends other attachments as the service does', async () => {
    const { download } = await attach(server, 'a.js', 'alert(1)', 'text/javascript')
    const { open } = await attach(server, 'b.html', 'x')
    const { headers } = await fetch(
      new URL(new URL(download).pathname + new URL(download).search, open ?? ''),
    )
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('content-disposition')).toBe('attachment; filename="a.js"')
  })

  it('takes signed addresses alone: no key, no session, no later expiry', async () => {
    const { open } = await attach(server, 'secret.html', 'secret')
    const url = new URL(open ?? '')
    const session = await fetch(`${server.url}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: server.apiKey }),
    })
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
    const ask = async (address: URL | string, headers: Record<string, string> = {}) =>
      (await fetch(address, { headers })).status
    expect(await ask(url, { cookie })).toBe(200)
    const unsigned = url.origin + url.pathname
    expect(await ask(`${server.url}${url.pathname}`, { cookie })).toBe(200)
    expect(await ask(unsigned, { cookie })).toBe(403)
    expect(await ask(unsigned, { authorization: `Bearer ${server.apiKey}` })).toBe(403)
    url.searchParams.set('expires', '999999999999')
    expect(await ask(url)).toBe(403)
  })

  it('has no operation, no page, no session, and sets no cookie', async () => {
    const { origin } = new URL((await attach(server, 'a.html', 'x')).open ?? '')
    for (const path of [
      '/',
      '/v2/runs',
      '/api/v2/runs',
      '/v1/runs',
      '/session',
      '/metrics',
      '/runs/1.md',
      '/%',
    ]) {
      const { status, headers } = await fetch(origin + path, {
        headers: { authorization: `Bearer ${server.apiKey}`, accept: 'text/html' },
      })
      expect([path, status >= 400, headers.get('set-cookie')]).toEqual([path, true, null])
    }
    const signIn = await fetch(`${origin}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: server.apiKey }),
    })
    expect([signIn.status, signIn.headers.get('set-cookie')]).toEqual([404, null])
    expect((await fetch(`${origin}/healthz`)).headers.get('cross-origin-resource-policy')).toBe(
      'cross-origin',
    )
  })

  it('lets an address expire', async () => {
    const { open } = await attach(server, 'old.html', 'x')
    server.advance(3601)
    expect((await fetch(open ?? '')).status).toBe(403)
  })
})

describe('where the origin of files is', () => {
  it('is a free port when the one below is taken', async () => {
    const port = await findFreePort()
    const taken = createServer().listen(port - 1, '127.0.0.1')
    // Another test may have taken it already.
    await once(taken, 'listening').catch(() => undefined)
    const other = await startTestServer({ port })
    const { open } = await attach(other, 'a.html', 'x')
    expect(Number(new URL(open ?? '').port)).not.toBe(port - 1)
    expect((await fetch(open ?? '')).status).toBe(200)
    await other.stop()
    taken.close()
  })

  it('is refused with the setting when the chosen port is taken', async () => {
    const filesPort = new URL((await attach(server, 'a.html', 'x')).open ?? '').port
    await expect(startTestServer({ filesPort })).rejects.toThrow(
      `Port ${filesPort}, which serves the origin of attachments, cannot be opened (EADDRINUSE). Give another with --files-port`,
    )
  })

  it('is nowhere behind a proxy that no setting names, and where the setting says otherwise', async () => {
    const port = await findFreePort()
    const publicUrl = `http://127.0.0.1:${port}`
    const hidden = await startTestServer({ port, publicUrl })
    expect((await attach(hidden, 'trace.zip', 'PK')).open).toBeNull()
    await hidden.stop()
    const filesOrigin = 'https://runs-files.example.com'
    const shown = await startTestServer({ port, publicUrl, filesOrigin, filesPort: 0 })
    expect((await attach(shown, 'trace.zip', 'PK')).open).toMatch(
      `${filesOrigin}/trace-viewer/index.html?trace=`,
    )
    await shown.stop()
  })

  it('never is the origin of the service', () => {
    const publicUrl = 'https://runs.example.com/ledger'
    const resolve = (flags: object) => () => resolveServerConfig({ publicUrl, ...flags }, {})
    expect(resolve({ filesOrigin: 'https://runs.example.com/' })).toThrow(
      '--files-origin (RUNLEDGER_FILES_ORIGIN) must differ from the origin of --public-url',
    )
    expect(resolve({ filesPort: 7356 })).toThrow(
      '--files-port (RUNLEDGER_FILES_PORT) with --public-url needs',
    )
    for (const filesOrigin of ['https://files.example.com/a', 'files.example.com', 'ftp://files.example.com'])
      expect(resolve({ filesOrigin })).toThrow('must be an origin without a path')
    expect(resolve({ filesOrigin: 'https://files.example.com/' })()).toMatchObject({
      filesOrigin: 'https://files.example.com',
    })
  })
})
