import type { OpenApiDocument, OpenApiParameter } from '@runledger/protocol'
import { describe, expect, it } from 'vitest'
import { buildRequest, formatCurl, listMissing } from './build-request'
import { describeLimits, describeType } from './describe-type'
import { listOperations, type DescribedOperation } from './list-operations'
import { makeExample } from './make-example'

const COMPONENTS = {
  Outcome: { type: 'string', enum: ['PASS', 'FAIL'] },
  Phase: {
    type: 'object',
    properties: { name: { type: 'string' }, outcome: { $ref: '#/components/schemas/Outcome' } },
    required: ['name', 'outcome'],
  },
}

const parameter = (change: Partial<OpenApiParameter>): OpenApiParameter => ({
  name: 'id',
  in: 'path',
  required: false,
  schema: { type: 'string' },
  ...change,
})

const operation = (change: Partial<DescribedOperation> = {}): DescribedOperation => ({
  method: 'GET',
  path: '/v2/runs/{id}',
  operationId: 'getRun',
  tags: ['Runs'],
  summary: 'Get a run',
  description: '',
  responses: {},
  security: [{ apiKey: [] }],
  ...change,
})

describe('types', () => {
  it.each([
    [{ type: 'string', format: 'date-time' }, 'string, date-time'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ anyOf: [{ $ref: '#/components/schemas/Phase' }, { type: 'null' }] }, 'Phase or null'],
    [{ type: 'array', items: { $ref: '#/components/schemas/Phase' } }, 'list of Phase'],
    [{ $ref: '#/components/schemas/Outcome' }, '"PASS" | "FAIL"'],
    [{ type: 'object', additionalProperties: { type: ['string', 'number'] } }, 'map of string or number'],
    [{ const: 'ok' }, '"ok"'],
    [{}, 'anything'],
  ])('of %j are reported as %s', (schema, words) => {
    expect(describeType(schema, COMPONENTS)).toBe(words)
  })

  it('are shown with their limits', () => {
    expect(describeLimits({ type: 'string', minLength: 1, maxLength: 255 })).toBe('1 to 255 characters')
    expect(describeLimits({ anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] })).toBe('at least 0')
    expect(describeLimits({ type: 'integer', minimum: 1, maximum: 100, default: 50 })).toBe(
      '1 to 100 · default 50',
    )
    expect(describeLimits({ type: 'string' })).toBeUndefined()
  })
})

describe('examples', () => {
  it('have what is required and no more', () => {
    expect(makeExample({ $ref: '#/components/schemas/Phase' }, COMPONENTS)).toEqual({
      name: 'name',
      outcome: 'PASS',
    })
    const schema = {
      type: 'object',
      properties: {
        at: { type: 'string', examples: ['2026'] },
        ok: { type: 'boolean' },
        phases: { type: 'array' },
      },
      required: ['at', 'ok', 'phases'],
    }
    expect(makeExample(schema, {})).toEqual({ at: '2026', ok: true, phases: [] })
  })
})

describe('requests', () => {
  const listed = operation({
    path: '/v2/runs',
    parameters: [
      parameter({ name: 'ids', in: 'query', schema: { type: 'array', items: { type: 'string' } } }),
      parameter({ name: 'limit', in: 'query' }),
      parameter({ name: 'Idempotency-Key', in: 'header' }),
    ],
  })

  it('have the fields where they belong, a list as a repeated key, and nothing that is empty', () => {
    const values = { 'query.ids': 'a b\n\nc&d\n', 'query.limit': ' ', 'header.Idempotency-Key': 'once' }
    expect(buildRequest(listed, values, undefined)).toEqual({
      method: 'GET',
      path: '/v2/runs?ids=a+b&ids=c%26d',
      headers: { 'Idempotency-Key': 'once' },
      body: undefined,
    })
  })

  it('fill the path in, each parameter encoded, and tell what is missing', () => {
    const one = operation({ parameters: [parameter({ required: true })] })
    expect(buildRequest(one, { 'path.id': 'a/b' }, undefined).path).toBe('/v2/runs/a%2Fb')
    expect([listMissing(one, {}), listMissing(one, { 'path.id': 'x' })]).toEqual([['id'], []])
  })

  it('are never led to another operation by what is typed', () => {
    const one = operation({ parameters: [parameter({ required: true })] })
    expect(buildRequest(one, { 'path.id': ' .. ' }, undefined).path).toBe('/v2/runs/{id}')
    expect(listMissing(one, { 'path.id': '.' })).toEqual(['id'])
  })

  it('are reported as a line for curl that has no key in it and survives a shell', () => {
    const created = operation({
      method: 'POST',
      path: '/v2/runs',
      requestBody: { required: true, content: { 'application/json': { schema: {} } } },
    })
    const request = buildRequest(created, {}, '{"name":"it\'s"}')
    expect(formatCurl('https://runs.example.com', request, true)).toBe(
      [
        "curl -X POST 'https://runs.example.com/v2/runs'",
        '-H "Authorization: Bearer $RUNLEDGER_API_KEY"',
        "-H 'Content-Type: application/json'",
        String.raw`--data-raw '{"name":"it'\''s"}'`,
      ].join(' \\\n  '),
    )
  })

  it('that send bytes send the text that is typed, by curl as well, which reads no file for it', () => {
    const upload = operation({
      method: 'PUT',
      path: '/uploads/1',
      requestBody: { required: true, content: { '*/*': { schema: {} } } },
    })
    const request = buildRequest(upload, {}, '@package.json')
    expect(request.headers).toEqual({ 'Content-Type': 'text/plain; charset=utf-8' })
    expect(formatCurl('', request, false)).toBe(
      [
        "curl -X PUT '/uploads/1'",
        "-H 'Content-Type: text/plain; charset=utf-8'",
        "--data-raw '@package.json'",
      ].join(' \\\n  '),
    )
  })
})

describe('operations', () => {
  const description = {
    tags: [{ name: 'Runs' }, { name: 'Parts' }],
    paths: {
      '/v2/parts': {
        post: operation({ tags: ['Parts'], summary: 'Create a part', operationId: 'createPart' }),
      },
      '/v2/runs': { get: operation({ summary: 'List runs', operationId: 'listRuns' }) },
    },
  } as unknown as OpenApiDocument

  it('come by tag, and are found by any of their words', () => {
    const names = (search: string) =>
      listOperations(description, search).map(({ tag, operations }) => `${tag} ${operations.length}`)
    expect(names('')).toEqual(['Runs 1', 'Parts 1'])
    expect(names('create PART')).toEqual(['Parts 1'])
    expect(names('post /v2')).toEqual(['Parts 1'])
    expect(names('nothing')).toEqual([])
  })
})
