import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, vi } from 'vitest'
import type { CreatedWebhook } from '../../packages/protocol/src/index'
import { findFreePort } from '../../packages/server/src/testing/find-free-port'
import { createResponse, startTestServer } from '../../packages/server/src/testing/start-test-server'
import { readBlocks } from './read-blocks'

// docs/webhooks.md: its receiver, with the real service.

const [receiver = ''] = readBlocks('docs/webhooks.md', 'js')

it('the receiver takes messages of the service, and no others', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'runledger-webhook-'))
  const server = await startTestServer({}, { webhookIntervals: { detectMs: 1_000, sendMs: 20 } })
  const get = createResponse(() => server)
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}/`
  const { id, secret } = await get<CreatedWebhook>('POST', '/v2/webhooks', { name: 'Mine', url })
  await writeFile(path.join(folder, 'receiver.mjs'), receiver)
  const child = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
  })
  let printed = ''
  child.stdout.on('data', (chunk) => (printed += String(chunk)))
  try {
    const forge = (headers: Record<string, string>) =>
      fetch(url, { method: 'POST', body: '{"type":"forged"}', headers }).then(({ status }) => status)
    await vi.waitFor(async () => expect(await forge({})).toBe(401), { timeout: 10_000 })
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = `v1,${'A'.repeat(43)}=`
    expect(
      await forge({ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }),
    ).toBe(401)
    await get('POST', `/v2/webhooks/${id}/test`)
    await vi.waitFor(() => expect(printed).toBe('webhook.test\n'), { timeout: 10_000 })
    // A copy of the message from ten minutes ago would be refused.
    server.advance(-600)
    await get('POST', `/v2/webhooks/${id}/test`)
    await vi.waitFor(
      async () => {
        const { data } = await get<{ data: { last_status: number | null }[] }>(
          'GET',
          `/v2/webhooks/${id}/deliveries`,
        )
        expect(data.map(({ last_status: status }) => status)).toEqual([401, 204])
      },
      { timeout: 10_000 },
    )
    expect(printed).toBe('webhook.test\n')
  } finally {
    child.kill()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
