import {
  type CreatedWebhook,
  type WebhookKind,
  type WebhookMessage,
  WebhookMessageSchema,
} from '@runledger/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { US_PER_SECOND } from '../../base/clock'
import { openTestContext, type TestContext } from '../../testing/open-test-context'
import { createRunIn } from '../../testing/start-test-server'
import { callWebhook, createWebhookIn, openPeer, readDeliveries } from '../../testing/webhook-calls'
import { Detector } from './detector'

let service: TestContext
let detector: Detector
let webhook: CreatedWebhook

const HOUR = 3600
const never = new AbortController().signal
const URL = 'https://x.test/hook'

beforeEach(async () => {
  service = await openTestContext('WEB', 'OTHER')
  detector = new Detector(service.context)
  webhook = await createWebhookIn(service, { url: URL })
})

afterEach(() => service.close())

type Outcome = 'passed' | 'flaky' | 'failed'

interface Reported {
  group: string
  tests?: Record<string, Outcome>
  file?: string
  procedure?: string
  variables?: Record<string, string>
}

const nowText = () => new Date(service.context.clock() / 1000).toISOString()

async function report({
  group,
  tests = {},
  file = 'a.test.ts',
  procedure = 'WEB',
  variables = {},
}: Reported): Promise<void> {
  service.advance(US_PER_SECOND)
  await createRunIn(service.context, service.principal, {
    procedure_id: procedure,
    unit_under_test: { serial_number: procedure, part_number: 'PN-1', revision: 'A' },
    started_at: nowText(),
    duration: 'PT1S',
    run_passed: !Object.values(tests).includes('failed'),
    report_variables: { group, file, git_branch: 'main', git_default_branch: 'main', ...variables },
    steps: Object.entries(tests).map(([name, outcome]) => createStep(name, outcome)),
  } as never)
}

function createStep(name: string, outcome: Outcome) {
  const times = { started_at: nowText(), duration: 'PT1S' }
  const error = { message: `${name} failed\nat line 3` }
  return {
    name,
    kind: 'test',
    step_passed: outcome !== 'failed',
    ...times,
    ...(outcome === 'failed' ? { error } : {}),
    ...(outcome === 'flaky'
      ? {
          attempts: [
            { ...times, outcome: 'FAIL', errors: [error] },
            { ...times, outcome: 'PASS' },
          ],
        }
      : {}),
  }
}

/** Long enough that the builds so far are judged. */
async function detect(seconds = 90): Promise<void> {
  service.advance(seconds * US_PER_SECOND)
  await detector.detect(never)
}

/** Reports a build, and has it judged. */
async function build(reported: Reported): Promise<void> {
  await report(reported)
  await detect()
}

async function readMessages(id = webhook.id): Promise<WebhookMessage[]> {
  const rows = await service.context.database.query
    .selectFrom('webhook_deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
    .select('message')
    .where('webhooks.public_id', '=', id)
    .orderBy('webhook_deliveries.id')
    .execute()
  return rows.map(({ message }) => WebhookMessageSchema.parse(JSON.parse(message)))
}

/** Kinds of the messages in their order, with the names of their tests: `test.fixed adds,sorts`. */
async function readKinds(id?: string): Promise<string[]> {
  return (await readMessages(id)).map(({ type, data }) =>
    'tests' in data ? `${type} ${data.tests.map(({ name }) => name).join()}` : type,
  )
}

/** With the groups of the builds: `ci-2 test.fixed adds`. */
async function readGroups(): Promise<string[]> {
  const kinds = await readKinds()
  return (await readMessages()).map(({ data }, index) =>
    'build' in data ? `${data.build.group} ${kinds[index]}` : '',
  )
}

const FIRST = { group: 'ci-1', tests: { adds: 'passed', sorts: 'passed', pays: 'passed' } } as const

describe('tests of the default branch', () => {
  it('that fail newly are in one message', async () => {
    await build(FIRST)
    expect(await readKinds()).toEqual([])
    await build({
      group: 'ci-2',
      tests: { adds: 'failed', sorts: 'failed', pays: 'passed' },
      variables: { git_commit: 'abc1234' },
    })
    expect(await readMessages()).toEqual([
      {
        type: 'test.newly_failing',
        timestamp: expect.any(String) as string,
        data: {
          procedure: { id: expect.any(String) as string, identifier: 'WEB', name: 'WEB' },
          build: { group: 'ci-2', url: 'http://x.test/runs?group=ci-2', branch: 'main', commit: 'abc1234' },
          tests: ['adds', 'sorts'].map((name) => ({
            id: expect.any(String) as string,
            name,
            file: 'a.test.ts',
            url: expect.stringMatching(/^http:\/\/x\.test\/tests\/[\w-]+$/) as string,
            error: `${name} failed`,
          })),
          more: 0,
          definition:
            'Began to fail in this build of the branch: before it, the test failed in no environment. Infrastructure builds and flaky tests do not count.',
        },
      },
    ])
  })

  it('that fail three times in a row are reported once, and once more when they are fixed', async () => {
    await build(FIRST)
    for (const group of ['ci-2', 'ci-3', 'ci-4', 'ci-5'])
      await build({ group, tests: { adds: 'failed', sorts: 'passed' } })
    await build({ group: 'ci-6', tests: { adds: 'passed', sorts: 'passed' } })
    await build({ group: 'ci-7', tests: { adds: 'passed', sorts: 'passed' } })
    expect(await readGroups()).toEqual([
      'ci-2 test.newly_failing adds',
      'ci-4 test.failing_in_a_row adds',
      'ci-6 test.fixed adds',
    ])
  })

  it('that are flaky are reported if they were not flaky before', async () => {
    await build(FIRST)
    await build({ group: 'ci-2', tests: { adds: 'flaky', sorts: 'passed' } })
    await build({ group: 'ci-3', tests: { adds: 'flaky', sorts: 'flaky' } })
    await build({ group: 'ci-4', tests: { pays: 'failed' } })
    await build({ group: 'ci-5', tests: { pays: 'flaky' } })
    expect(await readKinds()).toEqual([
      'test.newly_flaky adds',
      'test.newly_flaky sorts',
      'test.newly_failing pays',
      'test.fixed pays',
    ])
  })

  it('whose last result in the build passed do not count as failing', async () => {
    await build(FIRST)
    await report({ group: 'ci-2', tests: { adds: 'failed' } })
    await build({ group: 'ci-2', tests: { adds: 'passed' } })
    expect(await readKinds()).toEqual([])
  })

  it('are reported when the build has been quiet for a while, and later ones in another message', async () => {
    await build(FIRST)
    await report({ group: 'ci-2', tests: { adds: 'failed' } })
    await detect(80)
    expect(await readKinds()).toEqual([])
    await detect(10)
    expect(await readKinds()).toEqual(['test.newly_failing adds'])
    await build({ group: 'ci-2', tests: { sorts: 'failed' }, file: 'b.test.ts' })
    expect(await readKinds()).toEqual(['test.newly_failing adds', 'test.newly_failing sorts'])
  })

  it('beyond the first twenty are counted', async () => {
    const many = Array.from({ length: 25 }, (_, index) => [`t${index}`, 'failed'] as const)
    const others = Array.from({ length: 150 }, (_, index) => [`p${index}`, 'passed'] as const)
    await build({ group: 'ci-1', tests: Object.fromEntries([...many, ...others]) })
    const [message] = await readMessages()
    expect(message?.data).toMatchObject({ more: 5 })
    expect(message?.data).toHaveProperty('tests.length', 20)
    await build({ group: 'ci-1', tests: { pays: 'passed' }, file: 'b.test.ts' })
    expect(await readMessages()).toHaveLength(1)
  })

  it.each<[string, Partial<Reported>]>([
    ['another branch', { variables: { git_branch: 'feature' } }],
    ['a pull request', { variables: { pull_request: '7' } }],
    ['no known default branch', { procedure: 'OTHER', variables: { git_default_branch: '' } }],
  ])('of %s are not reported', async (_what, change) => {
    await build({ ...FIRST, ...change })
    await build({ group: 'ci-2', tests: { adds: 'failed' }, ...change })
    expect(await readKinds()).toEqual([])
  })

  it('that still fail after an infrastructure build are reported by the next build', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `t${index}`)
    const all = (outcome: Outcome) => Object.fromEntries(names.map((name) => [name, outcome]))
    await build({ group: 'ci-1', tests: all('passed') })
    await build({ group: 'ci-2', tests: all('failed') })
    await build({ group: 'ci-3', tests: { ...all('passed'), t3: 'failed' } })
    await build({ group: 'ci-4', tests: { ...all('passed'), t3: 'failed' } })
    await build({ group: 'ci-5', tests: all('failed') })
    await build({ group: 'ci-6', tests: { ...all('passed'), t3: 'failed' } })
    await build({ group: 'ci-7', tests: { ...all('passed'), t3: 'failed' } })
    expect(await readGroups()).toEqual(['ci-3 test.newly_failing t3', 'ci-6 test.failing_in_a_row t3'])
  })

  it('are fixed by a later build, even if the build in between did not run them', async () => {
    await build(FIRST)
    await build({ group: 'ci-2', tests: { adds: 'failed', sorts: 'passed' } })
    await build({ group: 'ci-3', tests: { reads: 'passed' }, file: 'b.test.ts' })
    await build({ group: 'ci-4', tests: { adds: 'passed', sorts: 'passed' } })
    expect(await readGroups()).toEqual(['ci-2 test.newly_failing adds', 'ci-4 test.fixed adds'])
  })

  it('are judged again in the builds after one that was late', async () => {
    await build(FIRST)
    await report({ group: 'ci-2', tests: { reads: 'passed' }, file: 'b.test.ts' })
    service.advance(US_PER_SECOND)
    await build({ group: 'ci-3', tests: { adds: 'failed' } })
    await build({ group: 'ci-4', tests: { adds: 'failed' } })
    await build({ group: 'ci-2', tests: { adds: 'failed' } })
    expect(await readGroups()).toEqual([
      'ci-3 test.newly_failing adds',
      'ci-2 test.newly_failing adds',
      'ci-4 test.failing_in_a_row adds',
    ])
  })

  it('that are known to be flaky on another branch are not newly failing', async () => {
    await build(FIRST)
    await build({ group: 'pr-1', tests: { adds: 'flaky' }, variables: { git_branch: 'feature' } })
    await build({ group: 'ci-2', tests: { adds: 'failed', sorts: 'failed' } })
    await build({ group: 'ci-3', tests: { adds: 'passed', sorts: 'passed' } })
    expect(await readGroups()).toEqual(['ci-2 test.newly_failing sorts', 'ci-3 test.fixed sorts'])
  })

  it('in an infrastructure build are not reported, and not as fixed after it', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `t${index}`)
    const all = (outcome: Outcome) => Object.fromEntries(names.map((name) => [name, outcome]))
    await build({ group: 'ci-1', tests: all('passed') })
    await build({ group: 'ci-2', tests: all('failed') })
    await build({ group: 'ci-3', tests: all('passed') })
    expect(await readKinds()).toEqual([])
  })
})

describe('tests of a matrix', () => {
  const onLinux = { variables: { os: 'linux' } }
  const onWindows = { file: 'a.test.ts', variables: { os: 'windows' } }

  async function buildBoth(
    group: string,
    outcomes: [linux: Outcome, windows: Outcome],
    isWindowsLast: boolean,
  ) {
    const reports = [
      { group, tests: { adds: outcomes[0] }, ...onLinux },
      { group, tests: { adds: outcomes[1] }, ...onWindows },
    ]
    for (const each of isWindowsLast ? reports : reports.toReversed()) await report(each)
    await detect()
  }

  it('fail if they fail in any environment, whichever job reports last', async () => {
    await buildBoth('ci-1', ['passed', 'passed'], true)
    await buildBoth('ci-2', ['passed', 'failed'], false)
    await buildBoth('ci-3', ['passed', 'failed'], true)
    await buildBoth('ci-4', ['passed', 'failed'], false)
    await buildBoth('ci-5', ['failed', 'failed'], true)
    await buildBoth('ci-6', ['passed', 'passed'], false)
    expect(await readGroups()).toEqual([
      'ci-2 test.newly_failing adds',
      'ci-4 test.failing_in_a_row adds',
      'ci-6 test.fixed adds',
    ])
  })

  it('that are flaky in two environments are listed once', async () => {
    await buildBoth('ci-1', ['passed', 'passed'], true)
    await buildBoth('ci-2', ['flaky', 'flaky'], true)
    expect(await readKinds()).toEqual(['test.newly_flaky adds'])
  })

  it('are not fixed while the environment in which they failed has not run', async () => {
    await buildBoth('ci-1', ['passed', 'passed'], true)
    await buildBoth('ci-2', ['passed', 'failed'], true)
    await build({ group: 'ci-3', tests: { adds: 'passed' }, ...onLinux })
    expect(await readKinds()).toEqual(['test.newly_failing adds'])
  })
})

describe('an incomplete build', () => {
  const half = { ...FIRST, variables: { framework: 'vitest', shard_index: '1', shard_total: '2' } }

  it('is reported when nothing more is expected, and so is its completion', async () => {
    await build(half)
    expect(await readKinds()).toEqual([])
    await detect(HOUR)
    await detect(HOUR)
    const [message, ...others] = await readMessages()
    expect(others).toEqual([])
    expect(message).toMatchObject({
      type: 'build.incomplete',
      data: { state: 'incomplete', missing: ['shard 2 of 2 has not reported'], build: { group: 'ci-1' } },
    })
    await build({ ...half, file: 'b.test.ts', variables: { ...half.variables, shard_index: '2' } })
    expect(await readKinds()).toEqual(['build.incomplete', 'build.completed'])
  })

  it('of several procedures is reported once', async () => {
    await report(half)
    await report({ ...half, procedure: 'OTHER' })
    await detect(HOUR)
    expect(await readKinds()).toEqual(['build.incomplete'])
  })

  it('is not reported as complete to a webhook without the event build.incomplete', async () => {
    const other = await createWebhookIn(service, { url: URL, events: ['test.fixed'] })
    await report(half)
    await detect(HOUR)
    await build({ ...half, variables: { ...half.variables, shard_index: '2' } })
    expect(await readKinds(other.id)).toEqual([])
  })
})

describe('a webhook', () => {
  const failing = { group: 'ci-2', tests: { adds: 'failed' } } as const

  it('gets the events and procedures that it is for', async () => {
    const ofEvents = await createWebhookIn(service, { url: URL, events: ['test.fixed'] })
    const ofOther = await createWebhookIn(service, { url: URL, procedure_ids: ['other'] })
    await build(FIRST)
    await build(failing)
    await build({ ...FIRST, group: 'ci-3' })
    expect(await readKinds()).toEqual(['test.newly_failing adds', 'test.fixed adds'])
    expect(await readKinds(ofEvents.id)).toEqual(['test.fixed adds'])
    expect(await readKinds(ofOther.id)).toEqual([])
  })

  it('that names procedures gets nothing when they are deleted', async () => {
    const named = await createWebhookIn(service, { url: URL, procedure_ids: ['OTHER'] })
    await service.context.database.write(async ({ query }) => {
      await query.deleteFrom('procedures').where('identifier', '=', 'OTHER').execute()
    })
    await build(FIRST)
    await build(failing)
    expect(await readKinds(named.id)).toEqual([])
  })

  it('gets no messages about earlier builds', async () => {
    await report(FIRST)
    await report(failing)
    const late = await createWebhookIn(service, { url: URL })
    await detect()
    expect(await readKinds(late.id)).toEqual([])
    expect(await readKinds()).toEqual(['test.newly_failing adds'])
  })

  it('gets no messages about builds from while it was disabled', async () => {
    await callWebhook(service, 'updateWebhook', { id: webhook.id, body: { enabled: false } })
    await build(FIRST)
    await build(failing)
    await callWebhook(service, 'updateWebhook', { id: webhook.id, body: { enabled: true } })
    await detect()
    expect(await readKinds()).toEqual([])
    await build({ ...FIRST, group: 'ci-3' })
    expect(await readKinds()).toEqual(['test.fixed adds'])
  })

  it('gets each message once, also from a service that restarts', async () => {
    await build(FIRST)
    await build(failing)
    detector = new Detector(service.context)
    await detect()
    expect(await readKinds()).toEqual(['test.newly_failing adds'])
  })

  it('gets each message once from several services on one database', async () => {
    await report(FIRST)
    await report(failing)
    service.advance(90 * US_PER_SECOND)
    const peers = await Promise.all([openPeer(service), openPeer(service), openPeer(service)])
    await Promise.all(peers.map(({ context }) => new Detector(context).detect(never)))
    for (const { close } of peers) await close()
    expect(await readKinds()).toEqual(['test.newly_failing adds'])
  })
})

describe('a production line', () => {
  const week = 7 * 24 * HOUR

  async function measure(
    count: number,
    change: { passed?: number; value?: (index: number) => number } = {},
  ): Promise<void> {
    const { passed = count, value = (index) => 5 + (index % 3) / 100 } = change
    for (let index = 0; index < count; index += 1) {
      service.advance(US_PER_SECOND)
      await createRunIn(service.context, service.principal, {
        procedure_id: 'OTHER',
        unit_under_test: {
          serial_number: `SN-${service.context.clock()}`,
          part_number: 'PN-1',
          revision: 'A',
        },
        started_at: nowText(),
        duration: 'PT1S',
        run_passed: index < passed,
        steps: [
          {
            name: 'Vout',
            step_passed: true,
            started_at: nowText(),
            duration: 'PT1S',
            measurement_value: value(index),
          },
        ],
      } as never)
    }
  }

  it('causes a message for a yield below the limit of each webhook, and for its recovery', async () => {
    const strict = await createWebhookIn(service, {
      url: URL,
      events: ['line.yield_below'],
      yield_below: 0.95,
    })
    const lax = await createWebhookIn(service, { url: URL, events: ['line.yield_below'], yield_below: 0.5 })
    await measure(29, { passed: 20 })
    await detect()
    expect(await readKinds(strict.id)).toEqual([])
    await measure(1)
    await detect()
    // At most every 15 minutes.
    expect(await readKinds(strict.id)).toEqual([])
    await detect(15 * 60)
    await detect(15 * 60)
    expect(await readMessages(strict.id)).toMatchObject([
      {
        type: 'line.yield_below',
        data: {
          limit: 0.95,
          first_pass: { count: 21, of: 30, rate: 0.7 },
          days: 28,
          procedure: { identifier: 'OTHER' },
        },
      },
    ])
    expect(await readKinds(lax.id)).toEqual([])
    expect(await readKinds()).toEqual([])
    await detect(5 * week)
    await measure(40)
    await detect(15 * 60)
    expect(await readKinds(strict.id)).toEqual(['line.yield_below', 'line.yield_recovered'])
  })

  it('causes a message for a measurement out of control, and when it is in control again', async () => {
    await measure(60)
    await detect()
    expect(await readKinds()).toEqual([])
    await measure(60, { value: (index) => 7 + (index % 3) / 100 })
    await detect(15 * 60)
    detector = new Detector(service.context)
    await detect(15 * 60)
    const [message, ...others] = await readMessages()
    expect(others).toEqual([])
    expect(message).toMatchObject({
      type: 'line.out_of_control',
      data: { phase: 'Vout', measurement: 'Vout', values: 120 },
    })
    await detect(5 * week)
    await measure(60)
    await detect(15 * 60)
    expect(await readKinds()).toEqual(['line.out_of_control', 'line.in_control'])
  })

  it('causes the message again if it could not be delivered', async () => {
    await measure(60)
    await measure(60, { value: (index) => 7 + (index % 3) / 100 })
    await detect()
    await service.context.database.write(async ({ query }) => {
      await query.updateTable('webhook_deliveries').set({ next_attempt_at_us: null }).execute()
    })
    await detect(15 * 60)
    expect(await readKinds()).toEqual(['line.out_of_control', 'line.out_of_control'])
  })
})

it('does nothing without an enabled webhook', async () => {
  await callWebhook(service, 'deleteWebhook', { id: webhook.id })
  await build(FIRST)
  await build({ group: 'ci-2', tests: { adds: 'failed' } })
  const { count } = await service.context.database.query
    .selectFrom('webhook_deliveries')
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBe(0)
})

it('lists messages with the kinds that the interface names', async () => {
  await build(FIRST)
  await build({ group: 'ci-2', tests: { adds: 'failed' } })
  const kinds: WebhookKind[] = (await readDeliveries(service, webhook.id)).map(({ kind }) => kind)
  expect(kinds).toEqual(['test.newly_failing'])
})
