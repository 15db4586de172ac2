import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startScriptedServer, type ScriptedServer } from '../../../../test/support/scripted-server'
import { answerWell, record } from '../../../../test/support/scripted-service'
import { createAttempt, createSuite, createTest } from '../../../../test/support/suites'
import type { Attachment, Suite } from '../model/suite'

let folder: string
let server: ScriptedServer | undefined

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-delivery-'))
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await server?.stop()
  server = undefined
  await rm(folder, { recursive: true, force: true })
})

const withAttachments = (...attachments: Attachment[]): Suite =>
  createSuite({ tests: [createTest(['t'], { attempts: [createAttempt({ attachments })] })] })
const manySuites = (count: number): Suite[] =>
  Array.from({ length: count }, (_, index) =>
    createSuite({ file: `${index}.test.ts`, tests: [createTest(['t'])] }),
  )
const file = (name: string): Attachment & { path: string } => ({ name, path: path.join(folder, name) })
const listTimers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length

describe('the deadline', () => {
  it('links what has been sent when another attachment hangs', async () => {
    server = await startScriptedServer((request, response, count) => {
      if (request.method === 'PUT' && String(request.body) === 'hang') return
      answerWell(request, response, count)
    })
    const good = { name: 'good.txt', bytes: Buffer.from('good') }
    const bad = { name: 'bad.txt', bytes: Buffer.from('hang') }
    const result = await record([withAttachments(good, bad)], {
      url: server.url,
      deadlineMs: 5000,
      logs: false,
    })
    expect(result).toMatchObject({
      status: 'uploaded',
      notUploaded: [expect.stringMatching(/^attachment "t\/bad.txt".*the deadline was reached$/)],
    })
    const links = server.requests.filter(({ method }) => method === 'PATCH')
    expect(links.map(({ body }) => JSON.parse(String(body)).attachments.length)).toEqual([1])
  })

  it('is not waited for when no service listens for hundreds of suites', async () => {
    const result = await record(manySuites(200), { url: 'http://127.0.0.1:9', maxRetries: 2 })
    expect(result.printed).toContain('200 of 200 runs not sent')
    expect(result.tookMs).toBeLessThan(20_000)
  })

  it('leaves no timer behind when the transport cannot be made', async () => {
    const before = listTimers()
    const caFile = path.join(folder, 'none.pem')
    expect(await record(manySuites(1), { url: 'https://127.0.0.1:9', caFile })).toMatchObject({
      status: 'failed',
    })
    await expect.poll(listTimers, { timeout: 5_000 }).toBeLessThanOrEqual(before)
  })

  it('cuts a response that never comes to its end at the request’s own limit', async () => {
    server = await startScriptedServer((_, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write(' '), 50)
      response.once('close', () => clearInterval(drip))
    })
    const result = await record(manySuites(1), { url: server.url, requestTimeoutMs: 400, maxRetries: 0 })
    expect(result.printed).toContain('timed out after 400 ms')
    expect(result.tookMs).toBeLessThan(20_000)
  })
})

describe('a file that no spool keeps', () => {
  // Below a file no folder can be made.
  const noSpool = async (): Promise<string> => {
    await writeFile(path.join(folder, 'blocked'), '')
    return path.join(folder, 'blocked/spool')
  }

  it('that shrinks after it was announced is named at once, not tried again', async () => {
    await writeFile(file('trace.zip').path, Buffer.alloc(500_000))
    server = await startScriptedServer((request, response, count) => {
      if (!request.path.endsWith('/v2/attachments')) return answerWell(request, response, count)
      void truncate(file('trace.zip').path, 10).then(() => answerWell(request, response, count))
    })
    const result = await record([withAttachments(file('trace.zip'))], {
      url: server.url,
      logs: false,
      spoolDir: await noSpool(),
    })
    expect(result).toHaveProperty('notUploaded', [
      'attachment "t/trace.zip": the file has shrunk from 500000 to 10 bytes',
    ])
    expect(result.tookMs).toBeLessThan(2_000)
  })

  it('that is removed after it was announced spares the others', async () => {
    await writeFile(file('gone.txt').path, 'gone')
    await writeFile(file('stays.txt').path, 'stays')
    server = await startScriptedServer((request, response, count) => {
      if (count > 1) return answerWell(request, response, count)
      void rm(file('gone.txt').path).then(() => answerWell(request, response, count))
    })
    const result = await record([withAttachments(file('gone.txt'), file('stays.txt'))], {
      url: server.url,
      logs: false,
      spoolDir: await noSpool(),
    })
    expect(result).toHaveProperty('notUploaded', [
      expect.stringMatching(/^attachment "t\/gone.txt": the file cannot be read: ENOENT/),
    ])
    expect(server.requests.find(({ method }) => method === 'PUT')?.body.toString()).toBe('stays')
  })

  it('that grows is sent as long as it was announced; an empty one is sent empty', async () => {
    await writeFile(file('growing.log').path, 'first')
    await writeFile(file('empty.log').path, '')
    server = await startScriptedServer((request, response, count) => {
      if (count > 1) return answerWell(request, response, count)
      void writeFile(file('growing.log').path, 'first and more').then(() =>
        answerWell(request, response, count),
      )
    })
    const result = await record([withAttachments(file('growing.log'), file('empty.log'))], {
      url: server.url,
      logs: false,
      spoolDir: await noSpool(),
    })
    expect(result).toHaveProperty('notUploaded', [])
    const puts = server.requests.filter(({ method }) => method === 'PUT')
    expect(puts.map(({ body, headers }) => [String(body), headers['content-length']]).sort()).toEqual([
      ['', '0'],
      ['first', '5'],
    ])
  })
})

it('does not make Node warn of listeners at a high concurrency', async () => {
  const warnings: string[] = []
  const listen = (warning: Error) => void warnings.push(warning.name)
  process.on('warning', listen)
  server = await startScriptedServer((request, response, count) => {
    setTimeout(() => answerWell(request, response, count), 20)
  })
  await record(manySuites(40), { url: server.url, concurrency: 20, logs: false })
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', listen)
  expect(warnings).toEqual([])
})
