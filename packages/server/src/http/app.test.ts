import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { minimalRun, startTestServer, type TestServer } from '../testing/start-test-server'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

describe('routes', () => {
  it('are served at / and under /api', async () => {
    for (const prefix of ['', '/api']) {
      expect((await server.send('GET', `${prefix}/v2/runs`)).status).toBe(200)
      expect((await server.send('GET', `${prefix}/v2/procedures`)).status).toBe(200)
      expect((await server.send('GET', `${prefix}/healthz`)).status).toBe(200)
    }
  })

  it('label answers exactly application/json, errors too', async () => {
    for (const path of ['/v2/runs', `/v2/runs/${randomUUID()}`, '/nope', '/readyz']) {
      expect((await server.send('GET', path)).headers.get('content-type')).toBe('application/json')
    }
    const created = await server.send('POST', '/v1/runs/create', minimalRun(server.procedureId))
    expect([created.status, created.headers.get('content-type')]).toEqual([200, 'application/json'])
  })

  it('do nothing for a request that breaks off, also where its body is of no use', async () => {
    const { id = '' } = await server.createRun()
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    await once(socket, 'connect')
    const closed = once(socket, 'close')
    socket.resume()
    socket.end(
      `DELETE /v1/runs/${id} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.apiKey}\r\ncontent-length: 9\r\n\r\n{}`,
    )
    await closed
    expect((await server.getRun(id)).id).toBe(id)
    expect((await server.send('DELETE', `/v1/runs/${id}`, '{"whole": true}')).status).toBe(200)
  })

  it('answer HEAD on a known path with 200 and no body, without a key', async () => {
    for (const path of [
      '/v1/runs/create',
      '/v1/runs',
      '/v2/attachments',
      '/v2/runs',
      '/api/v2/procedures',
      '/runs',
      '/uploads/any',
    ]) {
      expect((await fetch(`${server.url}${path}`, { method: 'HEAD' })).status).toBe(200)
    }
    expect((await fetch(`${server.url}/nope`, { method: 'HEAD' })).status).toBe(404)
  })

  it('answer 404 to an unknown route or method, whatever the body is', async () => {
    const unknown = await server.send('POST', '/v2/nope', 'x', { 'content-type': 'text/weird' })
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { code: 'NOT_FOUND', message: 'The route POST /v2/nope was not found.', issues: [] },
    ])
    expect((await server.send('PUT', '/v2/runs')).status).toBe(404)
    expect((await server.send('DELETE', '/v1/runs')).status).toBe(404)
  })

  it('hand out addresses that never depend on the Host header', async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const headers = {
        host: 'evil.example',
        authorization: `Bearer ${server.apiKey}`,
        'content-type': 'application/json',
      }
      const sending = httpRequest(`${server.url}/v2/attachments`, { method: 'POST', headers }, (response) => {
        response.setEncoding('utf8').on('data', resolve)
      })
      sending.on('error', reject).end('{"name":"x"}')
    })
    expect(text).toContain(`"upload_url":"${server.url}/uploads/`)
  })
})

describe('error records', () => {
  it('are of v1 under /v1 and of v2 elsewhere', async () => {
    const v1 = await server.send('POST', '/api/v1/runs/create', {})
    expect(await v1.json()).toMatchObject({
      status_code: 400,
      code: 'BAD_REQUEST',
      message: 'Input validation failed',
      error: { message: 'Input validation failed' },
    })
    const v2 = (await (await server.send('GET', `/v2/runs/${randomUUID()}`)).json()) as object
    expect(Object.keys(v2).sort()).toEqual(['code', 'issues', 'message'])
  })

  it('are sent also for a request that is no HTTP', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.end('NONSENSE\r\n\r\n')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    const [head, body] = String(answer).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
    expect(JSON.parse(body ?? '')).toMatchObject({
      status_code: 400,
      code: 'BAD_REQUEST',
      issues: [],
      error: { message: expect.any(String) as unknown },
    })
  })

  it('say 415 to a body that is not labelled as JSON, and PARSE_ERROR to malformed JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream']) {
      const response = await server.send('POST', '/v1/runs/create', '{}', { 'content-type': type })
      expect([response.status, await response.json()]).toMatchObject([
        415,
        { code: 'UNSUPPORTED_MEDIA_TYPE' },
      ])
    }
    for (const text of ['{', '{"a":1,}', 'nul']) {
      const response = await server.send('POST', '/v2/procedures', text)
      expect([response.status, await response.json()]).toMatchObject([400, { code: 'PARSE_ERROR' }])
    }
    expect(
      (await server.send('POST', '/v1/runs', '{}', { 'content-type': 'application/json; charset=utf-8' }))
        .status,
    ).toBe(400)
    expect((await server.send('POST', '/v1/runs', '')).status).toBe(400)
  })
})

describe('bodies', () => {
  it('are not looked at where none is needed, whatever they are labelled as', async () => {
    for (const type of ['text/plain', 'application/json', ';;;', '']) {
      const response = await server.send('DELETE', '/session', 'x=1', { 'content-type': type })
      expect(response.status).toBe(200)
      const unknown = await server.send('POST', `/v2/attachments/${randomUUID()}/finalize`, '{', {
        'content-type': type,
      })
      expect(unknown.status).toBe(404)
    }
  })
})

describe('keys', () => {
  it('are taken with the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const response = await server.send('GET', '/v2/runs', undefined, {
        authorization: `${scheme} ${server.apiKey}`,
      })
      expect(response.status).toBe(200)
    }
  })

  it('get the same 401 whatever is wrong, before the body is looked at', async () => {
    const wrong = [
      '',
      server.apiKey,
      'Bearer',
      'Bearer rl_user_unknown',
      `Basic ${server.apiKey}`,
      `Bearer ${server.apiKey}x`,
    ]
    const answers = await Promise.all(
      wrong.map(async (authorization) => {
        const response = await server.send('POST', '/v2/attachments', '{broken', { authorization })
        return `${response.status} ${await response.text()}`
      }),
    )
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toMatch(/^401 .*"UNAUTHORIZED".*Invalid API key\./)
  })
})

describe('dashboard pages', () => {
  it('come with a policy that allows no script but their own, and no frame', async () => {
    for (const path of ['/', '/runs', '/runs/some-id', '/sign-in?code=x']) {
      const response = await fetch(`${server.url}${path}`)
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ])
      const policy = response.headers.get('content-security-policy')
      const nonce = /script-src 'nonce-([\w+/=]+)' 'strict-dynamic';/.exec(policy ?? '')?.[1]
      const scripts = (await response.text()).match(/<script [^>]*/g) ?? []
      for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`)
      expect(policy).toContain("frame-ancestors 'none'")
    }
  })

  it('answer a browser at an unknown address with a page and 404', async () => {
    const response = await fetch(`${server.url}/nowhere`, { headers: { accept: 'text/html,*/*' } })
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  })
})
