import type { JsonSchema, OpenApiDocument, OpenApiOperation } from '@runledger/protocol'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveServerConfig } from '../../base/config/server-config'
import { createContext, type OpenContext } from '../../open-context'
import { CLIENT_ROUTES } from '../dashboard/dashboard'
import { createApp } from '../app'
import { listRoutes } from '../../testing/start-test-server'

// As the router prints them: without their names where nothing else is below these.
const PAGES = [...CLIENT_ROUTES.map((path) => path.replace('/*', '*')), '/station*', '/*']

type App = Awaited<ReturnType<typeof createApp>>

let folder: string
let context: OpenContext
let app: App
let description: OpenApiDocument

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-openapi-'))
  const data = join(folder, 'data')
  // Without the dashboard's files, which are routes too.
  const config = resolveServerConfig(
    { data, dashboardDir: folder, publicUrl: 'https://runs.example.com' },
    {},
  )
  context = await createContext(config)
  app = await createApp(context)
  await app.ready()
  description = (await app.inject('/openapi.json')).json()
})

afterAll(async () => {
  await app.close()
  await context.close()
  await rm(folder, { recursive: true })
})

const operations = () =>
  Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method,
      operation: operation as OpenApiOperation,
    })),
  )

describe('the description', () => {
  it('is OpenAPI 3.1, checked against its official schema', async () => {
    const result = await new Validator().validate({ ...structuredClone(description) })
    expect(result.errors ?? []).toEqual([])
    expect([result.valid, description.openapi]).toEqual([true, '3.1.0'])
  })

  it('has every route of the interface, and no other', () => {
    const registered = listRoutes(app).filter(({ path }) => !PAGES.includes(path))
    const atRoot = registered.filter(({ path }) => !path.startsWith('/api/')).map(format)
    const belowApi = registered
      .filter(({ path }) => path.startsWith('/api/'))
      .map(({ method, path }) => format({ method, path: path.slice('/api'.length) }))
    expect(belowApi.sort()).toEqual(atRoot.sort())
    const described = new Set(operations().map(({ method, path }) => format({ method, path })))
    expect(atRoot.filter((route) => !described.has(route) && !route.startsWith('HEAD '))).toEqual([])
    expect([...described].filter((route) => !atRoot.includes(route))).toEqual([])
  })

  it('has HEAD on every path, as its text says', () => {
    const routes = listRoutes(app).map(format)
    const heads = Object.keys(description.paths).map((path) => format({ method: 'HEAD', path }))
    expect(heads.filter((route) => !routes.includes(route))).toEqual([])
  })

  it('names each operation once, and refers to nothing that it lacks', () => {
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const references = [...JSON.stringify(description).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
    const names = new Set(references.map(([, name]) => name))
    expect([...names].sort()).toEqual(Object.keys(description.components.schemas).sort())
  })

  it('says what every value of a request is', () => {
    const vague = operations().flatMap(({ operation }) =>
      (operation.parameters ?? []).flatMap(({ name, schema }) =>
        listVague(schema, `${operation.operationId} ${name}`),
      ),
    )
    const components = Object.entries(description.components.schemas)
    expect([...vague, ...components.flatMap(([name, schema]) => listVague(schema, name))]).toEqual([])
    expect(JSON.stringify(description)).not.toContain('describedAs')
  })

  it('says what is said of tests and their errors, wherever it is sent or answered', () => {
    const named = (names: string, sibling: string) =>
      listProperties(description.components.schemas)
        .filter((properties) => sibling in properties)
        .flatMap((properties) => names.split(' ').map((name) => [name, properties[name]?.description]))
    const all = [
      ...named('tags kind owner parent', 'more_attempts'),
      ...named('fingerprint', 'fingerprint'),
      ...named('message count tests_count branches first_run last_run', 'first_run'),
      ...named('first_error', 'first_error'),
    ]
    expect(all.length).toBeGreaterThan(20)
    expect(all.filter(([, text]) => text === undefined)).toEqual([])
    const parameters = description.paths['/v2/runs']?.get?.parameters ?? []
    expect(parameters.find(({ name }) => name === 'error_fingerprints')).toHaveProperty('description')
    expect(JSON.stringify(description)).toContain('of all tests of a run together are at most 10000')
  })

  it('declares the errors of both interfaces', () => {
    const withKey = operations().filter(({ operation }) => operation.responses['401'])
    expect(withKey.length).toBeGreaterThan(50)
    for (const { path, operation } of withKey) {
      const { content } = operation.responses['500'] ?? {}
      const record = path.startsWith('/v1/') ? 'V1Error' : 'V2Error'
      const refusal = path.endsWith('.md')
        ? { 'text/markdown': { schema: { type: 'string' } } }
        : { 'application/json': { schema: { $ref: `#/components/schemas/${record}` } } }
      expect(content).toEqual(refusal)
      expect(operation.responses['503']?.headers).toHaveProperty('Retry-After')
    }
    const create = description.paths['/v1/runs/create']?.post
    expect(Object.keys(create?.responses ?? {})).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '415',
      '422',
      '500',
      '503',
    ])
    expect(create?.parameters).toMatchObject([{ name: 'Idempotency-Key', in: 'header' }])
  })

  it('is served at both addresses with a tag, and starts with the public address', async () => {
    const first = await app.inject('/openapi.json')
    expect(first.headers['content-type']).toBe('application/json')
    expect((await app.inject('/api/openapi.json')).body).toBe(first.body)
    const headers = { 'if-none-match': String(first.headers.etag) }
    expect((await app.inject({ url: '/openapi.json', headers })).statusCode).toBe(304)
    expect(description.servers.map(({ url }) => url)).toEqual([
      'https://runs.example.com',
      'https://runs.example.com/api',
    ])
  })
})

function format({ method, path }: { method: string; path: string }): string {
  return `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')}`
}

/** Places where a schema says nothing at all. */
function listVague(schema: JsonSchema, at: string): string[] {
  const inner = [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) => listVague(one, `${at}.${name}`)),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap((one) =>
      listVague(one, at),
    ),
    ...(schema.items ? listVague(schema.items, `${at}[]`) : []),
    ...(typeof schema.additionalProperties === 'object'
      ? listVague(schema.additionalProperties, `${at}.*`)
      : []),
  ]
  return Object.keys(schema).length === 0 ? [at] : inner
}

/** The properties of every object within, at any depth. */
function listProperties(within: unknown): Record<string, JsonSchema>[] {
  if (typeof within !== 'object' || within === null) return []
  const own = 'properties' in within ? [within.properties as Record<string, JsonSchema>] : []
  return [...own, ...Object.values(within).flatMap(listProperties)]
}
