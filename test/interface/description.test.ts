import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OpenApiDocument, OpenApiOperation } from '../../packages/protocol/src/index'
import { CASES } from './cases'
import { OPERATION_NAMES } from './generated-cases'
import { UNKNOWN_ID } from './cases/unknown-id'
import { createWorld, type World } from './world'

/**
 * The walk over /openapi.json: every operation that it has is asked by a test. Those of the table are in the contract's
 * cases; the others are here, each with every status that it declares and that a client can bring about.
 */

let world: World
let description: OpenApiDocument

beforeAll(async () => {
  world = await createWorld()
  description = (await (await fetch(`${world.server.url}/openapi.json`)).json()) as OpenApiDocument
})

afterAll(() => world.stop())

interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: string
}

type Ask = (path: string, asked?: Asked) => Promise<number>

/** Statuses that only a failing or ending service answers, or more than this test can send. */
const OF_THE_SERVICE = ['413', '500', '503']

// The world's keys are there when the operations are asked.
const SIGNED: Asked = {
  get headers() {
    return { authorization: `Bearer ${world.keys.user}` }
  },
}

/** Signed with a key that may read no page. */
const OF_PROJECT: Asked = {
  get headers() {
    return { authorization: `Bearer ${world.keys.project}` }
  },
}

/** A run of the line with a number and a batch. */
async function makeLineRun(): Promise<void> {
  const times = { started_at: new Date().toISOString(), duration: 'PT1S' }
  const unit = { serial_number: 'LINE-IN-MARKDOWN', part_number: 'BOARD', batch_number: 'LOT-IN-MARKDOWN' }
  const steps = [{ name: 'supply', step_passed: true, measurement_value: 5, ...times }]
  const run = { procedure_id: world.procedureId, unit_under_test: unit, run_passed: true, steps, ...times }
  await world.client.createLenientV1Run({ body: run as never })
}

async function listLineAddresses(page: string): Promise<string[]> {
  await makeLineRun()
  const address = `/line/${page}.md`
  return [
    `${address}?procedure_id=${world.procedureId}&phase=supply`,
    `${address}?procedure_id=NOTHING&phase=supply`,
    address,
  ]
}

/** Pages of the history: the first address is one that there is. */
const HISTORY_PAGES: Record<string, () => Promise<string[]> | string[]> = {
  getHomeMarkdown: () => ['/home.md'],
  searchMarkdown: () => ['/search.md?query=shop', '/search.md?query=a'],
  listBuildsMarkdown: () => ['/builds.md', '/builds.md?states=green'],
  getBuildMarkdown: async () => [`/builds/${await makeBuild()}.md`, '/builds/unknown.md'],
  listBuildTestsMarkdown: async () => [
    `/builds/${await makeBuild()}/tests.md`,
    '/builds/unknown/tests.md',
    '/builds/unknown/tests.md?outcomes=green',
  ],
  compareBuildsMarkdown: async () => {
    const group = await makeBuild()
    return [`/compare.md?base=${group}&head=${group}`, '/compare.md', '/compare.md?base=unknown&head=unknown']
  },
  listTestsMarkdown: () => ['/tests.md', '/tests.md?days=many'],
  getTestMarkdown: async () => {
    const file = await makeBuild()
    const { data } = await world.client.listTests({ query: { files: [file] } })
    return [
      `/tests/${data[0]?.id}.md`,
      '/tests/unknown.md',
      `/tests/${UNKNOWN_ID}.md`,
      '/tests/unknown.md?branch=a&branch=b',
    ]
  },
  listYieldsMarkdown: () => listLineAddresses('yields'),
  listLineFailuresMarkdown: () => listLineAddresses('failures'),
  getLineMeasurementMarkdown: () => listLineAddresses('measurement'),
  getGaugeStudyMarkdown: () => listLineAddresses('gauge'),
  listWhereUsedMarkdown: async () => {
    await makeLineRun()
    const address = '/line/where-used.md'
    return [`${address}?batch_number=LOT-IN-MARKDOWN`, `${address}?batch_number=NO`, address]
  },
  getLineUnitMarkdown: async () => {
    await world.createRun('UNIT-IN-MARKDOWN')
    return ['/line/unit.md?serial_number=UNIT-IN-MARKDOWN', '/line/unit.md?serial_number=NO', '/line/unit.md']
  },
  listErrorsMarkdown: () => ['/errors.md', '/errors.md?limit=many'],
  getErrorMarkdown: async () => {
    await makeBuild()
    const { data } = await world.client.listErrors({ query: { limit: 1 } })
    return [`/errors/${data[0]?.fingerprint}.md`, '/errors/unknown.md', '/errors/unknown.md?created_after=x']
  },
  explainFailuresMarkdown: async () => [
    `/explanation.md?group=${await makeBuild()}`,
    '/explanation.md?group=unknown',
    '/explanation.md?limit=many',
  ],
}

/** A build with a failed test, in a file of the same name as the build. */
async function makeBuild(): Promise<string> {
  const group = world.unique('ci-markdown')
  const at = new Date().toISOString()
  await world.client.createRun({
    body: {
      procedure_id: world.procedureId,
      serial_number: world.unique('SN'),
      part_number: 'PN-1',
      outcome: 'FAIL',
      started_at: at,
      ended_at: at,
      metadata: { group, git_branch: 'main', file: group },
      phases: [
        {
          name: 'adds',
          kind: 'test',
          outcome: 'FAIL',
          started_at: at,
          ended_at: at,
          errors: [{ message: 'no' }],
        },
      ],
    },
  })
  return group
}

const OTHERS: Record<string, (ask: Ask, base: string) => Promise<number[]>> = {
  uploadAttachment: async (ask, base) => {
    const { id, address } = await initialize(base)
    const put = { method: 'PUT', body: 'bytes' }
    const stored = await ask(address, put)
    await world.client.updateRun({ params: { id: await world.createRun() }, body: { attachments: [id] } })
    const other = { method: 'PUT', body: 'other bytes' }
    const runId = await world.createRun()
    const gone = await world.client.createRunAttachment({ params: { id: runId }, body: { name: 'gone.txt' } })
    await world.client.deleteRuns({ query: { ids: [runId] } })
    return [
      stored,
      await ask(address, { ...put, headers: { 'content-encoding': 'gzip' } }),
      await ask(`${address}x`, put),
      await ask(address, other),
      await ask(pathOf(gone.upload_url), put),
    ]
  },
  downloadAttachment: async (ask) => {
    const address = await uploadedAddress()
    const range = (value: string) => ask(address, { headers: { range: value } })
    const whole = await fetch(world.server.url + address)
    const current = await ask(address, { headers: { 'if-none-match': whole.headers.get('etag') ?? '' } })
    return [
      await ask(address),
      await range('bytes=0-1'),
      await range('bytes=99999-'),
      current,
      await ask(`${address}x`),
      await ask(`${address}&download=1&download=2`),
      await ask(await goneAddress()),
    ]
  },
  headAttachment: async (ask) => {
    const address = await uploadedAddress()
    const head = (headers: Record<string, string>, path = address) => ask(path, { method: 'HEAD', headers })
    const whole = await fetch(world.server.url + address)
    return [
      await head({}),
      await head({ range: 'bytes=0-1' }),
      await head({ range: 'bytes=99999-' }),
      await head({ 'if-none-match': whole.headers.get('etag') ?? '' }),
      await head({}, `${address}x`),
      await head({}, `${address}&download=1&download=2`),
      await head({}, await goneAddress()),
    ]
  },
  signIn: async (ask) => {
    const post = (body: string, type = 'application/json') =>
      ask('/session', { method: 'POST', body, headers: { 'content-type': type } })
    const statuses = [
      await post(JSON.stringify({ key: world.keys.user })),
      await post('{}'),
      await post('{'),
      await post('{}', 'text/plain'),
    ]
    for (let failure = 0; failure < 11; failure += 1) statuses.push(await post('{"key":"wrong"}'))
    return statuses
  },
  startProviderSignIn: async (ask) => [await ask('/session/provider')],
  finishProviderSignIn: async (ask) => [await ask('/session/provider/callback')],
  signOut: async (ask) => [await ask('/session', { method: 'DELETE' })],
  getDescription: async (ask, base) => {
    const etag = (await fetch(`${base}/openapi.json`)).headers.get('etag') ?? ''
    return [await ask('/openapi.json'), await ask('/openapi.json', { headers: { 'if-none-match': etag } })]
  },
  getMetrics: async (ask) => [await ask('/metrics')],
  getRunMarkdown: async (ask) => {
    const path = `/runs/${await world.createRun()}.md`
    const unknown = '/runs/unknown.md'
    return [await ask(path, SIGNED), await ask(path), await ask(path, OF_PROJECT), await ask(unknown, SIGNED)]
  },
  listRunsMarkdown: async (ask) => [
    await ask('/runs.md', SIGNED),
    await ask('/runs.md'),
    await ask('/runs.md', OF_PROJECT),
    await ask('/runs.md?limit=many', SIGNED),
  ],
  ...Object.fromEntries(
    Object.entries(HISTORY_PAGES).map(([name, addresses]) => [
      name,
      async (ask: Ask) => {
        const paths = await addresses()
        const [first = ''] = paths
        return [
          await ask(first),
          await ask(first, OF_PROJECT),
          ...(await Promise.all(paths.map((path) => ask(path, SIGNED)))),
        ]
      },
    ]),
  ),
}

/**
 * An upload that breaks off gets no response over fetch, and the budget of unlinked uploads is too large to use up here:
 * attachments.test.ts and unlinked.test.ts of the server cover them. This service has no sign-in provider: provider-routes.test.ts has one.
 */
const ELSEWHERE: Record<string, readonly string[]> = {
  uploadAttachment: ['400', '429'],
  downloadAttachment: ['401'],
  headAttachment: ['401'],
  getMetrics: ['403'],
  startProviderSignIn: ['303'],
  finishProviderSignIn: ['303', '429'],
}

async function initialize(base: string): Promise<{ id: string; address: string }> {
  const response = await fetch(`${base}/v2/attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.keys.user}`, 'content-type': 'application/json' },
    body: '{"name":"walk.txt"}',
  })
  const { id, upload_url: url } = (await response.json()) as { id: string; upload_url: string }
  return { id, address: pathOf(url) }
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** A download address of an attachment that was deleted with its run. */
async function goneAddress(): Promise<string> {
  const id = await world.uploadAttachment()
  const { url } = await world.client.finalizeAttachment({ params: { id } })
  const runId = await world.createRun()
  await world.client.updateRun({ params: { id: runId }, body: { attachments: [id] } })
  await world.client.deleteRuns({ query: { ids: [runId] } })
  return pathOf(url)
}

async function uploadedAddress(): Promise<string> {
  const id = await world.uploadAttachment()
  const { url } = await world.client.finalizeAttachment({ params: { id } })
  return pathOf(url)
}

function listDescribed(): OpenApiOperation[] {
  return Object.values(description.paths).flatMap((path) => Object.values(path) as OpenApiOperation[])
}

describe('every operation of the description', () => {
  it('has contract cases, or is asked here', () => {
    const covered = new Set([...CASES.map(({ operation }) => operation as string), ...Object.keys(OTHERS)])
    const described = listDescribed().map(({ operationId }) => operationId)
    expect(described.filter((name) => !covered.has(name))).toEqual([])
    expect([...covered].filter((name) => !described.includes(name))).toEqual([])
    expect(OPERATION_NAMES.filter((name) => !described.includes(name))).toEqual([])
  })

  it.each(Object.keys(OTHERS))('%s answers what it declares, below both prefixes', async (name) => {
    const operation = listDescribed().find(({ operationId }) => operationId === name)
    const seen = new Set<string>()
    for (const prefix of ['', '/api']) {
      const base = world.server.url + prefix
      const ask: Ask = async (path, asked = {}) => {
        const response = await fetch(base + path, asked)
        await response.arrayBuffer()
        return response.status
      }
      for (const status of (await OTHERS[name]?.(ask, base)) ?? []) seen.add(String(status))
      // A minute later the failed sign-ins are forgotten: the throttle counts on its own clock, so once is enough.
      if (name === 'signIn') break
    }
    const declared = Object.keys(operation?.responses ?? {})
    expect([...seen].filter((status) => !declared.includes(status))).toEqual([])
    const unseen = declared.filter((status) => !seen.has(status) && !OF_THE_SERVICE.includes(status))
    expect(unseen).toEqual(ELSEWHERE[name] ?? [])
  })
})
