import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  COMMIT,
  type ForgeStandIn,
  OWN_USER,
  startGitHub,
  startGitLab,
} from '../../../../test/support/forges'
import type { Forge } from './forge'
import { openGitHub } from './github'
import { openGitLab } from './gitlab'
import { type JobFacts, readJobFacts } from './job-facts'
import { formatMarker } from './marker'
import { writeComment, type WrittenComment } from './write-comment'

let standIn: ForgeStandIn

afterEach(() => standIn.stop())

/** A clock that advances at once when a caller sleeps. With `real`, it runs eight times as fast as real time. */
function createClock({ real = false } = {}) {
  const waits: number[] = []
  let nowMs = 0
  const wait = async (ms: number) => {
    waits.push(ms)
    nowMs += ms
    if (real) await sleep(ms / 8)
  }
  return { waits, nowMs: () => nowMs, sleep: wait, pass: (ms: number) => void (nowMs += ms) }
}

interface Written {
  build: number
  failing?: string[]
  name?: string
  source?: string
  request?: number
  clock?: ReturnType<typeof createClock>
}

async function open(build: number, request: number): Promise<Forge> {
  const env = standIn.listVariables(build, request)
  const facts = (await readJobFacts(env)) as JobFacts
  const job = {
    ...facts,
    token: standIn.token,
    request: { project: facts.project, number: request, url: '' },
  }
  return (job.forge === 'github' ? openGitHub : openGitLab)(job, { env, cwd: '/' })
}

/** Writes the comment of a build as its job does. A build without failing tests is green. */
async function write({
  build,
  failing = [],
  name = '',
  source = 'ci',
  request = 12,
  clock = createClock(),
}: Written): Promise<WrittenComment> {
  const forge = await open(build, request)
  const report = {
    marker: { name, source, build, failing },
    text: `build ${build}: ${failing.join(', ')}`,
    isSilent: failing.length === 0,
  }
  try {
    return await writeComment(forge, report, { clock, endMs: clock.nowMs() + 180_000 })
  } finally {
    await forge.close()
  }
}

const texts = () => standIn.comments.map(({ body }) => body.split('\n')[1])
const isCreation = ({ method, path }: { method: string; path: string }) =>
  method === 'POST' && /comments|notes/.test(path)

describe.each([
  ['GitHub', startGitHub],
  ['GitLab', startGitLab],
])('the comment on %s', (_name, start) => {
  beforeEach(async () => {
    standIn = await start()
  })

  it('is edited while no other test fails, until the build passes', async () => {
    const actions: string[] = []
    for (const [build, failing] of [
      [1, ['a', 'b']],
      [2, ['b']],
      [2, ['b']],
      [3, []],
    ] as const)
      actions.push((await write({ build, failing: [...failing] })).action, ...texts().map(String))
    expect(actions).toEqual([
      'created',
      'build 1: a, b',
      'edited',
      'build 2: b',
      'unchanged',
      'build 2: b',
      'edited',
      'build 3: ',
    ])
    expect(new Set(standIn.comments.map(({ id }) => id)).size).toBe(1)
  })

  it('is replaced by a new one when a test fails that it does not list', async () => {
    await write({ build: 1, failing: ['a'] })
    const [first] = standIn.comments
    expect(await write({ build: 2, failing: ['a', 'c'] })).toMatchObject({ action: 'created' })
    expect(texts()).toEqual(['build 2: a, c'])
    expect(standIn.comments[0]?.id).toBeGreaterThan(first?.id ?? 0)
  })

  it('is not created by a green build', async () => {
    expect(await write({ build: 1 })).toEqual({ action: 'none', url: undefined })
    expect(standIn.comments).toEqual([])
  })

  it('is found on a later page, and only if the author of the token wrote it', async () => {
    await write({ build: 1, failing: ['a'] })
    const own = standIn.comments.splice(0)
    const other = { request: 12, author: 7, body: own[0]?.body ?? '' }
    const others = Array.from({ length: 250 }, (_, index) => ({ ...other, id: index + 1 }))
    const quoted = { id: 999, request: 12, author: OWN_USER, body: `> ${other.body}` }
    standIn.comments.push(...others, quoted, ...own)
    expect(await write({ build: 2 })).toMatchObject({ action: 'edited' })
    expect(standIn.comments.slice(0, 251)).toEqual([...others, quoted])
    expect(texts()[251]).toBe('build 2: ')
  })

  it('is written once if two jobs report a build at the same time', async () => {
    standIn.delayMs = () => 20
    const clock = createClock({ real: true })
    await Promise.all([1, 2].map(() => write({ build: 1, failing: ['a'], clock })))
    expect(texts()).toEqual(['build 1: a'])
  })

  it('stays that of the last build, even if an earlier build reports later', async () => {
    await write({ build: 2, failing: ['a'] })
    expect(await write({ build: 1, failing: ['a', 'b'] })).toMatchObject({ action: 'later' })
    expect(texts()).toEqual(['build 2: a'])
  })

  it('is separate for each name', async () => {
    for (const name of ['unit', 'e2e', 'e2e']) await write({ build: 1, failing: ['a'], name })
    expect(texts()).toHaveLength(2)
  })

  it('stays as it is when another workflow or job reports a build that passed', async () => {
    await write({ build: 1, failing: ['a'], source: 'unit' })
    expect(await write({ build: 2, source: 'e2e' })).toMatchObject({ action: 'none' })
    expect(texts()).toEqual(['build 1: a'])
  })

  it('stays that of a later build that wrote it meanwhile', async () => {
    await write({ build: 1, failing: ['a'] })
    const later = `${formatMarker({ name: '', source: 'ci', build: 3, failing: ['a'] })}\nbuild 3: a`
    standIn.trouble = ({ method, path }) => {
      // The list still has the earlier comment.
      if (method === 'GET' && path.includes('page='))
        queueMicrotask(() => standIn.comments.forEach((comment) => (comment.body = later)))
      return undefined
    }
    expect(await write({ build: 2 })).toMatchObject({ action: 'later' })
    expect(texts()).toEqual(['build 3: a'])
    expect(standIn.requests.some(({ method }) => method === 'PATCH' || method === 'PUT')).toBe(false)
  })

  it('is checked again after twice the time of a slow request', async () => {
    const clock = createClock()
    standIn.trouble = (request) => {
      if (isCreation(request)) clock.pass(5_000)
      return undefined
    }
    await write({ build: 1, failing: ['a'], clock })
    expect(clock.waits).toEqual([10_000])
  })

  it('is written once although its response was lost', async () => {
    let lost = 0
    standIn.trouble = (request) => (isCreation(request) && (lost += 1) === 1 ? 'lose' : undefined)
    await write({ build: 1, failing: ['a'] })
    expect(texts()).toEqual(['build 1: a'])
  })

  it('is written once although the list does not show it', async () => {
    standIn.trouble = ({ method, path }) =>
      method === 'GET' && path.includes('page=') ? { status: 200, body: [] } : undefined
    const written = await write({ build: 1, failing: ['a'] })
    expect(texts()).toEqual(['build 1: a'])
    expect(written).toMatchObject({ action: 'created', url: expect.any(String) as unknown })
  })

  it('is written again if another job deleted it meanwhile', async () => {
    await write({ build: 1, failing: ['a'] })
    standIn.trouble = ({ method }) => {
      if (method === 'PATCH' || method === 'PUT') standIn.comments.splice(0)
      return undefined
    }
    await write({ build: 2, failing: ['a'] })
    expect(texts()).toEqual(['build 2: a'])
  })

  it('waits as long as a rate limit requires', async () => {
    let limited = 0
    const statuses = [429, 403]
    standIn.trouble = (request) => {
      const status = isCreation(request) ? statuses[limited++] : undefined
      return status === undefined
        ? undefined
        : { status, headers: { 'retry-after': '40' }, body: { message: 'slow down' } }
    }
    const clock = createClock()
    expect(await write({ build: 1, failing: ['a'], clock })).toMatchObject({ action: 'created' })
    expect(clock.waits).toEqual([40_000, 40_000, 2_000])
  })

  it('is given up if a rate limit requires a long wait', async () => {
    const reset = String(Math.ceil(Date.now() / 1000) + 3_000)
    standIn.trouble = () => ({
      status: 403,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset },
      body: { message: 'API rate limit exceeded' },
    })
    const clock = createClock()
    await expect(write({ build: 1, failing: ['a'], clock })).rejects.toThrow('API rate limit exceeded')
    expect(clock.waits).toEqual([])
  })

  it.each([408, 500, 502, 503])(
    'is written after a few answers of %i, and given up after many',
    async (status) => {
      let broken = 0
      standIn.trouble = () => ((broken += 1) <= 3 ? { status } : undefined)
      expect(await write({ build: 1, failing: ['a'] })).toMatchObject({ action: 'created' })
      standIn.trouble = () => ({ status })
      await expect(write({ build: 2, failing: ['a'] })).rejects.toThrow(`answered ${status}`)
    },
  )

  it.each([401, 403, 404, 422])('is given up at once after %i', async (status) => {
    standIn.trouble = () => ({ status })
    const clock = createClock()
    await expect(write({ build: 1, failing: ['a'], clock })).rejects.toThrow(`answered ${status}`)
    expect(clock.waits).toEqual([])
  })

  it('is a single one of the last build on each of 30 pull requests whose builds report at random', async () => {
    const results = [['a'], ['a', 'b'], [], ['c'], ['a', 'c'], ['a']]
    standIn.delayMs = () => Math.random() * 15
    const requests = Array.from({ length: 30 }, (_, index) => index + 1)
    const jobs = requests.flatMap((request) =>
      results.map(async (failing, build) => {
        await sleep(Math.random() * 600)
        return write({ build: build + 1, failing, request, clock: createClock({ real: true }) })
      }),
    )
    await Promise.all(jobs)
    expect(standIn.comments.map(({ request }) => request).toSorted((a, b) => a - b)).toEqual(requests)
    expect(new Set(texts())).toEqual(new Set(['build 6: a']))
  })
})

it('the comment is on a server of GitHub Enterprise', async () => {
  standIn = await startGitHub({ isEnterprise: true })
  expect(await write({ build: 1, failing: ['a'] })).toMatchObject({ action: 'created' })
  expect(await write({ build: 2 })).toMatchObject({ action: 'edited' })
  expect(texts()).toEqual(['build 2: '])
})

it('a status belongs to the commit that the job tests', async () => {
  standIn = await startGitHub()
  const forge = await open(1, 12)
  const status = {
    name: 'Runledger',
    passed: true,
    title: 'build passed',
    text: '',
    url: '',
    annotations: [],
  }
  expect(await forge.writeStatus(status)).toBe('check')
  expect(standIn.checks).toMatchObject([{ head_sha: COMMIT, conclusion: 'success' }])
  await forge.close()
})
