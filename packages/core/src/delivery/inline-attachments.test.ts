import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { startMisbehavingServer, type MisbehavingServer } from '../../../../test/support/misbehaving-server'
import { answerJson, startScriptedServer } from '../../../../test/support/scripted-server'
import { answerWell } from '../../../../test/support/scripted-service'
import { sha256, suiteWith, useSpoolBench, type SpoolBench } from '../../../../test/support/spool-execution'
import { createSuite } from '../../../../test/support/suites'
import type { RunLine } from '../spool/log-lines'

let bench: SpoolBench
let server: MisbehavingServer

useSpoolBench((fresh) => ({ bench, server } = fresh))

const at = (over = {}) => ({ url: server.url, maxRetries: 0, requestTimeoutMs: 500, concurrency: 1, ...over })
const shot = { name: 'shot.png', bytes: Buffer.from('a screenshot') }
const threeSuites = () => ['a', 'b', 'c'].map((name) => suiteWith(`${name}.test.ts`))
const BARE = { honoursKeys: true, hasLookUp: true, takesInline: false }

interface Creation {
  key: string
  body: string
  inline: { name: string; content_type: string; text: string }[] | undefined
}

function listCreations({ requests }: Pick<MisbehavingServer, 'requests'>): Creation[] {
  return requests
    .filter(({ path: place }) => place === '/v1/runs/create')
    .map(({ headers, body }) => ({
      key: headers['idempotency-key'] as string,
      body: String(body),
      inline: (JSON.parse(String(body)) as { inline_attachments?: Creation['inline'] }).inline_attachments,
    }))
}

/** Every run has its own log, once, and its creation had the same bytes at every try. */
function expectLogs({ service, requests }: MisbehavingServer, count: number): void {
  expect(service.runs).toHaveLength(count)
  for (const { links, body } of service.runs) expect(links).toEqual([`${body.report_variables['file']}.log`])
  const creations = listCreations({ requests })
  const keys = new Set(creations.map(({ key }) => key))
  expect(new Set(creations.map(({ key, body }) => key + body)).size).toBe(keys.size)
}

/** Only the first is so, and the one that was begun before its response was read. */
function expectFirstOnes(creations: boolean[]): void {
  expect(creations[0]).toBe(true)
  expect(creations.slice(2)).not.toContain(true)
}

async function withService(
  traits: Parameters<typeof startMisbehavingServer>[0],
  use: (service: MisbehavingServer) => Promise<void>,
): Promise<void> {
  const service = await startMisbehavingServer(traits)
  try {
    await use(service)
  } finally {
    await service.stop()
  }
}

describe('a short log', () => {
  it('goes with the creation of its run, which is all that is sent', async () => {
    const suite = suiteWith('ä.test.ts')
    suite.output.push({ stream: 'stdout', text: '✓ "quoted" \\ \u2028 \0 🙂' })
    const result = await bench.record([suite], at())
    expect(result).toMatchObject({ status: 'uploaded', notUploaded: [] })
    expect(server.requests).toHaveLength(1)
    const [creation] = listCreations(server)
    const text = creation?.inline?.[0]?.text ?? ''
    expect(creation?.inline).toEqual([
      { name: 'ä.test.ts.log', content_type: 'text/plain; charset=utf-8', text },
    ])
    expect(text).toContain('✓ "quoted" \\ \u2028 \0 🙂')
    expect(server.service.runs[0]?.body.attachments).toEqual(['ä.test.ts.log'])
    expect(server.service.runs[0]?.attachments).toEqual({ 'ä.test.ts.log': sha256(text) })
    expect(await bench.listEntries()).toEqual([])
  })

  it('goes so beside files, which are linked by themselves', async () => {
    const execution = bench.open(at())
    execution.addSuite(suiteWith('a.test.ts', [shot]))
    await execution.settled()
    // Long enough for whatever is sent early.
    await expect.poll(() => server.requests.length, { timeout: 5_000 }).toBe(2)
    await execution.finish()
    expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'PUT', 'POST', 'PATCH'])
    expect(server.service.runs[0]?.links).toEqual(['a.test.ts.log', 't/shot.png'])
  })

  it('is sent the same way from memory without a spool', async () => {
    await writeFile(path.join(bench.dir, 'blocked'), '')
    await bench.record([suiteWith('a.test.ts')], at({ spoolDir: path.join(bench.dir, 'blocked/spool') }))
    expect(server.requests).toHaveLength(1)
    expectLogs(server, 1)
  })

  it('goes so from the spool, when it has waited', async () => {
    await server.misbehave('answers 503')
    await bench.record(threeSuites(), at())
    await server.recover()
    await bench.record([suiteWith('next.test.ts')], at())
    expect(server.requests.filter(({ method }) => method === 'PUT')).toEqual([])
    expectLogs(server, 4)
    expect(await bench.listEntries()).toEqual([])
  })

  it('is an attachment like others when it is not short', async () => {
    const suite = createSuite({
      ...suiteWith('a.test.ts'),
      output: [{ stream: 'stdout', text: 'x'.repeat(40_000) }],
    })
    await bench.record([suite], at())
    expect(server.requests.map(({ method }) => method).sort()).toEqual(['PATCH', 'POST', 'POST', 'PUT'])
    expectLogs(server, 1)
  })
})

describe('a service that does not take attachments with their run', () => {
  it('is given them apart, and is not tried again in this execution', async () => {
    await withService(BARE, async (service) => {
      await bench.record(threeSuites(), at({ url: service.url }))
      expectFirstOnes(listCreations(service).map(({ inline }) => inline !== undefined))
      expectLogs(service, 3)
      expect(await bench.listEntries()).toEqual([])
    })
  })

  it('is not sent another body later than it was sent first', async () => {
    await withService(BARE, async (service) => {
      const suites = threeSuites()
      const execution = bench.open(at({ url: service.url }))
      for (const suite of suites) execution.addSuite(suite)
      await execution.settled()
      await service.misbehave('loses every response about a run but the first')
      await execution.finish()
      await service.recover()
      await bench.record([suiteWith('next.test.ts')], at({ url: service.url }))
      expectLogs(service, 4)
      expect(await bench.listEntries()).toEqual([])
    })
  })

  it.each([
    [400, 'unknown key'],
    [413, 'request entity too large'],
    [422, 'unknown key'],
  ])('may be strict about requests: %i, %s', async (statusCode, message) => {
    const bodies: string[] = []
    const strict = await startScriptedServer((request, response, count) => {
      const body = String(request.body)
      if (request.path === '/v1/runs/create') bodies.push(body)
      if (!body.includes('inline_attachments')) return answerWell(request, response, count)
      answerJson(response, statusCode, { message })
    })
    const result = await bench.record(threeSuites(), at({ url: strict.url }))
    expect(result).toMatchObject({ status: 'uploaded', runs: 3, notUploaded: [] })
    expectFirstOnes(bodies.map((body) => body.includes('inline_attachments')))
    expect(strict.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(3)
    await strict.stop()
  })

  it.each(['yes', null, [{ name: 't/shot.png', id: 'a' }], [{ name: 7 }]])(
    'is not believed when it answers %j',
    async (inline_attachments) => {
      const strange = await startScriptedServer((request, response, count) => {
        if (request.path !== '/v1/runs/create') return answerWell(request, response, count)
        const answer = { url: 'http://localhost/runs/run-1', inline_attachments }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
      })
      await bench.record([suiteWith('a.test.ts', [shot])], at({ url: strange.url }))
      const puts = strange.requests.filter(({ method }) => method === 'PUT')
      expect(puts).toHaveLength(2)
      await strange.stop()
    },
  )
})

describe('exactly once', () => {
  const TRAITS = [true, false].flatMap((takesInline) => [
    { honoursKeys: true, hasLookUp: true, takesInline },
    { honoursKeys: true, hasLookUp: false, takesInline },
    { honoursKeys: false, hasLookUp: true, takesInline },
  ])

  it.each(TRAITS)('holds for logs when the response to a creation is lost: %j', async (traits) => {
    await withService(traits, async (service) => {
      await service.misbehave('accepts the run and loses the response')
      await bench.record(threeSuites(), at({ url: service.url, maxRetries: 1 }))
      await service.recover()
      await bench.record([suiteWith('next.test.ts')], at({ url: service.url }))
      expectLogs(service, 4)
      expect(await bench.listEntries()).toEqual([])
    })
  })

  it.each(TRAITS)('holds when the process is killed right after the response: %j', async (traits) => {
    await withService(traits, async (service) => {
      const execution = bench.open(at({ url: service.url }))
      execution.addSuite(suiteWith('a.test.ts'))
      await execution.settled()
      await bench.kill()
      const line = (await bench.readLines()).findLast(({ kind }) => kind === 'run') as RunLine
      const inline_attachments = line.attachments.flatMap((each) =>
        'text' in each ? [{ name: each.name, content_type: each.contentType, text: each.text }] : [],
      )
      expect(inline_attachments).toHaveLength(1)
      await fetch(`${service.url}/v1/runs/create`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': line.run },
        body: JSON.stringify({ ...line.request, inline_attachments }),
      })
      await bench.record([suiteWith('next.test.ts')], at({ url: service.url }))
      expectLogs(service, 2)
      expect(await bench.listEntries()).toEqual([])
    })
  })
})
