import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failed, passed, type RecordedService, startRecordedService } from '../testing/record'

let service: RecordedService
let script: string
let count = 0

/** Replaces a framework: writes down its arguments, and writes the next of the listed executions where a reporter does. */
const SCRIPT = `import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
const [file, ...args] = process.argv.slice(2)
const state = JSON.parse(readFileSync(file, 'utf8'))
const { steps, exitCode = 0 } = state.executions[Math.min(state.given.length, state.executions.length - 1)]
state.given.push(args)
writeFileSync(file, JSON.stringify(state))
console.log('key ' + process.env.RUNLEDGER_API_KEY)
const run = { procedure_id: '', steps, report_variables: { file: 'src/cart.test.ts', submission_id: String(state.given.length) } }
appendFileSync(process.env.RUNLEDGER_REPEAT_FILE, JSON.stringify(run) + '\\n')
process.exit(exitCode)
`

const FILE = 'src/cart.test.ts'
const pass = (name: string) => ({ name, kind: 'test', step_passed: true })
const fail = (name: string) => ({
  ...pass(name),
  step_passed: false,
  error: { message: `${name} is off ##vso[x]\u001b[2J` },
})

interface Executed {
  steps: object[]
  exitCode?: number
}

beforeAll(async () => {
  service = await startRecordedService()
  script = path.join(await mkdtemp(path.join(service.folder, 'script-')), 'framework.mjs')
  await writeFile(script, SCRIPT)
})

afterAll(() => service.stop())

/** A build that began some minutes ago, later than those before it. */
async function createBuild(phases: object[], metadata: object = {}): Promise<string> {
  const group = `build-${(count += 1)}`
  const startedAt = new Date(Date.now() - 3_600_000 + count * 60_000).toISOString()
  const facts = { framework: 'vitest', file: FILE, group, ...metadata }
  await service.createRun(phases, { metadata: facts, startedAt })
  return group
}

/** The clock goes on by a minute each time that it is asked. */
function createMinuteClock() {
  let nowMs = 0
  return { nowMs: () => (nowMs += 60_000), sleep: () => Promise.resolve() }
}

async function repeatNew(group: string, executions: Executed[], ...options: string[]) {
  const file = path.join(service.folder, `executions-${(count += 1)}.json`)
  await writeFile(file, JSON.stringify({ executions, given: [] }))
  const env = { RUNLEDGER_URL: service.url, RUNLEDGER_API_KEY: service.apiKey }
  const result = await service.run(
    [
      'run',
      '--repeat-new',
      '5m',
      '--build',
      group,
      '--wait',
      '0',
      ...options,
      '--',
      process.execPath,
      script,
      file,
    ],
    { env, clock: createMinuteClock() },
  )
  const { given } = JSON.parse(await readFile(file, 'utf8')) as { given: string[][] }
  return { ...result, given }
}

describe('runledger run --repeat-new', () => {
  it('runs the tests that no earlier build has, until the time is over', async () => {
    await createBuild([passed('adds')])
    const group = await createBuild([passed('adds'), passed('pays'), failed('ships', 'x')])
    const { code, out, err, given } = await repeatNew(group, [{ steps: [pass('pays')] }])
    expect(code).toBe(0)
    expect(err).toContain(`1 new test in build ${group} (vitest, failed): ${service.url}/`)
    expect(err).toContain('Execution 5: 1 of 1 passed\n')
    expect(out).toBe(
      '5 executions: 1 of 1 new test passed each time.\nA test that passed 5 times may still fail in up to 43 % of executions (95 % interval).\n',
    )
    expect(given).toHaveLength(5)
    for (const args of given)
      expect(args.join(' ')).toMatch(/^\S+ --testNamePattern=.*pays\S* src\/cart\.test\.ts$/)
  })

  it('fails if a new test fails once, and goes on with the others', async () => {
    const group = await createBuild([passed('locks'), passed('opens')])
    const { code, out, given } = await repeatNew(group, [
      { steps: [pass('locks'), pass('opens')] },
      { steps: [fail('locks'), pass('opens')], exitCode: 1 },
      { steps: [pass('opens')] },
    ])
    expect(code).toBe(1)
    expect(out).toContain('5 executions: 1 of 2 new tests passed each time.')
    expect(out).toContain(`Failed in execution 2: ${FILE} › locks\n  locks is off # #vso[x]\n`)
    expect(given.map((args) => args.join().includes('locks'))).toEqual([true, true, false, false, false])
  })

  it('fails if a new test does not run, or the command fails beside it', async () => {
    const group = await createBuild([passed('counts')])
    const unrun = await repeatNew(group, [{ steps: [] }])
    expect(unrun.out).toContain(
      `1 execution: 0 of 1 new test passed each time.\nDid not run in execution 1: ${FILE} › counts\n`,
    )
    expect([unrun.code, unrun.out]).toEqual([
      1,
      expect.stringContaining('The command ended with 0, and left no result of the new tests. It printed'),
    ])
    const pair = await createBuild([passed('sums'), passed('sorts')])
    const one = await repeatNew(pair, [{ steps: [pass('sums')] }])
    expect([one.code, one.out]).toEqual([
      1,
      expect.stringContaining(`Did not run in execution 1: ${FILE} › sorts`),
    ])
    const other = await repeatNew(group, [{ steps: [pass('counts')], exitCode: 3 }])
    expect(other.code).toBe(1)
    expect(other.out).toContain(
      'The command ended with 3, though the new tests passed. It printed at the end:\nkey undefined\n',
    )
  })

  it('takes a test of an earlier build of the branch as new, and not one of the default branch', async () => {
    const metadata = { git_branch: 'topic', git_default_branch: 'main' }
    await createBuild([passed('old')], { git_branch: 'main', git_default_branch: 'main' })
    await createBuild([passed('first')], metadata)
    const group = await createBuild([passed('old'), passed('first'), passed('second')], metadata)
    const { err, given } = await repeatNew(group, [{ steps: [pass('first'), pass('second')] }])
    expect(err).toContain('2 new tests in build')
    expect(given[0]?.join()).not.toContain('old')
  })

  it('prints JSON', async () => {
    const group = await createBuild([passed('prints')])
    const { out } = await repeatNew(
      group,
      [{ steps: [pass('prints')] }, { steps: [fail('prints')] }],
      '--json',
    )
    expect(JSON.parse(out)).toMatchObject({
      build: { group, state: 'passed' },
      framework: 'vitest',
      executions: 2,
      new: [
        {
          file: FILE,
          name: 'prints',
          passed: 1,
          failed_in: 2,
          error: expect.stringContaining('is off') as string,
        },
      ],
      stopped: null,
    })
  })

  it('runs nothing if no test is new', async () => {
    const group = await createBuild([passed('adds')])
    const { code, out, err, given } = await repeatNew(group, [{ steps: [] }])
    expect({ code, out, given }).toEqual({ code: 0, out: '', given: [] })
    expect(err).toContain(`0 new tests in build ${group} (vitest, passed).`)
  })

  it('puts nothing on record', async () => {
    const list = async () => (await service.run(['runs', '--json', '--limit', '100'])).out
    const group = await createBuild([passed('keeps')])
    const before = await list()
    await repeatNew(group, [{ steps: [pass('keeps')] }])
    expect(await list()).toBe(before)
  })

  it('refuses --failed beside it, and a command that selects tests', async () => {
    const both = await service.run(['run', '--failed', '--repeat-new', '1m', '--', 'vitest'])
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('exclude each other')])
    const group = await createBuild([passed('selects')])
    const own = await service.run(['run', '--repeat-new', '1m', '--build', group, '--', 'vitest', '-t', 'x'])
    expect([own.code, own.err]).toEqual([2, expect.stringContaining('but --repeat-new does that')])
  })
})
