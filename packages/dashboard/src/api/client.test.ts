import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError, UnreachableError, isPassing, isSignInNeeded } from './api-error'
import { readJson, readTextStart } from './client'

const ANSWERS: Record<string, [statusCode: number, body: string]> = {
  '/good': [200, '{"data":[1]}'],
  '/page': [200, '<html>'],
  '/word': [200, '"ok"'],
  '/nothing': [200, 'null'],
  '/refused': [401, '{"code":"UNAUTHORIZED","message":"Invalid API key.","issues":[]}'],
  '/invalid': [
    400,
    '{"code":"BAD_REQUEST","message":"Input validation failed","issues":[{"path":["limit"],"message":"limit must be at most 100"}]}',
  ],
  '/gateway': [502, '<html>Bad gateway</html>'],
  '/other-error': [500, '{"message":"No upstream.","issues":{}}'],
  '/nested-error': [502, '{"message":{"text":"No upstream."}}'],
  '/odd-issue': [400, '{"message":"Bad request.","issues":[null]}'],
  '/null': [503, 'null'],
  '/text': [200, 'é'.repeat(500_000)],
}

let server: Server
let url: string

beforeAll(async () => {
  server = createServer((request, response) => {
    const [statusCode, body] = ANSWERS[new URL(request.url ?? '', 'http://x').pathname] ?? [404, '']
    response.writeHead(statusCode)
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const errorOf = (path: string) =>
  readJson({ path: `${url}${path}` }).then(
    () => undefined,
    (error: unknown) => error,
  )

describe('answers', () => {
  it('are read as JSON', async () => {
    expect(await readJson({ path: `${url}/good`, query: [['a', 'b c']] })).toEqual({ data: [1] })
  })

  it.each(['/page', '/word', '/nothing'])('that are no JSON object or list are errors: %s', async (path) => {
    const error = await errorOf(path)
    expect(error).toBeInstanceOf(ApiError)
    expect((error as ApiError).message).toContain(`${path} is not a JSON object or list`)
  })
})

describe('errors', () => {
  it('say what the service said, and whether one must sign in', async () => {
    const error = await errorOf('/refused')
    expect(error).toMatchObject({ statusCode: 401, message: 'Invalid API key.' })
    expect([isSignInNeeded(error), isPassing(error)]).toEqual([true, false])
  })

  it('name the first thing that is wrong with what was sent', async () => {
    expect(await errorOf('/invalid')).toMatchObject({
      message: 'Input validation failed: limit must be at most 100',
    })
  })

  it('without a record of the service name the status, and pass when it is a 5xx', async () => {
    const error = await errorOf('/gateway')
    expect(error).toMatchObject({ statusCode: 502, message: 'The service answered 502.' })
    expect([isSignInNeeded(error), isPassing(error)]).toEqual([false, true])
  })

  it('of something before the service are named as far as they can be read', async () => {
    const messages = ['/other-error', '/nested-error', '/odd-issue', '/null'].map(async (path) => {
      const error = await errorOf(path)
      expect(error).toBeInstanceOf(ApiError)
      return (error as ApiError).message
    })
    expect(await Promise.all(messages)).toEqual([
      'No upstream.',
      'The service answered 502.',
      'Bad request.',
      'The service answered 503.',
    ])
  })

  it('for no response are of another kind', async () => {
    const error = await readJson({ path: 'http://127.0.0.1:1/' }).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(UnreachableError)
    expect(isPassing(error)).toBe(true)
  })
})

describe('the start of a text', () => {
  const read = (maxBytes: number) => readTextStart(`${url}/text`, maxBytes, new AbortController().signal)

  it('is as long as asked for and ends with a whole character', async () => {
    expect(await read(1001)).toEqual({ text: 'é'.repeat(500), isCut: true })
  })

  it('is the whole text when that is no longer', async () => {
    const { text, isCut } = await read(1_000_000)
    expect([text.length, isCut]).toEqual([500_000, false])
  })
})
