import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { MisbehavingServer } from '../../../../test/support/misbehaving-server'
import { suiteWith, useSpoolBench, type SpoolBench } from '../../../../test/support/spool-execution'
import type { Execution } from '../execution'
import { SpoolDisk } from '../spool/spool-disk'
import type { Suite } from '../model/suite'

let bench: SpoolBench
let server: MisbehavingServer

useSpoolBench((fresh) => ({ bench, server } = fresh))

const at = (over = {}) => ({ url: server.url, maxRetries: 0, requestTimeoutMs: 500, ...over })
const shot = { name: 'shot.png', bytes: Buffer.from('a screenshot') }
const threeSuites = () => ['a', 'b', 'c'].map((name) => suiteWith(`${name}.test.ts`))
/** Enough for what was begun to have come to an end. */
const LATE_MS = 100
const problem = { name: 'Snapshot obsolete', errors: [{ message: 'it is obsolete' }] }

/** An execution whose tests have ended, its suites on the disk. */
async function endTests(suites: readonly Suite[], options = at()): Promise<Execution> {
  const execution = bench.open(options)
  for (const suite of suites) execution.addSuite(suite)
  await execution.settled()
  execution.testsEnded()
  return execution
}

const listFiles = () => server.service.runs.map(({ body }) => body.report_variables['file']).sort()
const awaitRequests = (count: number) =>
  expect.poll(() => server.requests.length, { interval: 2, timeout: 5_000 }).toBe(count)
const awaitRuns = (count: number) =>
  expect.poll(() => server.service.runs.length, { interval: 2, timeout: 5_000 }).toBe(count)

describe('runs whose tests have ended', () => {
  it('are sent before the end, which tells of them', async () => {
    const execution = await endTests(threeSuites())
    await awaitRuns(3)
    expect(bench.printed).toEqual([])
    expect(await execution.finish()).toMatchObject({ status: 'uploaded', runs: 3, notUploaded: [] })
    expect(bench.printed.join('')).toContain('3 runs on record')
    expect(server.requests).toHaveLength(3)
    expect(await bench.listEntries()).toEqual([])
    expect(await bench.readAll()).toEqual([])
  })

  it('are sent once where the end comes at any moment', async () => {
    for (let waitMs = 0; waitMs < 24; waitMs += 1) {
      const execution = await endTests(threeSuites())
      await sleep(waitMs)
      expect(await execution.finish()).toMatchObject({ status: 'uploaded', runs: 3, notUploaded: [] })
    }
    expect(server.service.runs).toHaveLength(72)
    expect(server.requests).toHaveLength(72)
    expect(await bench.readAll()).toEqual([])
  })

  it('stay as they are; what comes after them is sent at the end', async () => {
    const suites = threeSuites()
    const execution = await endTests(suites)
    await awaitRuns(3)
    execution.addProblem(problem)
    execution.addSuite(suiteWith('late.test.ts'))
    execution.addSuite(Object.assign(suites[0] as Suite, { outcome: 'failed' }))
    expect(await execution.finish()).toMatchObject({ status: 'uploaded', runs: 5 })
    expect(listFiles()).toEqual(['(execution)', 'a.test.ts', 'b.test.ts', 'c.test.ts', 'late.test.ts'])
    expect(server.service.runs.filter(({ body }) => body.run_passed)).toHaveLength(4)
    expect(await bench.readAll()).toEqual([])
  })

  it('wait for the end where they have files, or share a run', async () => {
    const withFile = await endTests([suiteWith('a.test.ts', [shot]), suiteWith('b.test.ts')])
    await awaitRuns(1)
    await withFile.finish()
    expect(listFiles()).toEqual(['a.test.ts', 'b.test.ts'])
    const shared = await endTests(threeSuites(), at({ runPer: 'execution' }))
    await sleep(50)
    expect(server.service.runs).toHaveLength(2)
    expect(await shared.finish()).toMatchObject({ status: 'uploaded', runs: 1 })
    expect(server.service.runs).toHaveLength(3)
  })

  it('are in the spool until they are on record, whoever is killed', async () => {
    await server.misbehave('accepts the run and loses the answer')
    await endTests(threeSuites())
    await awaitRuns(3)
    await bench.kill()
    await server.recover()
    await bench.record([suiteWith('next.test.ts')], at())
    expect(listFiles()).toEqual(['a.test.ts', 'b.test.ts', 'c.test.ts', 'next.test.ts'])
    expect(await bench.listEntries()).toEqual([])
  })
})

it('runs whose end is only near are synced and not sent: they may still change', async () => {
  const syncs = vi.spyOn(SpoolDisk.prototype, 'syncOpen')
  const suites = threeSuites()
  const execution = bench.open(at())
  for (const suite of suites) execution.addSuite(suite)
  await execution.settled()
  expect(syncs).toHaveBeenCalledTimes(0)
  execution.prepareEnd()
  await expect.poll(() => syncs.mock.settledResults.length, { timeout: 500 }).toBe(1)
  await sleep(50)
  expect(server.requests).toEqual([])
  execution.addSuite(Object.assign(suites[0] as Suite, { outcome: 'failed' }))
  expect(await execution.finish()).toMatchObject({ status: 'uploaded', runs: 3, failedRuns: 1 })
  expect(server.service.runs).toHaveLength(3)
  syncs.mockRestore()
})

describe('a service that does not do well', () => {
  it.each(['hangs before headers', 'drips a byte a second', 'answers 503', 'refuses'] as const)(
    '%s: the end is in time and counts what waits, which is sent once later',
    async (mode) => {
      await server.misbehave(mode)
      const execution = await endTests(threeSuites(), at({ deadlineMs: 1_500, requestTimeoutMs: 60_000 }))
      const startedAtMs = performance.now()
      expect(await execution.finish()).toMatchObject({ status: 'failed', savedTo: bench.spoolDir })
      expect(performance.now() - startedAtMs).toBeLessThan(3_500)
      expect(bench.printed.join('')).toContain('3 of 3 runs not sent')
      expect(bench.printed.join('')).toContain('3 runs wait in the spool')
      await server.recover()
      await bench.record([suiteWith('next.test.ts')], at())
      expect(listFiles()).toEqual(['a.test.ts', 'b.test.ts', 'c.test.ts', 'next.test.ts'])
      expect(await bench.listEntries()).toEqual([])
    },
  )

  it.each(['answers 503', 'accepts the run and loses the answer'] as const)(
    '%s: it is asked again at a late end, and has each run once',
    async (mode) => {
      await server.misbehave(mode)
      const execution = await endTests(threeSuites())
      await awaitRequests(3)
      await sleep(LATE_MS)
      await server.recover()
      execution.addProblem(problem)
      expect(await execution.finish()).toMatchObject({ status: 'uploaded', runs: 4 })
      expect(listFiles()).toEqual(['(execution)', 'a.test.ts', 'b.test.ts', 'c.test.ts'])
      expect(await bench.readAll()).toEqual([])
    },
  )

  it('has the end’s own deadline where the framework takes longer than that to end', async () => {
    await server.misbehave('hangs before headers')
    const execution = await endTests(threeSuites(), at({ deadlineMs: 500, requestTimeoutMs: 60_000 }))
    await awaitRequests(3)
    await sleep(500 + LATE_MS)
    await server.recover()
    expect(await execution.finish()).toMatchObject({ status: 'uploaded', runs: 3, notUploaded: [] })
    expect(listFiles()).toEqual(['a.test.ts', 'b.test.ts', 'c.test.ts'])
    expect(await bench.readAll()).toEqual([])
  })

  it('is not asked again for what it has refused for good', async () => {
    await server.misbehave('answers 401 after two requests')
    const execution = await endTests(threeSuites(), at({ logs: false }))
    await awaitRequests(3)
    await sleep(LATE_MS)
    expect(await execution.finish()).toMatchObject({ status: 'failed' })
    expect(bench.printed.join('')).toContain('1 of 3 runs not sent')
    expect(server.requests).toHaveLength(3)
  })
})

describe('nothing is sent ahead', () => {
  it.each([
    ['with an option that cannot be', { apiKey: '' }, 'nothing sent'],
    ['where it is turned off', { disabled: true }, ''],
    ['with a TLS file that cannot be read', { caFile: '/nowhere.pem' }, '3 of 3 runs not sent'],
  ])('%s', async (_, options, line) => {
    const execution = await endTests(threeSuites(), at(options))
    await execution.finish()
    expect(bench.printed.join('')).toContain(line)
    expect(server.requests).toEqual([])
  })

  it('when the end has begun', async () => {
    const execution = bench.open(at())
    for (const suite of threeSuites()) execution.addSuite(suite)
    await execution.settled()
    const finished = execution.finish()
    execution.testsEnded()
    expect(await finished).toMatchObject({ status: 'uploaded', runs: 3 })
    await sleep(LATE_MS)
    expect(server.requests).toHaveLength(3)
  })

  it('where the spool cannot be written: the end sends from memory', async () => {
    await writeFile(path.join(bench.dir, 'blocked'), '')
    const execution = await endTests(threeSuites(), at({ spoolDir: path.join(bench.dir, 'blocked/spool') }))
    await sleep(50)
    expect(server.requests).toEqual([])
    expect(await execution.finish()).toMatchObject({ status: 'uploaded', runs: 3 })
    expect(server.service.runs).toHaveLength(3)
  })
})
