import { mkdtemp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findNeed } from './prove-fixed'
import { failed, passed, type RecordedService, startRecordedService } from '../testing/record'

let service: RecordedService
let script: string

/** Writes a run with the steps in its arguments, one list for each execution. `none` writes no run. */
const SCRIPT = `import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
const [counter, lists] = process.argv.slice(2)
const count = Number(readFileSync(counter, 'utf8'))
writeFileSync(counter, String(count + 1))
const all = JSON.parse(lists)
const steps = all[Math.min(count, all.length - 1)]
console.log('execution ' + count + ', key ' + process.env.RUNLEDGER_API_KEY)
const run = { procedure_id: process.env.RUNLEDGER_PROCEDURE_ID, steps, report_variables: { file: 'src/cart.test.ts' } }
if (steps) appendFileSync(process.env.RUNLEDGER_REPEAT_FILE, JSON.stringify(run) + '\\n')
`

const step = (name: string, over: object = {}) => ({ name, kind: 'test', step_passed: true, ...over })
const pays = step('pays')
const fails = step('pays', { step_passed: false, error: { message: 'off by\u001b[2J one' } })
const passesOnRetry = step('pays', {
  attempts: [{ outcome: 'FAIL', errors: [{ message: 'off by one' }] }, { outcome: 'PASS' }],
})

beforeAll(async () => {
  service = await startRecordedService()
  const folder = await mkdtemp(path.join(service.folder, 'script-'))
  script = path.join(folder, 'execute.mjs')
  await writeFile(script, SCRIPT)
  for (let build = 0; build < 8; build++)
    await service.createRun([build < 6 ? failed('pays', 'off by one') : passed('pays'), passed('adds up')], {
      startedAt: new Date(Date.now() - (10 - build) * 3_600_000).toISOString(),
      metadata: { group: `ci-${build}`, git_branch: 'main', git_commit: `c${build}` },
    })
})

afterAll(() => service.stop())

let counters = 0

async function prove(lists: (object[] | null)[], ...options: string[]) {
  const counter = path.join(service.folder, `counter-${(counters += 1)}`)
  await writeFile(counter, '0')
  const command = [process.execPath, script, counter, JSON.stringify(lists)]
  const env = { RUNLEDGER_URL: service.url, RUNLEDGER_API_KEY: service.apiKey }
  return service.run(['prove-fixed', 'pays', '--branch', 'main', ...options, '--', ...command], { env })
}

// 6 of 8 failed: the 95 % interval of the rate begins at 40.9 %, and (1 − 0.409)^6 is 4.2 %.
describe('runledger prove-fixed', () => {
  it('runs the test until the fix is proven', async () => {
    const { code, out, err } = await prove([[pays]])
    expect(code).toBe(0)
    expect(err).toContain('"pays" failed in 6 of 8 results: 75 %, 95 % interval 41 % to 93 %.')
    expect(err).toContain(
      '6 executions without a failure prove that it no longer fails in 41 % of executions or more.',
    )
    expect(err).toContain('6 of 6 executions passed')
    expect(out).toBe(
      'Fixed: 6 executions without a failure. A test that is not fixed passes them all with a probability of at most 4.2 %.\n',
    )
  })

  it.each([
    ['failure', fails],
    ['failed first attempt', passesOnRetry],
  ])('stops at the first %s', async (_what, failure) => {
    const { code, out } = await prove([[pays], [pays], [failure]], '--json')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      verdict: 'not_fixed',
      executions: 3,
      needed: 6,
      before: { count: 6, of: 8 },
      chance_unfixed: null,
      error: expect.stringContaining('off by') as string,
    })
  })

  it('prints the failure and what the execution printed, without the key and without terminal escapes', async () => {
    const { out } = await prove([[pays], [fails]])
    expect(out).toBe(
      'Not fixed: execution 2 failed.\noff by one\nIt printed at the end:\nexecution 1, key undefined\n',
    )
  })

  it('leaves the failure rate on record as it is', async () => {
    const list = async () => (await service.run(['test', 'pays', '--json'])).out
    const before = await list()
    expect((await prove([[pays]])).code).toBe(0)
    expect((await prove([[fails]])).code).toBe(1)
    expect(await list()).toBe(before)
  })

  it('proves nothing by fewer executions', async () => {
    const { code, out } = await prove([[pays]], '--limit', '2')
    expect(code).toBe(1)
    expect(out).toBe(
      'Stopped after 2 of 6 executions without a failure. This proves nothing. A test that is not fixed passes them all with a probability of at most 35 %.\n',
    )
  })

  it.each([
    ['records nothing', null],
    ['runs another test', [step('adds up')]],
    ['runs a test of the same name in another file', [step('pays', { location: { file: 'b.test.ts' } })]],
  ])('fails if the command %s', async (_what, steps) => {
    const { code, out, err } = await prove([steps])
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(
      'the command left no result of the test. It printed at the end:\nexecution 0, key undefined\n',
    )
  })

  it('prints a stored name without terminal escapes', async () => {
    const name = 'pays\u001b]0;owned\u0007'
    await service.createRun([failed(name, 'off by one')], { metadata: { group: 'ci-escapes' } })
    const { err } = await service.run(['prove-fixed', 'pays\u001b', '--', 'true'])
    expect(err).toContain('failed in 1 of 1 result')
    expect(err).not.toMatch(/[\u001b\u0007]/)
  })

  it('refuses a test that never failed, and a missing command', async () => {
    const { code, err } = await service.run(['prove-fixed', 'adds up', '--', 'true'])
    expect([code, err]).toEqual([
      1,
      'runledger: no failure of "adds up" is on record, so there is no failure rate to compare with\n',
    ])
    expect((await service.run(['prove-fixed', 'pays'])).code).toBe(2)
    expect((await service.run(['prove-fixed', 'pays', '--limit', '0', '--', 'true'])).code).toBe(2)
  })

  it.each([null, 0])('proves nothing by a failure rate of %s', (low) => {
    expect(() => findNeed({ low })).toThrow('nothing can be proven')
  })

  it('passes the options of the command on', async () => {
    const { code, out } = await service.run(['prove-fixed', 'adds up', '--', 'true', '--json'])
    expect([code, out]).toEqual([1, ''])
  })
})
