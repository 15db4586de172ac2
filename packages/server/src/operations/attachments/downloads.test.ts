import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBlobFile } from '../../testing/find-blob-file'
import { startTestServer, type TestServer } from '../../testing/start-test-server'
import { isWithBucket } from '../../testing/test-database'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

async function initialize(name: string): Promise<{ id: string; upload_url: string }> {
  return (await (await server.send('POST', '/v2/attachments', { name })).json()) as {
    id: string
    upload_url: string
  }
}

async function link(runId: string | undefined, ids: string[]): Promise<Response> {
  return server.send('PATCH', `/v2/runs/${runId}`, { attachments: ids })
}

async function downloadUrl(runId: string | undefined, id: string): Promise<string> {
  const found = (await server.getRun(runId)).attachments.find((attachment) => attachment.id === id)
  return found?.download_url ?? ''
}

describe('downloads', () => {
  async function linked(name: string, bytes: string, type?: string): Promise<string> {
    const { id: runId } = await server.createRun()
    const id = await server.upload(name, bytes, type === undefined ? {} : { 'content-type': type })
    await link(runId, [id])
    return downloadUrl(runId, id)
  }

  it('answers single ranges, so that videos can be searched', async () => {
    const url = await linked('v.webm', '0123456789', 'video/webm')
    const get = async (range: string) => {
      const response = await fetch(url, { headers: { range } })
      return [response.status, response.headers.get('content-range'), await response.text()]
    }
    expect(await get('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234'])
    expect(await get('bytes=7-')).toEqual([206, 'bytes 7-9/10', '789'])
    expect(await get('bytes=-3')).toEqual([206, 'bytes 7-9/10', '789'])
    expect(await get('bytes=0-99')).toEqual([206, 'bytes 0-9/10', '0123456789'])
    expect((await get('bytes=10-')).slice(0, 2)).toEqual([416, 'bytes */10'])
    expect((await get('bytes=0-1,3-4'))[0]).toBe(200)
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), head.headers.get('accept-ranges')]).toEqual([
      200,
      '10',
      'bytes',
    ])
  })

  it('answers 304 to who has the bytes already, however the condition is written', async () => {
    const url = await linked('v.webm', '0123456789', 'video/webm')
    const etag = (await fetch(url)).headers.get('etag') ?? ''
    const get = async (condition: string) =>
      (await fetch(url, { headers: { 'if-none-match': condition } })).status
    for (const condition of [etag, `W/${etag}`, `"other", W/${etag}`, `"other",${etag}`, '*'])
      expect(await get(condition), condition).toBe(304)
    for (const condition of ['"other"', etag.replaceAll('"', ''), '"*"', 'W/"other", "*"'])
      expect(await get(condition), condition).toBe(200)
  })

  it('answers HEAD with the length of the whole, whatever range is asked for', async () => {
    const url = await linked('v.webm', '0123456789', 'video/webm')
    for (const range of ['bytes=2-4', 'bytes=10-']) {
      const { status, headers } = await fetch(url, { method: 'HEAD', headers: { range } })
      expect([status, headers.get('content-length'), headers.get('content-range')]).toEqual([200, '10', null])
    }
  })

  it('refuses a part of the bytes, which would be stored as the whole', async () => {
    const { id, upload_url } = await initialize('part.txt')
    const put = (headers: Record<string, string>) =>
      fetch(upload_url, { method: 'PUT', body: '01234', headers })
    const refused = await put({ 'content-range': 'bytes 0-4/10' })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('Content-Range \\"bytes 0-4/10\\"')
    const { id: runId } = await server.createRun()
    expect((await link(runId, [id])).status).toBe(400)
    expect((await put({})).status).toBe(200)
    expect((await link(runId, [id])).status).toBe(200)
  })

  it('shows only types that cannot run script, and saves the rest as files', async () => {
    const disposition = async (name: string, type?: string, suffix = '') => {
      const { headers } = await fetch(`${await linked(name, 'x', type)}${suffix}`)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*; sandbox$/)
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      return `${headers.get('content-disposition')?.split(';')[0]} ${headers.get('content-type')}`
    }
    expect(await disposition('a.png')).toBe('inline image/png')
    expect(await disposition('a.log')).toBe('inline text/plain; charset=utf-8')
    expect(await disposition('a.txt', 'text/plain; charset=latin1')).toBe('inline text/plain; charset=utf-8')
    expect(await disposition('a.svg')).toBe('attachment application/octet-stream')
    expect(await disposition('a.html')).toBe('attachment application/octet-stream')
    expect(await disposition('a.png', 'text/html')).toBe('attachment application/octet-stream')
    expect(await disposition('a.js', 'text/javascript')).toBe('attachment application/octet-stream')
    expect(await disposition('a.pdf')).toBe('attachment application/pdf')
    expect(await disposition('trace.zip')).toBe('attachment application/zip')
    expect(await disposition('a.png', undefined, '&download=1')).toBe('attachment image/png')
  })

  it('gives the file name safely, whatever the attachment is called', async () => {
    const url = await linked('step "a"/ä"\\\r\n;x.txt', 'x')
    const header = (await fetch(url)).headers.get('content-disposition')
    expect(header).toBe(`inline; filename="??;x.txt"; filename*=UTF-8''%0D%0A%3Bx.txt`)
  })

  it('needs a key or a session where the address is not signed, and Markdown has such addresses', async () => {
    const plain = (await linked('secret.txt', 'secret')).replace(/\?.*/, '')
    const ask = async (headers: Record<string, string>) => (await fetch(plain, { headers })).status
    expect(await ask({})).toBe(403)
    expect(await ask({ authorization: 'Bearer rl_user_wrong' })).toBe(401)
    expect(await ask({ cookie: 'other=1' })).toBe(401)
    const { pathname } = new URL(plain)
    expect((await server.send('GET', pathname)).status).toBe(200)
    expect((await server.send('GET', `${pathname}?signature=x`)).status).toBe(403)
    const { id } = await server.createRun()
    await link(id, [await server.upload('shot.png', 'x')])
    const page = await (await server.send('GET', `/runs/${id}.md`)).text()
    expect(page).toMatch(/\/downloads\/[\w-]+\)/)
    expect(page).not.toContain('signature=')
  })

  it('leaves marks that turn text around out of the file name', async () => {
    const url = await linked('invoice\u202Efdp.exe', 'x')
    const header = (await fetch(url)).headers.get('content-disposition')
    expect(header).toBe('attachment; filename="invoicefdp.exe"')
  })

  it('answers 403 when the address has expired or is another attachment’s', async () => {
    const url = await linked('secret.txt', 'secret')
    const { id } = await initialize('other.txt')
    expect((await fetch(url.replace(/downloads\/[^?]+/, `downloads/${id}`))).status).toBe(403)
    expect((await fetch(url)).status).toBe(200)
    server.advance(3601)
    expect((await fetch(url)).status).toBe(403)
  })

  it.skipIf(isWithBucket)('refuses bytes that were cut short, until they are sent again', async () => {
    const bytes = 'a'.repeat(10_000)
    const url = await linked('cut.txt', bytes)
    await truncate(findBlobFile(server.dataDir, bytes) ?? '', 6_000)
    for (const headers of [{}, { range: 'bytes=0-9' }, { range: 'bytes=9000-' }]) {
      const response = await fetch(url, { headers })
      expect([response.status, await response.json()]).toMatchObject([500, { code: 'INTERNAL_SERVER_ERROR' }])
    }
    expect(server.logged.splice(0).join()).toMatch(
      /has 6000 bytes, and 10000 are on record. "runledger check"/,
    )
    const again = await linked('again.txt', bytes)
    for (const address of [again, url]) expect(await (await fetch(address)).text()).toBe(bytes)
  })

  it.skipIf(isWithBucket)('lets no cache keep the response that bytes are gone', async () => {
    const url = await linked('lost.txt', 'lost')
    await rm(join(server.dataDir, 'blobs'), { recursive: true })
    const response = await fetch(url)
    expect([response.status, response.headers.get('cache-control'), response.headers.get('etag')]).toEqual([
      500,
      'no-store',
      null,
    ])
    expect(response.headers.get('content-disposition')).toBeNull()
    expect(server.logged.splice(0)).toHaveLength(1)
  })
})
