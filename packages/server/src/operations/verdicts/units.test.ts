import type { FailureVerdict, VerdictList } from '@runledger/protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createResponse, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer
let procedure = ''
let tests = 0

beforeAll(async () => {
  server = await startTestServer()
})

// A procedure of its own for each test: runs of other procedures say nothing of it.
beforeEach(async () => {
  procedure = `FVT-${(tests += 1)}`
  await get('POST', '/v2/procedures', { name: procedure, identifier: procedure })
})

afterAll(() => server.stop())

const get = createResponse(() => server)

interface Sent {
  unit?: string
  at?: string
  step?: string
  change?: Record<string, unknown>
}

/** Creates a run of a bench with one step: what it came to. The first begins at 1:00, each later one an hour after it. */
async function record(outcome: 'PASS' | 'FAIL', sent: Sent = {}): Promise<string> {
  const { unit = 'SN-0250', at = nextStart(), step = 'ripple', change = {} } = sent
  const time = { started_at: at, ended_at: at }
  const { id } = await get<{ id: string }>('POST', '/v2/runs', {
    procedure_id: procedure,
    serial_number: unit,
    part_number: 'PSU',
    outcome,
    ...time,
    phases: [{ name: step, outcome, ...time }],
    ...change,
  })
  return id
}

let hours = 0
const START_MS = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000

function nextStart(): string {
  return new Date(START_MS + (hours += 1) * HOUR_MS).toISOString()
}

async function verdictOf(id: string): Promise<FailureVerdict> {
  const { data } = await get<VerdictList>('GET', `/v2/verdicts?ids=${id}`)
  const [first] = data
  if (!first || data.length > 1) throw new Error(`The run has ${data.length} verdicts.`)
  return first
}

const none = { earlier_runs: 0, earlier_failures: 0 }

describe('a failure of a unit', () => {
  it('is of no branch where that is an empty text', async () => {
    const change = { metadata: { git_branch: '', git_commit: '', git_default_branch: '' } }
    await record('PASS', { unit: 'SN-0249', change })
    expect(await verdictOf(await record('FAIL', { change }))).toMatchObject({ basis: 'unit' })
  })

  it('is never compared with another unit as if that were a build of a branch', async () => {
    await record('PASS', { unit: 'SN-0249' })
    expect(await verdictOf(await record('FAIL'))).toMatchObject({
      verdict: 'first_failure',
      basis: 'unit',
      unit: { ...none, other_units: { tested: 1, failed: 0 } },
    })
    const verdict = await verdictOf(await record('FAIL', { unit: 'SN-0251' }))
    expect(verdict).toMatchObject({ unit: { ...none, other_units: { tested: 2, failed: 1 } } })
    expect(verdict).not.toHaveProperty('last_passed')
  })

  it('is the first after runs that passed, whichever case the serial number was sent in', async () => {
    await record('PASS', { unit: 'sn-0250' })
    const passed = await record('PASS')
    expect(await verdictOf(await record('FAIL', { unit: 'Sn-0250' }))).toMatchObject({
      verdict: 'first_failure',
      last_passed: { id: passed },
      unit: { earlier_runs: 2, earlier_failures: 0, other_units: { tested: 0, failed: 0 } },
    })
  })

  it('follows others: how many, since when, whether it passed in between and later', async () => {
    const first = await record('FAIL')
    const retest = await record('FAIL')
    const reworked = await record('PASS')
    const failed = await record('FAIL')
    const later = await record('PASS')
    await record('PASS')
    expect(await verdictOf(failed)).toMatchObject({
      verdict: 'failed_before',
      last_passed: { id: reworked },
      unit: {
        earlier_runs: 3,
        earlier_failures: 2,
        first_failed: { id: first },
        passed_between: { id: reworked },
        passed_later: { id: later },
      },
    })
    const verdict = await verdictOf(retest)
    expect(verdict).toMatchObject({ unit: { earlier_failures: 1, passed_later: { id: reworked } } })
    expect(verdict.unit).not.toHaveProperty('passed_between')
    expect(await verdictOf(first)).toMatchObject({ verdict: 'first_failure', unit: none })
  })

  it('is of its step and its procedure alone', async () => {
    await record('FAIL', { step: 'noise' })
    await get('POST', '/v2/procedures', { name: 'Other', identifier: `OTHER-${tests}` })
    await record('FAIL', { change: { procedure_id: `OTHER-${tests}` } })
    expect(await verdictOf(await record('FAIL'))).toMatchObject({ verdict: 'first_failure', unit: none })
  })

  it('is told by the start of its run, and by what was received first where two began at once', async () => {
    const at = nextStart()
    const first = await record('FAIL', { at })
    const second = await record('FAIL', { at })
    const imported = await record('FAIL', { at: new Date(Date.parse(at) - HOUR_MS).toISOString() })
    expect(await verdictOf(second)).toMatchObject({
      unit: { earlier_runs: 2, earlier_failures: 2, first_failed: { id: imported } },
    })
    expect(await verdictOf(first)).toMatchObject({ unit: { earlier_runs: 1 } })
    expect(await verdictOf(imported)).toMatchObject({ verdict: 'first_failure', unit: none })
  })

  it('counts a run once that has the step several times, and as failed where one of them did', async () => {
    const at = nextStart()
    const phase = { name: 'ripple', outcome: 'PASS', started_at: at, ended_at: at }
    await record('FAIL', { at, change: { phases: [phase, { ...phase, outcome: 'FAIL' }, phase] } })
    expect(await verdictOf(await record('FAIL'))).toMatchObject({
      unit: { earlier_runs: 1, earlier_failures: 1 },
    })
  })

  it('says nothing of what was deleted', async () => {
    const failed = await record('FAIL')
    await record('FAIL', { unit: 'SN-0249' })
    const id = await record('FAIL')
    await get('DELETE', `/v2/runs?ids=${failed}`)
    await get('DELETE', '/v2/units?serial_numbers=SN-0249')
    expect(await verdictOf(id)).toMatchObject({
      verdict: 'first_failure',
      unit: { ...none, other_units: { tested: 0, failed: 0 } },
    })
  })
})

describe('other units', () => {
  it('are the last 100 before the run, each once, without samples and software', async () => {
    await record('FAIL', { unit: 'OLD-1' })
    for (let index = 0; index < 99; index += 1) await record('PASS', { unit: `SN-1${index}` })
    for (const outcome of ['FAIL', 'PASS'] as const) await record(outcome, { unit: 'SN-RETESTED' })
    await record('FAIL', { unit: 'GOLDEN' })
    await get('PATCH', '/v2/units/GOLDEN', { sample: 'golden' })
    await record('FAIL', { unit: 'app@c1', change: { metadata: { git_commit: 'c1' } } })
    const failed = await record('FAIL')
    await record('FAIL', { unit: 'SN-LATER' })
    expect(await verdictOf(failed)).toMatchObject({ unit: { other_units: { tested: 100, failed: 1 } } })
  })
})

describe('a run of software', () => {
  const build = (commit: string, unit: string) => ({
    unit,
    change: { metadata: { git_branch: 'main', git_commit: commit } },
  })

  it('is compared along its branch, though its unit differs from commit to commit', async () => {
    const passed = await record('PASS', build('c1', 'app@c1'))
    expect(await verdictOf(await record('FAIL', build('c2', 'app@c2')))).toMatchObject({
      verdict: 'new',
      basis: 'branch',
      last_passed: { id: passed },
      default_branch_unknown: true,
    })
  })

  it('is not compared with units of a bench, also where it names no branch', async () => {
    await record('PASS')
    expect(
      await verdictOf(await record('FAIL', { unit: 'app@c1', change: { metadata: { git_commit: 'c1' } } })),
    ).toMatchObject({ verdict: 'first_seen', basis: 'none' })
  })
})
