import { afterEach, expect, it } from 'vitest'
import { type MisbehavingServer, startMisbehavingServer } from '../../../../test/support/misbehaving-server'
import { answerJson, startScriptedServer } from '../../../../test/support/scripted-server'
import type { ServiceTraits } from '../../../../test/support/recording-service'
import { suiteWith, useSpoolBench, type SpoolBench } from '../../../../test/support/spool-execution'

let bench: SpoolBench
let server: MisbehavingServer

useSpoolBench((fresh) => ({ bench, server } = fresh))

const OURS: ServiceTraits = { honoursKeys: true, hasLookUp: true, takesInline: true, takesBatches: true }
const others: MisbehavingServer[] = []

async function startOther(traits: ServiceTraits): Promise<MisbehavingServer> {
  const other = await startMisbehavingServer(traits)
  others.push(other)
  return other
}

afterEach(async () => {
  for (const other of others.splice(0)) await other.stop()
})

const manySuites = (count: number) =>
  Array.from({ length: count }, (_, index) => suiteWith(`${index}.test.ts`))
const at = (url: string, over = {}) => ({ url, maxRetries: 2, ...over })

function countRequests({ requests }: MisbehavingServer): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { method, path } of requests) {
    const name = `${method} ${path.replace(/\?.*/, '').replace(/[0-9a-f-]{36}/, '…')}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

/** Every file has one run with its log. */
function expectRuns({ service }: MisbehavingServer, count: number): void {
  const found = service.runs.map(({ body, links }) => [body.report_variables['file'], links])
  const expected = manySuites(count).map(({ file }) => [file, [`${file}.log`]])
  expect(new Map(found as never)).toEqual(new Map(expected as never))
  expect(found).toHaveLength(count)
}

it('sends the first run by itself, and fifty of the others in each request', async () => {
  const result = await bench.record(manySuites(120), at(server.url))
  expect(result).toMatchObject({ status: 'uploaded', runs: 120, notUploaded: [] })
  expectRuns(server, 120)
  expect(countRequests(server)).toEqual({ 'POST /v1/runs/create': 1, 'POST /v1/runs/batch': 3 })
  expect(await bench.listEntries()).toEqual([])
})

it('sends long runs in requests of about a megabyte', async () => {
  const suites = manySuites(7)
  const text = 'x'.repeat(30_000)
  for (const suite of suites) {
    const [test] = suite.tests
    suite.tests = Array.from({ length: 12 }, (_, index) => ({
      ...(test as NonNullable<typeof test>),
      titles: [`${index}`],
      outcome: 'failed' as const,
      attempts: [
        { status: 'failed' as const, errors: [{ message: 'm', stack: text }], attachments: [], output: [] },
      ],
    }))
  }
  await bench.record(suites, at(server.url, { logs: false }))
  expect(server.service.runs).toHaveLength(7)
  const lengths = server.requests.filter(({ path }) => path.endsWith('batch')).map(({ body }) => body.length)
  expect(lengths).toHaveLength(3)
  expect(Math.max(...lengths)).toBeLessThan(1024 * 1024)
})

it.each<[string, Partial<ServiceTraits>, number]>([
  ['knows no such request', { takesBatches: false }, 1],
  ['knows nothing that is ours', { takesBatches: false, takesInline: false }, 0],
])('a service that %s gets every run by itself', async (_, traits, asked) => {
  const other = await startOther({ ...OURS, ...traits })
  expect(await bench.record(manySuites(20), at(other.url))).toMatchObject({
    status: 'uploaded',
    notUploaded: [],
  })
  expectRuns(other, 20)
  expect(countRequests(other)['POST /v1/runs/batch'] ?? 0).toBe(asked)
  expect(countRequests(other)['POST /v1/runs/create']).toBe(20)
})

it.each([400, 401, 405, 413, 501])(
  'a service that answers %i to several gets every run by itself',
  async (statusCode) => {
    const { service } = server
    const other = await startScriptedServer((request, response) => {
      if (request.path === '/v1/runs/batch') answerJson(response, statusCode, { message: 'no' })
      else service.answer(request, response)
    })
    const result = await bench.record(manySuites(20), at(other.url))
    await other.stop()
    expect(result).toMatchObject({ status: 'uploaded', notUploaded: [] })
    expect(other.requests.filter(({ path }) => path === '/v1/runs/batch')).toHaveLength(1)
    expectRuns(server, 20)
  },
)

it('a run that is refused keeps no other back', async () => {
  const suites = manySuites(5)
  await bench.record([suites[3] as never], at(server.url))
  const submissionId = server.service.runs[0]?.idempotencyKey as string
  Object.assign(suites[3] as object, { submissionId, outcome: 'failed' })
  const result = await bench.record(suites, at(server.url))
  expect(result).toMatchObject({ status: 'failed' })
  expect(result.line).toContain('409')
  expect(server.service.runs.map(({ body }) => body.report_variables['file']).sort()).toEqual(
    suites.map(({ file }) => file),
  )
  expect(await bench.listEntries()).toEqual([submissionId])
})

it.each<[string, ServiceTraits]>([
  ['keys alone', { ...OURS, hasLookUp: false }],
  ['look-up alone', { ...OURS, honoursKeys: false }],
])('creates each run once when the response to a batch is lost, by %s', async (_, traits) => {
  const other = await startOther(traits)
  await other.misbehave('loses every response about a run but the first')
  setTimeout(() => void other.recover(), 300)
  expect(await bench.record(manySuites(10), at(other.url))).toMatchObject({ status: 'uploaded', runs: 10 })
  expectRuns(other, 10)
})

it('has everything in the spool when the service goes away, and sends it once', async () => {
  await server.misbehave('loses every response about a run but the first')
  expect(await bench.record(manySuites(10), at(server.url, { maxRetries: 0 }))).toMatchObject({
    status: 'failed',
  })
  await server.recover()
  await bench.record([suiteWith('next.test.ts')], at(server.url))
  const files = server.service.runs.map(({ body }) => body.report_variables['file'])
  expect(files.sort()).toEqual([...manySuites(10).map(({ file }) => file), 'next.test.ts'].sort())
  expect(await bench.listEntries()).toEqual([])
})
