import { afterEach, describe, expect, it } from 'vitest'
import { RecordingService } from '../../../../test/support/recording-service'
import {
  answerJson,
  type ReceivedRequest,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../../../../test/support/scripted-server'
import { KEY, type SpoolBench, useSpoolBench } from '../../../../test/support/spool-execution'
import { createAttempt, createSuite, createTest } from '../../../../test/support/suites'
import type { Suite } from '../model/suite'
import { SpoolFolder } from '../spool/spool-folder'
import { uploadSpool } from './upload-spool'

let bench: SpoolBench
let server: ScriptedServer
let service: RecordingService

useSpoolBench((fresh) => void ({ bench } = fresh))
afterEach(() => server.stop())

/** A service that answers some creations in its own way. */
async function start(answer: (creation: ReceivedRequest, ...rest: Answer) => boolean): Promise<void> {
  service = new RecordingService({ honoursKeys: true, hasLookUp: true, takesInline: true })
  server = await startScriptedServer((request, response, count) => {
    if (isCreation(request) && answer(request, response, count)) return
    service.answer(request, response)
  })
}

type Answer = [response: Parameters<Script>[1], count: number]

const isCreation = ({ path }: ReceivedRequest): boolean => path === '/v1/runs/create'
const hasAdditions = ({ body }: ReceivedRequest): boolean =>
  /"(kind|skipped|inline_attachments)":/.test(String(body))
const listCreations = (): ReceivedRequest[] => server.requests.filter(isCreation)
const at = (over = {}) => ({ url: server.url, maxRetries: 0, ...over })

/** A red test, with words that are in its error alone, and one that was skipped. */
function createRedSuite(file: string, words = 'relay sticks'): Suite {
  const attempts = [createAttempt({ status: 'failed', errors: [{ message: words }] })]
  const tests = [
    createTest(['red'], { outcome: 'failed', attempts }),
    createTest(['skipped'], { outcome: 'skipped', attempts: [] }),
  ]
  return createSuite({ file, outcome: 'failed', tests })
}

const manySuites = (): Suite[] => Array.from({ length: 12 }, (_, index) => createRedSuite(`${index}.test.ts`))

/** Each key was used with one body only, but for those that were refused. */
function expectOneBodyEach(bodies: readonly ReceivedRequest[]): void {
  const sent = bodies.map(({ headers, body }) => [headers['idempotency-key'], String(body)] as const)
  const keys = new Set(sent.map(([key]) => key))
  expect(new Set(sent.map((each) => each.join(' '))).size).toBe(keys.size)
}

describe('a service that refuses members it does not know', () => {
  it.each([400, 422])('gets runs without them, for one request more in all: %i', async (statusCode) => {
    await start((request, response) => {
      if (!hasAdditions(request)) return false
      setTimeout(() => answerJson(response, statusCode, { message: 'unknown key' }), 50)
      return true
    })
    const result = await bench.record(manySuites(), at({ concurrency: 8 }))
    expect(result).toMatchObject({ status: 'uploaded', runs: 12, notUploaded: [] })
    expect(listCreations()).toHaveLength(13)
    for (const { body, links } of service.runs) {
      expect(body.steps).toEqual([
        { name: 'red', step_passed: false, started_at: expect.any(String), duration: 'PT0.010S' },
      ])
      expect(body).not.toHaveProperty('skipped')
      expect(links).toEqual([`${body.report_variables['file']}.log`])
    }
    expect(await bench.listEntries()).toEqual([])
  })

  it('is sent the same body by every process once it may have taken the run', async () => {
    let isLosing = true
    await start((request, response) => {
      if (hasAdditions(request)) answerJson(response, 400, { message: 'unknown key' })
      else if (isLosing) response.destroy()
      else return false
      return true
    })
    const [suite] = manySuites() as [Suite]
    expect(await bench.record([suite], at())).toMatchObject({ status: 'failed' })
    isLosing = false
    await bench.record([createRedSuite('next.test.ts')], at())
    expect(service.runs).toHaveLength(2)
    expectOneBodyEach(listCreations().filter((request) => !hasAdditions(request)))
    expect(await bench.listEntries()).toEqual([])
  })
})

describe('steps that are recorded by default', () => {
  const createSuiteOfSteps = (file: string): Suite => {
    const passed = { passed: true, durationMs: 1, atMs: 1_795_000_000_000 }
    const suite = createRedSuite(file)
    const [attempt] = suite.tests[0]?.attempts ?? []
    if (attempt)
      attempt.events = [
        { ...passed, kind: 'step', name: 'detail', isDetail: true, order: 1 },
        { ...passed, kind: 'step', name: 'asked', within: ['detail'], order: 2 },
        { ...passed, kind: 'step', name: 'inner', within: ['detail', 'asked'], isDetail: true, order: 3 },
        { ...passed, kind: 'step', name: 'last', within: ['detail', 'asked'], order: 4 },
      ]
    return suite
  }
  const listSent = () => service.runs.map(({ body }) => body.steps?.map(({ name, parent }) => [name, parent]))
  const ASKED = ['red', 'red › detail › asked', 'red › detail › asked › last']

  it('go to a service that takes our additions, and say nothing of ours', async () => {
    await start(() => false)
    await bench.record([createSuiteOfSteps('a.test.ts')], at())
    expect(listSent()).toEqual([
      [
        ['red', undefined],
        ['red › detail', 0],
        ['red › detail › asked', 1],
        ['red › detail › asked › inner', 2],
        ['red › detail › asked › last', 2],
      ],
    ])
    expect(String(listCreations()[0]?.body)).not.toContain('isDetail')
  })

  it('do not go to one that refuses our additions', async () => {
    await start((request, response) => {
      if (hasAdditions(request)) answerJson(response, 400, { message: 'unknown key' })
      return hasAdditions(request)
    })
    await bench.record([createSuiteOfSteps('a.test.ts'), createSuiteOfSteps('b.test.ts')], at())
    expect(listSent()).toEqual([1, 2].map(() => ASKED.map((name) => [name, undefined])))
  })

  it.each([true, false])('do not go to one that is known not to take all of them, logs: %s', async (logs) => {
    await start((_, response, count) => {
      answerJson(response, 200, { id: `00000000-0000-4000-8000-00000000000${count}`, url: server.url })
      return true
    })
    await bench.record([createSuiteOfSteps('a.test.ts'), createSuiteOfSteps('b.test.ts')], at({ logs }))
    const steps = listCreations().map(
      ({ body }) => (JSON.parse(String(body)) as { steps: { name: string; parent?: number }[] }).steps,
    )
    expect(steps[0]).toHaveLength(5)
    expect(steps[1]?.map(({ name, parent }) => [name, parent])).toEqual([
      ['red', undefined],
      ['red › detail › asked', 0],
      ['red › detail › asked › last', 1],
    ])
  })
})

describe('a service that refuses a run for another reason', () => {
  it('is sent the others with all they have, and the refused one, too, when it is sent later', async () => {
    let isMended = false
    await start((request, response) => {
      if (isMended || !String(request.body).includes('3.test.ts')) return false
      const words = hasAdditions(request) ? 'the unit is scrapped' : 'the second answer'
      answerJson(response, 422, { message: words })
      return true
    })
    const result = await bench.record(manySuites(), at())
    expect(result.line).toContain('1 of 12 runs not sent')
    expect(result.line).toContain('the unit is scrapped')
    expect(listCreations()).toHaveLength(13)
    isMended = true
    const found = { spool: new SpoolFolder(bench.spoolDir), projectRoot: bench.dir }
    await uploadSpool(found, { options: {}, env: { RUNLEDGER_URL: server.url, RUNLEDGER_API_KEY: KEY } })
    expect(service.runs).toHaveLength(12)
    for (const { body } of service.runs) {
      expect(body.steps?.[0]?.error?.message).toBe('relay sticks')
      expect(body.skipped).toHaveLength(1)
    }
  })

  it('gets a run that is too long without them, and the others whole', async () => {
    await start((request, response) => {
      if (request.body.length < 50_000) return false
      answerJson(response, 413, { message: 'too long' })
      return true
    })
    const long = createRedSuite('long.test.ts')
    const errors = Array.from({ length: 20 }, () => ({ message: 'm'.repeat(8_000) }))
    for (const { attempts } of long.tests) for (const attempt of attempts) attempt.errors = errors
    const result = await bench.record([long, ...manySuites()], at())
    expect(result).toMatchObject({ status: 'uploaded', runs: 13, notUploaded: [] })
    const without = service.runs.filter(({ body }) => body.steps?.[0]?.error === undefined)
    expect(without.map(({ body }) => body.report_variables['file'])).toEqual(['long.test.ts'])
  })
})

it('waits for no answer longer than its request takes', async () => {
  let isFirst = true
  await start(() => {
    const isHanging = isFirst
    isFirst = false
    return isHanging
  })
  const { tookMs, line } = await bench.record(manySuites(), at({ requestTimeoutMs: 300 }))
  expect(line).toContain('1 of 12 runs not sent')
  expect(service.runs).toHaveLength(11)
  expect(tookMs).toBeLessThan(3_000)
})
