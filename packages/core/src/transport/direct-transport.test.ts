import { expect, it, vi } from 'vitest'
import { createDirectTransport } from './direct-transport'

vi.mock('./http-transport', () => ({ findHttpClient: () => Promise.reject(new Error('Cannot find it')) }))

it('tells of a client that does not load that nothing was sent', async () => {
  const proxies = { http: '', https: '', unproxied: '' }
  const transport = createDirectTransport({ tls: {}, connections: 1, proxies, isBackground: false })
  const response = await transport.send({
    method: 'POST',
    url: 'http://127.0.0.1/runs?key=1',
    headers: {},
    timeoutMs: 1_000,
    signal: new AbortController().signal,
  })
  const message = 'no answer from POST http://127.0.0.1/runs: Cannot find it'
  expect(response).toMatchObject({ kind: 'unsendable', error: { wasSent: false, message } })
  await transport.close()
})
