import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/start-test-server'
import { isWithBucket } from '../../testing/test-database'

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ maxAttachmentBytes: 1_000_000 })
})

afterAll(() => server.stop())

async function initialize(name: string): Promise<{ id: string; upload_url: string }> {
  return (await (await server.send('POST', '/v2/attachments', { name })).json()) as {
    id: string
    upload_url: string
  }
}

async function put(
  url: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, { method: 'PUT', body: new Blob([body as Uint8Array<ArrayBuffer>]), headers })
}

async function link(runId: string | undefined, ids: string[]): Promise<Response> {
  return server.send('PATCH', `/v2/runs/${runId}`, { attachments: ids })
}

async function storedFiles(): Promise<string[]> {
  const entries = await readdir(join(server.dataDir, 'blobs'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

async function downloadUrl(runId: string | undefined, id: string): Promise<string> {
  const found = (await server.getRun(runId)).attachments.find((attachment) => attachment.id === id)
  return found?.download_url ?? ''
}

describe('the three steps of an upload', () => {
  it('brings the bytes to the run unchanged', async () => {
    const { id: runId } = await server.createRun()
    const bytes = randomBytes(300_000)
    const id = await server.upload('test › opens/attempt-2/screen.png', bytes, {
      'content-type': 'image/png',
    })
    const linked = await link(runId, [id])
    expect([linked.status, await linked.json()]).toEqual([200, { id: runId }])
    const [attachment] = (await server.getRun(runId)).attachments
    expect(attachment).toMatchObject({
      id,
      name: 'test › opens/attempt-2/screen.png',
      size: 300_000,
      content_type: 'image/png',
    })
    const download = await fetch(attachment?.download_url ?? '')
    expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true)
  })

  it('adds ids, never removes them, and changes nothing when sent again', async () => {
    const { id: runId } = await server.createRun()
    const first = await server.upload('a.txt', 'a')
    const second = await server.upload('b.txt', 'b')
    await link(runId, [first])
    await link(runId, [second, first])
    await link(runId, [])
    expect((await server.getRun(runId)).attachments.map(({ id }) => id)).toEqual([first, second])
  })

  it('links all or none, and names what is wrong', async () => {
    const { id: runId } = await server.createRun()
    const good = await server.upload('a.txt', 'a')
    const empty = await initialize('never sent.txt')
    expect((await link(runId, [good, empty.id])).status).toBe(400)
    expect((await link(runId, [good, UNKNOWN_ID])).status).toBe(404)
    expect((await link(UNKNOWN_ID, [good])).status).toBe(404)
    expect((await server.getRun(runId)).attachments).toEqual([])
    await link(runId, [good])
    expect((await link((await server.createRun()).id, [good])).status).toBe(409)
  })

  it('works without Content-Type, chunked, and empty', async () => {
    const { id: runId } = await server.createRun()
    const untyped = await initialize('notes/log.json')
    const stream = Readable.toWeb(Readable.from(['chunk one, ', 'chunk two']))
    const init: RequestInit & { duplex: 'half' } = {
      method: 'PUT',
      body: stream as ReadableStream,
      duplex: 'half',
    }
    expect((await fetch(untyped.upload_url, init)).status).toBe(200)
    const empty = await server.upload('empty.log', '')
    await link(runId, [untyped.id, empty])
    expect((await server.getRun(runId)).attachments).toMatchObject([
      { size: 20, content_type: 'application/json' },
      { size: 0, content_type: 'text/plain' },
    ])
    const download = await fetch(await downloadUrl(runId, empty))
    expect([download.status, await download.text()]).toEqual([200, ''])
  })

  it('takes a body labelled as JSON as bytes', async () => {
    const { id: runId } = await server.createRun()
    const id = await server.upload('broken.json', '{not json', { 'content-type': 'application/json' })
    await link(runId, [id])
    expect(await (await fetch(await downloadUrl(runId, id))).text()).toBe('{not json')
  })

  it('lets a second PUT replace the first until the attachment is linked', async () => {
    const { id: runId } = await server.createRun()
    const { id, upload_url } = await initialize('a.txt')
    await put(upload_url, 'first and unlike any other')
    const before = await storedFiles()
    await put(upload_url, 'second and unlike any other')
    expect((await storedFiles()).length).toBe(before.length)
    await link(runId, [id])
    expect((await put(upload_url, 'third')).status).toBe(409)
    expect((await put(upload_url, 'second and unlike any other')).status).toBe(200)
    expect(await (await fetch(await downloadUrl(runId, id))).text()).toBe('second and unlike any other')
  })

  it.skipIf(isWithBucket)('stores equal bytes once', async () => {
    const before = (await storedFiles()).length
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => server.upload(`${index}.txt`, 'the same bytes')),
    )
    expect((await storedFiles()).length).toBe(before + 1)
  })

  it.skipIf(isWithBucket)('deletes attachments with bytes that nothing else has', async () => {
    const before = await storedFiles()
    const [first, second] = [
      await server.upload('a.txt', 'to delete'),
      await server.upload('b.txt', 'to delete'),
    ]
    const stored = (await storedFiles()).length
    expect(stored).toBe(before.length + 1)
    expect((await server.send('DELETE', `/v2/attachments?ids=${first}`)).status).toBe(200)
    expect((await storedFiles()).length).toBe(stored)
    expect((await server.send('DELETE', `/v2/attachments?ids=${second}`)).status).toBe(200)
    expect(await storedFiles()).toEqual(before)
  })
})

describe('other ways to upload', () => {
  it('serves the upload calls of the v1 era', async () => {
    const { id: runId } = await server.createRun()
    const body = { name: 'old.txt', mimeType: 'text/plain', sizeBytes: 3 }
    const answer = (await (await server.send('POST', '/v1/uploads/initialize', body)).json()) as {
      id: string
      uploadUrl: string
    }
    await put(answer.uploadUrl, 'old')
    const sync = await server.send('POST', '/v1/uploads/sync', { upload_id: answer.id, run_id: runId })
    expect(sync.status).toBe(200)
    expect((await server.getRun(runId)).attachments).toMatchObject([{ name: 'old.txt', size: 3 }])
  })

  it('links a one-shot attachment when its bytes arrive, not before', async () => {
    const { id: runId } = await server.createRun()
    const answer = (await (
      await server.send('POST', `/v2/runs/${runId}/attachments`, { name: 'x.txt' })
    ).json()) as {
      id: string
      upload_url: string
    }
    expect((await server.getRun(runId)).attachments).toEqual([])
    await put(answer.upload_url, 'x')
    expect((await server.getRun(runId)).attachments).toMatchObject([{ id: answer.id, size: 1 }])
    expect((await server.send('POST', `/v2/runs/${UNKNOWN_ID}/attachments`, { name: 'x.txt' })).status).toBe(
      404,
    )
  })

  it('finalizes to an address of the bytes, and answers 400 before they came', async () => {
    const { id, upload_url } = await initialize('f.txt')
    expect((await server.send('POST', `/v2/attachments/${id}/finalize`)).status).toBe(400)
    await put(upload_url, 'final')
    const answer = await server.send('POST', `/v2/attachments/${id}/finalize`, {})
    expect(await (await fetch(((await answer.json()) as { url: string }).url)).text()).toBe('final')
    expect((await server.send('POST', `/v2/attachments/${UNKNOWN_ID}/finalize`)).status).toBe(404)
  })

  it('refuses a name that is missing, empty or over 255 characters', async () => {
    for (const body of [{}, { name: '' }, { name: 'n'.repeat(256) }]) {
      const response = await server.send('POST', '/v2/attachments', body)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'BAD_REQUEST', issues: [{ path: ['name'] }] })
    }
  })
})

describe('what is refused or breaks', () => {
  it('answers 413 to a body over the limit, announced or chunked, and keeps nothing', async () => {
    const before = await storedFiles()
    const { id, upload_url } = await initialize('big.bin')
    const announced = await put(upload_url, new Uint8Array(1_000_001))
    expect(announced.status).toBe(413)
    expect(await announced.json()).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
    const chunks = Array.from({ length: 40 }, () => Buffer.alloc(50_000))
    const body = Readable.toWeb(Readable.from(chunks)) as ReadableStream
    const init: RequestInit & { duplex: 'half' } = { method: 'PUT', body, duplex: 'half' }
    expect((await fetch(upload_url, init)).status).toBe(413)
    expect(await storedFiles()).toEqual(before)
    expect((await link((await server.createRun()).id, [id])).status).toBe(400)
    expect((await put(upload_url, new Uint8Array(1_000_000))).status).toBe(200)
  })

  it('keeps nothing of an upload that breaks off, and takes it again', async () => {
    const before = await storedFiles()
    const { upload_url } = await initialize('cut.bin')
    const sending = httpRequest(upload_url, { method: 'PUT', headers: { 'content-length': '500000' } })
    sending.on('error', () => undefined)
    sending.write(Buffer.alloc(200_000))
    while ((await storedFiles()).length === before.length) await sleep(10)
    sending.destroy()
    while ((await storedFiles()).length > before.length) await sleep(10)
    expect(await storedFiles()).toEqual(before)
    expect((await put(upload_url, 'whole')).status).toBe(200)
    expect(server.logged).toEqual([])
  })

  it('answers 403 to an upload address that was altered or has expired', async () => {
    const one = await initialize('one.txt')
    const two = await initialize('two.txt')
    const altered = [
      one.upload_url.replace(one.id, two.id),
      one.upload_url.replace(/expires=(\d+)/, (_, seconds) => `expires=${Number(seconds) + 1}`),
      one.upload_url.replace(/signature=(.)/, (_, first) => `signature=${first === '_' ? '-' : '_'}`),
      one.upload_url.split('?')[0] ?? '',
      one.upload_url.replace('/uploads/', '/downloads/'),
    ]
    for (const url of altered) {
      const response = await put(url, 'x')
      expect([403, 404]).toContain(response.status)
    }
    expect(await (await put(altered[0] ?? '', 'x')).json()).toMatchObject({ code: 'FORBIDDEN', issues: [] })
    server.advance(14 * 60)
    expect((await put(one.upload_url, 'x')).status).toBe(200)
    server.advance(62)
    expect((await put(one.upload_url, 'x')).status).toBe(403)
  })
})
