import { mkdtemp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failed, flaky, passed, type RecordedService, startRecordedService } from '../testing/record'

let service: RecordedService
let script: string

/** Records a run with the outcomes that its arguments name, one for each execution; `none` records nothing. */
const SCRIPT = `import { readFileSync, writeFileSync } from 'node:fs'
const [counter, phases] = process.argv.slice(2)
const count = Number(readFileSync(counter, 'utf8'))
writeFileSync(counter, String(count + 1))
const all = JSON.parse(phases)
const phase = all[Math.min(count, all.length - 1)]
console.log('execution ' + count)
const at = { started_at: new Date().toISOString(), ended_at: new Date().toISOString() }
const { SERVICE, KEY, PROCEDURE, RUNLEDGER_GROUP: group } = process.env
if (phase) {
  const response = await fetch(SERVICE + '/v2/runs', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + KEY, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...at, procedure_id: PROCEDURE, outcome: phase.outcome, serial_number: 'shop@1', part_number: 'shop',
      phases: [{ ...at, ...phase }], metadata: { file: 'src/cart.test.ts', group },
    }),
  })
  if (!response.ok) throw new Error(await response.text())
}
`

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

async function prove(phases: (object | null)[], ...options: string[]) {
  const counter = path.join(service.folder, `counter-${(counters += 1)}`)
  await writeFile(counter, '0')
  const command = [process.execPath, script, counter, JSON.stringify(phases)]
  const env = { SERVICE: service.url, KEY: service.apiKey, PROCEDURE: service.procedureId }
  return service.run(['prove-fixed', 'pays', '--branch', 'main', ...options, '--', ...command], { env })
}

// 6 of 8 failed: the 95 % interval of the rate begins at 40.9 %, and (1 − 0.409)^6 is 4.2 %.
describe('runledger prove-fixed', () => {
  it('runs the test until it is sure that it is fixed', async () => {
    const { code, out, err } = await prove([passed('pays')])
    expect(code).toBe(0)
    expect(err).toContain('"pays" failed in 6 of 8 results: 75 %, 95 % interval 41 % to 93 %.')
    expect(err).toContain('6 of 6 passed')
    expect(out).toBe(
      'Fixed: 6 executions without a failure; unfixed, it would pass them all with a probability of 4.2 % at most.\n',
    )
  })

  it.each([
    ['failure', failed('pays', 'off by one')],
    ['failed first attempt', flaky('pays', 'off by one')],
  ])('stops at the first %s', async (_what, phase) => {
    const { code, out } = await prove([passed('pays'), passed('pays'), phase], '--json')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      verdict: 'not_fixed',
      executions: 3,
      needed: 6,
      before: { count: 6, of: 8 },
      chance_unfixed: null,
      run_id: expect.any(String) as unknown,
    })
  })

  it('says what the failed execution printed', async () => {
    const { out } = await prove([passed('pays'), failed('pays', 'off by one')])
    expect(out).toMatch(/^Not fixed: execution 2 failed, run [\da-f-]{36}\.\nexecution 1\n$/)
  })

  it('proves nothing by fewer executions', async () => {
    const { code, out } = await prove([passed('pays')], '--limit', '2')
    expect(code).toBe(1)
    expect(out).toBe(
      'Stopped after 2 of 6 executions without a failure, which proves nothing: unfixed, it would pass them all with a probability of 35 % at most.\n',
    )
  })

  it.each([
    ['records nothing', [null]],
    ['runs another test', [passed('adds up')]],
  ])('fails if the command %s', async (_what, phases) => {
    const { code, out, err } = await prove(phases)
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(
      'the command left no result of the test on record. It printed at the end:\nexecution 0',
    )
  })

  it('refuses a test that never failed, and a missing command', async () => {
    const { code, err } = await service.run(['prove-fixed', 'adds up', '--', 'true'])
    expect([code, err]).toEqual([
      1,
      'runledger: no failure of "adds up" is on record: there is no rate to compare with\n',
    ])
    expect((await service.run(['prove-fixed', 'pays'])).code).toBe(2)
    expect((await service.run(['prove-fixed', 'pays', '--limit', '0', '--', 'true'])).code).toBe(2)
  })

  it('leaves the options of the command to it', async () => {
    const { code, out } = await service.run(['prove-fixed', 'adds up', '--', 'true', '--json'])
    expect([code, out]).toEqual([1, ''])
  })
})
