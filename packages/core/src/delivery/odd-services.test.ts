import { afterEach, describe, expect, it } from 'vitest'
import {
  answerJson,
  startScriptedServer,
  type Script,
  type ScriptedServer,
} from '../../../../test/support/scripted-server'
import { answerWell, record, type Recording } from '../../../../test/support/scripted-service'
import { createSuite, createTest, SAID } from '../../../../test/support/suites'
import type { Options } from '../config/options'

let server: ScriptedServer | undefined

afterEach(async () => {
  await server?.stop()
  server = undefined
})

const suites = [createSuite({ tests: [createTest(['t'])], output: [SAID] })]

/** Records one suite with a log at a service that creates runs in its own way. */
async function recordAt(create: Script, options: Options = {}): Promise<Recording> {
  server = await startScriptedServer((request, response, count) =>
    (request.path.startsWith('/v1') ? create : answerWell)(request, response, count),
  )
  return record(suites, { url: server.url, ...options })
}

const linkedTo = () => server?.requests.find(({ method }) => method === 'PATCH')?.path

describe('a service that answers in its own way', () => {
  it.each([
    [200, { url: 'http://x.example/runs/r%201?tab=steps#top' }, '/v2/runs/r%201'],
    [201, { url: 'http://x.example/runs/7/' }, '/v2/runs/7'],
    [200, { url: 'http://x.example/runs/7', id: 7, warnings: [{ code: 1 }], message: null }, '/v2/runs/7'],
    [200, { url: 'http://x.example/runs/other', id: '50%' }, '/v2/runs/50%25'],
    [200, { url: 'http://x.example/runs/100%' }, '/v2/runs/100%25'],
  ])('with %i %j has its run linked at %s', async (statusCode, answer, path) => {
    const result = await recordAt((_, response) => answerJson(response, statusCode, answer))
    expect(result).toMatchObject({ status: 'uploaded', url: answer.url, notUploaded: [] })
    expect(linkedTo()).toBe(path)
  })

  it('without a run id has the run on record, and its attachments named', async () => {
    const result = await recordAt((_, response) => answerJson(response, 200, { url: '' }))
    expect(result).toMatchObject({ status: 'uploaded', runs: 1 })
    expect(result).toHaveProperty('notUploaded', [expect.stringContaining('no run id')])
  })

  it.each([404, 501])(
    'creates a run again whose response is lost where a look-up is answered by %i',
    async (statusCode) => {
      let creations = 0
      server = await startScriptedServer((request, response, count) => {
        creations += Number(request.path.startsWith('/v1'))
        if (request.path.startsWith('/v1') && creations === 1) response.socket?.resetAndDestroy()
        else if (request.method === 'GET') answerJson(response, statusCode, { message: 'no' })
        else answerWell(request, response, count)
      })
      expect(await record(suites, { url: server.url, maxRetries: 2 })).toMatchObject({ status: 'uploaded' })
      expect(creations).toBe(2)
    },
  )

  it('may answer uploads and links with 204', async () => {
    server = await startScriptedServer((request, response, count) => {
      if (request.method === 'POST') return answerWell(request, response, count)
      response.writeHead(204).end()
    })
    expect(await record(suites, { url: server.url })).toMatchObject({ status: 'uploaded', notUploaded: [] })
  })

  it.each([
    ['', 204, 'answered 204 with something else than its interface says: no JSON'],
    ['<!DOCTYPE html>', 200, 'a web page, not the service; check url (RUNLEDGER_URL)'],
    ['<html><body>Sign in</body></html>', 404, 'answered 404: a web page, not the service; check url'],
    ['{"ok":true}', 200, 'says: url: Invalid input: expected string, received undefined'],
  ])('with %j %i to creation is described in one line', async (body, statusCode, words) => {
    const { printed } = await recordAt((_, response) => void response.writeHead(statusCode).end(body))
    expect(printed).toContain(words)
    expect(printed.trim().split('\n')).toHaveLength(1)
  })

  it('is not followed to another address, which would be handed the key', async () => {
    const other = await startScriptedServer(answerWell)
    const { printed } = await recordAt(
      (request, response) => void response.writeHead(307, { location: other.url + request.path }).end(),
    )
    expect(printed).toContain('answered 307; it is moved: check url (RUNLEDGER_URL)')
    expect(other.requests).toEqual([])
    await other.stop()
  })

  it('keeps its message where the rest of its error is odd', async () => {
    const problem = { message: 'No procedure was found', code: null, status_code: '404', issues: 'none' }
    const { printed } = await recordAt((_, response) => answerJson(response, 404, problem))
    expect(printed).toContain('answered 404: No procedure was found; check procedureId')
  })

  it('cannot flood or colour the terminal', async () => {
    const issues = Array.from({ length: 3000 }, (_, index) => ({ path: ['steps', index], message: 'wrong' }))
    const problem = { message: `\u001b[31m${'no '.repeat(9000)}`, code: 'BAD_REQUEST', issues }
    const { printed } = await recordAt((_, response) => answerJson(response, 400, problem))
    expect(printed.length).toBeLessThan(1200)
    expect(printed).toContain('steps.2: wrong, and 2997 more')
    expect(printed).not.toContain('\u001b')
  })
})

it('spares the other suites when an option cannot be worked out for one', async () => {
  server = await startScriptedServer(answerWell)
  const procedureId = ({ file }: { file: string }) => (file === 'b.test.ts' ? '' : 'FVT1')
  const both = [...suites, createSuite({ file: 'b.test.ts', tests: [createTest(['t'])] })]
  const result = await record(both, { url: server.url, procedureId, failOnUploadError: true })
  expect(result).toMatchObject({ status: 'failed', failOnUploadError: true })
  expect(result.printed).toContain('1 run on record, passed')
  expect(result.printed).toContain('1 of 2 runs not sent: option procedureId could not be worked out')
})

it.each([
  ['serialNumber', 'serial_number'],
  ['partNumber', 'part_number'],
  ['revision', 'revision'],
] as const)(
  'does not shorten a %s that the user gave, and says in words that it is too long',
  async (option, field) => {
    server = await startScriptedServer(answerWell)
    const given = { serialNumber: 's'.repeat(60), partNumber: 'p'.repeat(60), revision: 'r'.repeat(60) }
    expect(await record(suites, { url: server.url, unitUnderTest: given })).toMatchObject({
      status: 'uploaded',
    })
    const created = server.requests.filter(({ path }) => path.startsWith('/v1'))
    expect(created).toHaveLength(1)
    expect(String(created[0]?.body)).toContain(`"${field}":"${given[option]}"`)
    const unitUnderTest = { ...given, [option]: 'x'.repeat(61) }
    const { printed } = await record(suites, { url: server.url, unitUnderTest })
    expect(printed).toMatch(
      new RegExp(`unitUnderTest could not be worked out: ${field}: .* <=60 characters\\.\n$`),
    )
    expect(server.requests.filter(({ path }) => path.startsWith('/v1'))).toHaveLength(1)
  },
)
