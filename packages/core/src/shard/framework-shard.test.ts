import { EventEmitter } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { takeFrameworkShard } from './framework-shard'

const FILES = ['e.js', 'b.js', 'c.js', 'd.js', 'a.js']
const COUNTED = ['b.js', 'd.js']
const KEY = 'rl_key_of_the_shard'

let projectRoot: string
let server: Server | undefined

beforeEach(async () => {
  projectRoot = await mkdtemp(path.join(os.tmpdir(), 'runledger-shard-'))
})

afterEach(async () => {
  server?.closeAllConnections()
  server?.close()
  server = undefined
  await rm(projectRoot, { recursive: true })
})

interface Asked {
  by_count?: boolean
  name?: string
  files: string[]
}

interface Reply {
  status: number
  body: object
}

const plan = (files: readonly string[], absent: readonly string[] = [], byCount = false): Reply => ({
  status: 201,
  body: { files, absent, planned_at: '2026-11-30T10:00:00.000Z', by_count: byCount },
})
const refuse = (status: number, message: string): Reply => ({
  status,
  body: { code: 'ERROR', message, issues: [] },
})

async function listen(listener: RequestListener): Promise<string> {
  const started = createServer(listener)
  server = started
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`
}

/** A service that gives these replies in turn; the last one again and again. No reply to `undefined`. */
async function reply(...replies: (Reply | undefined)[]): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = []
  const url = await listen((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const given = replies[Math.min(asked.length, replies.length - 1)]
      asked.push(JSON.parse(text) as Asked)
      if (!given) return void request.socket.destroy()
      response.writeHead(given.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(given.body))
    })
  })
  return { url, asked }
}

interface Taken {
  files: string[] | undefined
  lines: string[]
  atEnd: string[]
  /** Whether it is known what the other shards run. */
  isCompared: () => boolean
  /** Ends the process. Returns its exit code. */
  exit: () => number
}

/** Takes the second of two shards. */
async function take(
  url: string | undefined,
  env: Record<string, string | undefined> = {},
  exitCode?: number,
): Promise<Taken> {
  const program = Object.assign(new EventEmitter(), { exitCode })
  const [lines, atEnd] = [[] as string[], [] as string[]]
  const files = await takeFrameworkShard(
    { framework: 'jest', shard: { index: 2, total: 2 }, files: [...FILES, 'a.js'] },
    {
      projectRoot,
      env: {
        RUNLEDGER_URL: url,
        RUNLEDGER_API_KEY: url && KEY,
        RUNLEDGER_PROCEDURE_ID: 'FVT',
        RUNLEDGER_GROUP: 'ci-1',
        XDG_STATE_HOME: projectRoot,
        ...env,
      },
      print: (line) => lines.push(line),
      prepareExitPrinter: () => (line) => atEnd.push(line),
      program: program as unknown as NodeJS.Process,
      clock: { nowMs: () => performance.now(), sleep: () => Promise.resolve() },
    },
  )
  const [warn] = program.listeners('exit')
  return {
    files: files && [...files],
    lines,
    atEnd,
    isCompared: () => !program.listeners('exit').includes(warn as () => void),
    exit: () => {
      program.emit('exit', program.exitCode ?? 0)
      return Number(program.exitCode ?? 0)
    },
  }
}

const SHARD = 'shard 2 of 2: 2 of 5 files'

describe("a shard of a framework's own", () => {
  it("runs the plan's files, and sends each of its own once", async () => {
    const { url, asked } = await reply(plan(['c.js', 'e.js']))
    const taken = await take(url, { RUNLEDGER_SHARD_NAME: 'unit' })
    expect(taken).toMatchObject({ files: ['c.js', 'e.js'], atEnd: [] })
    expect(taken.lines).toEqual([`${SHARD}, by the service's plan`])
    expect(asked).toMatchObject([{ name: 'unit', files: FILES.toSorted(), shard_index: 2, shard_total: 2 }])
    expect(taken.exit()).toBe(0)
  })

  it('fails at the end if it lacks a file of its plan', async () => {
    const { url } = await reply(plan(['c.js'], ['gone.js']))
    const taken = await take(url)
    expect(taken.atEnd).toEqual([])
    expect(taken.exit()).toBe(1)
    expect(taken.atEnd).toEqual([
      expect.stringMatching(/found 1 file that shard 2 should run and does not have: gone\.js\./),
    ])
  })

  it('keeps a failing exit code', async () => {
    const { url } = await reply(plan(['c.js'], ['gone.js']))
    expect((await take(url, {}, 3)).exit()).toBe(3)
  })

  it.each([
    ['without a service', {}, 'no service is set (RUNLEDGER_URL, RUNLEDGER_API_KEY)'],
    [
      'where reporters are disabled',
      { RUNLEDGER_DISABLED: '1' },
      'Runledger is disabled (RUNLEDGER_DISABLED)',
    ],
    [
      'in a pull request from a fork',
      { RUNLEDGER_URL: 'http://127.0.0.1:9', CIRCLE_PR_REPONAME: 'lamp' },
      'no service is set (RUNLEDGER_URL, RUNLEDGER_API_KEY)',
    ],
  ])('leaves the files to the framework %s', async (_where, env, reason) => {
    const taken = await take(undefined, env)
    expect(taken.files).toBeUndefined()
    expect(taken.lines).toEqual([`shard 2 of 2: files are divided by count: ${reason}`])
    expect(taken.exit()).toBe(0)
  })

  it('leaves the files to the framework without a build that shards share', async () => {
    const { url, asked } = await reply(plan([]))
    const taken = await take(url, { RUNLEDGER_GROUP: undefined })
    expect(taken.files).toBeUndefined()
    expect(taken.lines[0]).toMatch(/neither a group \(RUNLEDGER_GROUP\) nor a commit is known$/)
    expect(asked).toEqual([])
  })

  it.each([
    ['the key is missing', { RUNLEDGER_API_KEY: undefined }, /no service is set/],
    ['the procedure is missing', { RUNLEDGER_PROCEDURE_ID: undefined }, /no procedure is set/],
    ['a setting is invalid', { RUNLEDGER_MAX_RETRIES: 'many' }, /RUNLEDGER_MAX_RETRIES/],
  ])('divides by count if %s, and does not change the exit code', async (_what, env, reason) => {
    const taken = await take('http://127.0.0.1:9', env)
    expect(taken.files).toEqual(COUNTED)
    expect(taken.lines).toEqual([expect.stringMatching(reason)])
    expect(taken.lines.join('')).not.toContain(KEY)
    expect(taken.exit()).toBe(0)
    expect(taken.atEnd).toEqual([
      'it is not known whether the other shards follow a plan. If they do, files of shard 2 may not have run.',
    ])
  })

  it('divides by count if the answer is no plan', async () => {
    const { url } = await reply({ status: 200, body: { files: 'all' } })
    expect(await take(url)).toMatchObject({ files: COUNTED })
  })

  it('fails without an answer only with failOnUploadError', async () => {
    const url = 'http://127.0.0.1:9'
    expect((await take(url)).exit()).toBe(0)
    expect((await take(url, { RUNLEDGER_FAIL_ON_UPLOAD_ERROR: '1' })).exit()).toBe(1)
  })

  it('fails if the others follow a plan that it did not know, and names the files that did not run', async () => {
    const { url, asked } = await reply(undefined, undefined, plan(['b.js', 'c.js']))
    const taken = await take(url)
    expect(taken.files).toEqual(COUNTED)
    await vi.waitFor(() => expect(taken.isCompared()).toBe(true))
    expect(taken.exit()).toBe(1)
    expect(taken.atEnd).toEqual([
      expect.stringMatching(/did not run 1 file of it: c\.js\. Run this shard again/),
    ])
    expect(asked.map(({ by_count: byCount }) => byCount)).toEqual([undefined, true, true])
  })

  it('passes if the others divide by count, too', async () => {
    const { url, asked } = await reply(undefined, plan(COUNTED, [], true))
    const taken = await take(url, { RUNLEDGER_FAIL_ON_UPLOAD_ERROR: '1' })
    await vi.waitFor(() => expect(taken.isCompared()).toBe(true))
    expect(asked).toHaveLength(2)
    expect(taken.exit()).toBe(0)
    expect(taken.atEnd).toEqual([])
  })

  it('runs nothing if the plan is for other files', async () => {
    const { url } = await reply(refuse(409, 'This build has a plan of other files.'))
    await expect(take(url)).rejects.toThrow('This build has a plan of other files.')
  })

  it('fails if the plan is for other files and that was not known in time', async () => {
    const { url } = await reply(undefined, refuse(409, 'This build has a plan of other files.'))
    const taken = await take(url)
    expect(taken.files).toEqual(COUNTED)
    await vi.waitFor(() => expect(taken.isCompared()).toBe(true))
    expect(taken.exit()).toBe(1)
    expect(taken.atEnd).toEqual([expect.stringContaining('This build has a plan of other files.')])
  })
})
