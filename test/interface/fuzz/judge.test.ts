import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { OpenApiDocument } from '../../../packages/protocol/src/index'
import { buildDescription } from '../../../packages/server/src/http/openapi/build-description'
import { Random } from '../../support/random'
import { generateRequest, type FuzzRequest } from './generate-request'
import { Judge } from './judge'
import { Pool } from './pool'
import { parseResponse, type RawResponse } from './raw-client'
import { shrink } from './shrink'

/** What watches the service is watched itself: each thing that it is there to find, it finds. */

let description: OpenApiDocument
let judge: Judge

beforeAll(() => {
  description = buildDescription({ publicUrl: 'http://127.0.0.1:7357' })
  judge = new Judge(description)
})

function describeRequest(change: Partial<FuzzRequest> = {}): FuzzRequest {
  const operation = description.paths['/v2/procedures']?.post
  if (!operation) throw new Error('not described')
  return {
    raw: { method: 'POST', target: '/v2/procedures', headers: [], body: undefined, framing: 'length' },
    described: { method: 'post', path: '/v2/procedures', operation },
    as: 'user',
    mutations: [],
    isRouted: true,
    isWhole: true,
    ...change,
  }
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): RawResponse {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: bytes }
}

const REFUSED = { code: 'BAD_REQUEST', message: 'no', issues: [] }

describe('the judge', () => {
  it('takes what is described', () => {
    expect(judge.judge(describeRequest(), answer(200, { id: 'x' }))).toBeUndefined()
    expect(judge.judge(describeRequest(), answer(400, REFUSED))).toBeUndefined()
  })

  it.each([
    ['a failure of the service', answer(500, { ...REFUSED, code: 'INTERNAL_SERVER_ERROR' }), /^status: 500/],
    ['a status that is not declared', answer(418, REFUSED), /^undeclared: status 418/],
    ['a response that lacks a key', answer(200, {}), /^schema: .*required/],
    ['a response with a key too many', answer(200, { id: 'x', secret: 1 }), /^schema: .*additional/],
    ['a value of another type', answer(200, { id: 1 }), /^schema: .*string/],
    ['a code that does not go with the status', answer(400, { ...REFUSED, code: 'CONFLICT' }), /^code: /],
    ['an error record of the other interface', answer(400, { message: 'x' }), /^schema: /],
    [
      'a label with a charset',
      answer(200, { id: 'x' }, { 'content-type': 'application/json; charset=utf-8' }),
      /^type: /,
    ],
    ['401 without its header', answer(401, { ...REFUSED, code: 'UNAUTHORIZED' }), /^headers: /],
    ['a connection that just ends', 'closed' as const, /^closed: /],
    ['no response', 'hang' as const, /^hang: /],
  ])('finds %s', (_name, sent, failure) => {
    expect(judge.judge(describeRequest(), sent)).toMatch(failure)
  })

  it('takes a closed connection only for what is no whole request', () => {
    expect(judge.judge(describeRequest({ isWhole: false }), 'closed')).toBeUndefined()
  })

  it('holds what reached no operation to the error records', () => {
    const other = describeRequest({ isRouted: false })
    expect(judge.judge(other, answer(404, { ...REFUSED, code: 'NOT_FOUND' }))).toBeUndefined()
    expect(judge.judge(other, answer(404, '<h1>Not Found</h1>'))).toMatch(/^schema: /)
  })
})

describe('the judge of pages as Markdown', () => {
  const markdown = { 'content-type': 'text/markdown; charset=utf-8' }
  const asked = (change: Partial<FuzzRequest> = {}) => {
    const path = '/runs/{id}.md'
    const operation = description.paths[path]?.get
    if (!operation) throw new Error('not described')
    const raw = {
      method: 'GET',
      target: '/runs/A.md',
      headers: [],
      body: undefined,
      framing: 'length' as const,
    }
    return describeRequest({ raw, described: { method: 'get', path, operation }, ...change })
  }

  it('takes refusals in Markdown, also where the request may have reached no operation', () => {
    expect(judge.judge(asked(), answer(404, '404: not found', markdown))).toBeUndefined()
    expect(judge.judge(asked({ isRouted: false }), answer(404, '404: not found', markdown))).toBeUndefined()
  })

  it('finds responses of another type', () => {
    expect(judge.judge(asked(), answer(404, { ...REFUSED, code: 'NOT_FOUND' }))).toMatch(/^type: /)
    expect(judge.judge(asked({ isRouted: false }), answer(404, { ...REFUSED, code: 'CONFLICT' }))).toMatch(
      /^code: /,
    )
    const other = describeRequest({ isRouted: false })
    expect(judge.judge(other, answer(404, '404: not found', markdown))).toMatch(/^type: /)
  })
})

describe('requests', () => {
  it('are the same for the same seed, and of many kinds', () => {
    const path = '/v1/runs/create'
    const operation = description.paths[path]?.post
    if (!operation) throw new Error('not described')
    const generate = (seed: string) =>
      generateRequest({
        description,
        random: new Random(seed),
        pool: new Pool([]),
        path,
        procedureId: 'FVT1',
        keys: { user: 'u', station: 's', 'other-station': 'o', nobody: undefined },
        described: { method: 'post', path, operation },
      })
    const seeds = Array.from({ length: 300 }, (_, index) => String(index))
    const made = seeds.map(generate)
    const digests = [made, seeds.map(generate)].map((requests) =>
      createHash('sha256').update(JSON.stringify(requests)).digest('hex'),
    )
    expect(digests[0]).toBe(digests[1])
    const mutations = new Set(made.flatMap((request) => request.mutations))
    expect(mutations.size).toBeGreaterThan(100)
    expect(made.filter((request) => request.mutations.length === 0).length).toBeGreaterThan(30)
  })

  it('are shrunk to what makes them fail', async () => {
    const body = Buffer.from(JSON.stringify({ a: [1, 2, { bad: true, good: 1 }], b: 'x' }))
    const raw = {
      method: 'POST',
      target: '/x?a=1&b=2',
      headers: [['A', '1']] as const,
      body,
      framing: 'length' as const,
    }
    const smaller = await shrink(raw, async ({ body: sent }) => String(sent).includes('bad'))
    expect(smaller).toMatchObject({ target: '/x', headers: [] })
    expect(String(smaller.body)).toBe('{"a":[{"bad":true}]}')
  })
})

describe('answers', () => {
  it('are read whole, in chunks or announced, after interim ones', () => {
    const read = (text: string, method = 'GET') => parseResponse(Buffer.from(text), method)
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc')).toBeUndefined()
    expect(
      read('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab')?.body.toString(),
    ).toBe('ab')
    const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n'
    expect(read(chunked)?.body.toString()).toBe('abcd')
    for (let length = 0; length < chunked.length; length += 1)
      expect(read(chunked.slice(0, length))).toBeUndefined()
    const zipped = gzipSync('abc')
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${zipped.length}\r\n\r\n`
    expect(parseResponse(Buffer.concat([Buffer.from(head), zipped]), 'GET')?.body.toString()).toBe('abc')
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', 'HEAD')?.status).toBe(200)
  })
})
