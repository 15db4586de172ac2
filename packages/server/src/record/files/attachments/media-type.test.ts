import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/start-test-server'
import { resolveMediaType } from './bytes'

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

it('takes the media type from the name when the header is empty or none, whatever the extension', async () => {
  const types: Record<string, string> = {
    'a.png': 'image/png',
    'a.constructor': 'application/octet-stream',
    constructor: 'application/octet-stream',
    'a.__proto__': 'application/octet-stream',
  }
  const { id: runId } = await server.createRun()
  for (const name of Object.keys(types)) {
    for (const sent of ['', 'None', 'image/', 'image/png, text/html']) {
      const { id, upload_url } = await initialize(name)
      expect(
        (await fetch(upload_url, { method: 'PUT', body: 'x', headers: { 'content-type': sent } })).status,
      ).toBe(200)
      expect((await server.send('PATCH', `/v2/runs/${runId}`, { attachments: [id] })).status).toBe(200)
    }
  }
  const { attachments } = await server.getRun(runId)
  for (const { name, content_type } of attachments) expect(content_type).toBe(types[name])
})

it.each([
  ['text/html; charset=utf-8', 'text/html; charset=utf-8'],
  ['video/webm;codecs=vp8,opus', 'video/webm'],
  ['application/octet-stream;,text/javascript', 'application/octet-stream'],
  ['text/html, text/javascript', 'image/png'],
])('sends no second type after a comma: %s', (sent, resolved) => {
  expect(resolveMediaType(sent, 'a.png')).toBe(resolved)
})
