import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClock } from '../testing/builds'
import { failed, flaky, passed, type RecordedService, startRecordedService } from '../testing/record'

let service: RecordedService
let script: string
let count = 0

/** Replaces a framework: writes down its arguments, and records the runs in the file that its first argument names. */
const SCRIPT = `import { readFileSync, writeFileSync } from 'node:fs'
const [file, ...args] = process.argv.slice(2)
const { runs, exitCode } = JSON.parse(readFileSync(file, 'utf8'))
writeFileSync(file + '.args', JSON.stringify(args))
const { SERVICE, KEY, PROCEDURE, RUNLEDGER_FAILED_RERUN: failed_rerun } = process.env
const at = { started_at: new Date().toISOString(), ended_at: new Date().toISOString() }
for (const { phases, metadata, outcome, skipped } of runs) {
  const response = await fetch(SERVICE + '/v2/runs', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + KEY, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...at, procedure_id: PROCEDURE, outcome, serial_number: 'shop@1', part_number: 'shop',
      phases: phases.map((phase) => ({ ...at, ...phase })), skipped, metadata: { ...metadata, failed_rerun },
    }),
  })
  if (!response.ok) throw new Error(await response.text())
}
process.exit(exitCode)
`

const FILE = 'src/cart.test.ts'

beforeAll(async () => {
  service = await startRecordedService()
  script = path.join(await mkdtemp(path.join(service.folder, 'script-')), 'framework.mjs')
  await writeFile(script, SCRIPT)
})

afterAll(() => service.stop())

function nameBuild(): string {
  return `build-${(count += 1)}`
}

const facts = (group: string, more: object = {}) => ({
  metadata: { framework: 'vitest', file: FILE, os: 'linux 6', node: 'v22.1.0', group, ...more },
})

interface Rerun {
  phases: object[]
  metadata?: object
  outcome?: string
  skipped?: object[]
}

/** A CI without a build of its own. */
const CI = { CI: 'true' }

async function runFailed(
  args: string[],
  { runs = [], exitCode = 0 }: { runs?: Rerun[]; exitCode?: number } = {},
  env: Record<string, string | undefined> = {},
) {
  const file = path.join(service.folder, `rerun-${(count += 1)}.json`)
  const all = runs.map(({ phases, metadata, outcome, skipped }) => ({
    phases,
    skipped,
    metadata: { framework: 'vitest', file: FILE, os: 'linux 6', node: 'v22.1.0', ...metadata },
    outcome: outcome ?? (phases.some((phase) => 'errors' in phase) ? 'FAIL' : 'PASS'),
  }))
  await writeFile(file, JSON.stringify({ runs: all, exitCode }))
  const { url, apiKey, procedureId } = service
  const result = await service.run(
    ['run', '--failed', '--wait', '0', ...args, '--', process.execPath, script, file],
    { env: { SERVICE: url, KEY: apiKey, PROCEDURE: procedureId, ...env } },
  )
  const given = await readFile(`${file}.args`, 'utf8').then(
    (text) => JSON.parse(text) as string[],
    () => undefined,
  )
  return { ...result, given }
}

describe('runledger run --failed', () => {
  it('runs what failed, and not what passed at a later attempt', async () => {
    const group = nameBuild()
    await service.createRun(
      [failed('pays', 'off by one'), flaky('settles', 'x'), passed('adds')],
      facts(group),
    )
    const { code, err, given } = await runFailed(['--build', group], { runs: [{ phases: [passed('pays')] }] })
    expect(code).toBe(0)
    expect(err).toContain(`Running 1 failed test of build ${group} (vitest, failed): ${service.url}/`)
    expect(err).toContain('1 of 1 failed test ran again: 1 passed, 0 failed, 0 did not run.\n')
    expect(given).toEqual(['--passWithNoTests', expect.stringMatching(/^--testNamePattern=.*pays/), FILE])
    expect(given?.join()).not.toMatch(/settles|adds/)
  })

  it('uses the last results on each kind of machine, of a later attempt of the CI or of an earlier rerun', async () => {
    const group = nameBuild()
    const other = { file: 'src/other.test.ts' }
    const again = { failed_rerun: 'an earlier one' }
    await service.createRun([failed('pays', 'x')], facts(group))
    await service.createRun([passed('pays')], facts(group, { ci_rerun: '1' }))
    await service.createRun([failed('ships', 'x'), failed('packs', 'x')], facts(group, other))
    await service.createRun([failed('ships', 'x')], facts(group, { ...other, os: 'darwin 25' }))
    await service.createRun([passed('ships'), failed('packs', 'x')], facts(group, { ...other, ...again }))
    const { given, err } = await runFailed(['--build', group])
    expect(given?.join()).not.toContain('pays')
    expect(given?.join()).toMatch(/ships.*packs|packs.*ships/)
    expect(err).toContain('Running 2 failed tests')
  })

  it('does not count a rerun for tests that it did not run, or that failed after it', async () => {
    const group = nameBuild()
    const rerun = { failed_rerun: 'an earlier one', ci_job: 'test' }
    await service.createRun(
      [failed('pays', 'x'), failed('ships', 'x')],
      facts(group, { ci_job: 'test', ci_rerun: '0' }),
    )
    await service.createRun([passed('pays')], facts(group, { ...rerun, ci_rerun: '1' }))
    const part = await runFailed(['--build', group])
    expect(part.err).toContain('Running 1 failed test ')
    expect(part.given?.join()).toContain('ships')

    const other = nameBuild()
    await service.createRun([failed('pays', 'x')], facts(other))
    await service.createRun([passed('pays')], facts(other, rerun))
    await service.createRun([failed('pays', 'x')], facts(other))
    expect((await runFailed(['--build', other])).given?.join()).toContain('pays')
  })

  it('fails if an expected test did not run, and names it', async () => {
    const group = nameBuild()
    await service.createRun([failed('pays', 'x'), failed('ships', 'x')], facts(group))
    const runs = [{ phases: [passed('pays'), { name: 'ships', outcome: 'SKIP', kind: 'test' }] }]
    const { code, err } = await runFailed(['--build', group], { runs })
    expect(code).toBe(1)
    expect(err).toContain(`1 of 2 failed tests ran again: 1 passed, 0 failed, 1 did not run.
Did not run: ${FILE} › ships\n`)
    expect((await runFailed(['--build', group])).err).toContain('The command left nothing on record')
  })

  it('ends with the exit code of the command', async () => {
    const group = nameBuild()
    await service.createRun([failed('pays', 'x')], facts(group))
    const runs = [{ phases: [failed('pays', 'x')] }]
    const { code, out } = await runFailed(['--build', group, '--json'], { runs, exitCode: 7 })
    expect(code).toBe(7)
    expect(JSON.parse(out)).toMatchObject({ failed: 1, failed_again: 1, not_run: [], exit_code: 7 })
  })

  it('runs whole files that failed to load or in a hook', async () => {
    const group = nameBuild()
    const hook = { ...failed('afterAll hook', 'x'), kind: 'hook' }
    await service.createRun([failed('pays', 'x'), hook], facts(group))
    const whole = await runFailed(['--build', group], { runs: [{ phases: [passed('pays')] }] })
    expect(whole.given).toEqual(['--passWithNoTests', FILE])
    expect(whole.err).toContain('Running 1 failed test and 1 failed file')
    expect(whole.code).toBe(0)
  })

  it('also selects tests that a failure kept from running', async () => {
    const group = nameBuild()
    const skipped = [{ name: 'ships', reason: 'not started' }, { name: 'never' }]
    await service.createRun([failed('pays', 'x')], { ...facts(group), skipped })
    const { given, err, code } = await runFailed(['--build', group], { runs: [{ phases: [passed('pays')] }] })
    expect(given?.join()).toMatch(/pays.*ships/)
    expect(given?.join()).not.toContain('never')
    expect(err).toContain('Running 1 failed test and 1 test that did not run of build')
    expect(err).toContain(`1 of 1 failed test ran again: 1 passed, 0 failed, 0 did not run.
Did not run: ${FILE} › ships\n`)
    expect(code).toBe(1)
    const all = { phases: [passed('pays'), passed('ships')] }
    expect((await runFailed(['--build', group], { runs: [all] })).code).toBe(0)
  })

  it('runs a test again that did not run beside a failure, also after the failed one passed', async () => {
    const group = nameBuild()
    const skipped = [{ name: 'ships', reason: 'not started' }]
    await service.createRun([failed('pays', 'x')], { ...facts(group), skipped })
    await service.createRun([passed('pays')], facts(group, { failed_rerun: 'an earlier one' }))
    const { given, err } = await runFailed(['--build', group], { runs: [{ phases: [passed('ships')] }] })
    expect(given?.join()).toContain('ships')
    expect(err).toContain('Running 1 test that did not run of build')
  })

  it('passes where a test is skipped again for the reason that it gives', async () => {
    const group = nameBuild()
    const skipped = [{ name: 'prints', reason: 'no printer' }]
    await service.createRun([failed('pays', 'x')], { ...facts(group), skipped })
    const run = { phases: [passed('pays')], skipped }
    expect((await runFailed(['--build', group], { runs: [run] })).code).toBe(0)
    const other = { phases: [passed('pays')], skipped: [{ name: 'prints', reason: 'no ink' }] }
    expect((await runFailed(['--build', group], { runs: [other] })).code).toBe(1)
  })

  it('needs one pass for each job that the record does not distinguish', async () => {
    const both = nameBuild()
    for (let job = 1; job <= 2; job += 1) await service.createRun([failed('pays', 'x')], facts(both))
    const once = [{ phases: [passed('pays')] }]
    const { code, err } = await runFailed(['--build', both], { runs: once }, CI)
    expect(code).toBe(1)
    expect(err).toContain(`Not cleared on linux with Node 22 (passes: 1 of 2): ${FILE} › pays\n`)
    expect((await runFailed(['--build', both], { runs: [...once, ...once] }, CI)).code).toBe(0)

    const one = nameBuild()
    await service.createRun([failed('pays', 'x')], facts(one))
    await service.createRun([passed('pays')], facts(one))
    expect((await runFailed(['--build', one], { runs: once }, CI)).code).toBe(1)
  })

  it('needs one pass of a file that every shard of Playwright failed to load', async () => {
    const group = nameBuild()
    const load = { ...failed('Suite failed to load', 'x'), kind: 'suite' }
    const ofPlaywright = { framework: 'playwright' }
    for (const index of ['1', '2']) {
      const shard = { shard: `${index}/2`, shard_index: index, shard_total: '2' }
      await service.createRun([load], facts(group, { ...ofPlaywright, ...shard }))
    }
    const rerun = { phases: [passed('pays')], metadata: { ...ofPlaywright, project: 'quick' } }
    const { code, err } = await runFailed(['--build', group], { runs: [rerun] }, CI)
    expect(err).toContain('1 of 1 failed file ran again: 1 passed, 0 failed, 0 did not run.\n')
    expect(code).toBe(0)
  })

  it('clears failures by enough passes in one earlier rerun, not in two together', async () => {
    const group = nameBuild()
    for (let job = 1; job <= 2; job += 1) await service.createRun([failed('pays', 'x')], facts(group))
    await service.createRun([passed('pays')], facts(group, { failed_rerun: 'one' }))
    await service.createRun([passed('pays')], facts(group, { failed_rerun: 'two' }))
    expect((await runFailed(['--build', group])).given?.join()).toContain('pays')
    await service.createRun([passed('pays')], facts(group, { failed_rerun: 'two' }))
    expect((await runFailed(['--build', group])).out).toContain('Nothing to run again')
  })

  it('ignores passes of an execution in which the test also failed', async () => {
    const group = nameBuild()
    await service.createRun([failed('pays', 'x')], facts(group))
    const again = { failed_rerun: 'one' }
    await service.createRun([failed('pays', 'x')], facts(group, again))
    await service.createRun([passed('pays')], facts(group, again))
    expect((await runFailed(['--build', group])).given?.join()).toContain('pays')
    await service.createRun([passed('pays')], facts(group, { failed_rerun: 'two' }))
    expect((await runFailed(['--build', group])).out).toContain('Nothing to run again')
  })

  it('names tests that passed only in another environment, and fails in a CI', async () => {
    const group = nameBuild()
    await service.createRun([failed('pays', 'x')], facts(group, { node: 'v20.1.0' }))
    await service.createRun([failed('ships', 'x')], facts(group, { os: 'win32 10' }))
    const rerun = { runs: [{ phases: [passed('pays'), passed('ships')] }] }
    const inCi = await runFailed(['--build', group, '--json'], rerun, CI)
    expect(inCi.code).toBe(1)
    expect(inCi.err).toContain(`Not cleared on linux with Node 20 (passes: 0 of 1): ${FILE} › pays\n`)
    expect(inCi.err).toContain(`Not cleared on win32 with Node 22 (passes: 0 of 1): ${FILE} › ships\n`)
    expect(JSON.parse(inCi.out)).toMatchObject({
      not_cleared: [
        { file: FILE, name: 'pays', environment: 'linux with Node 20' },
        { file: FILE, name: 'ships', environment: 'win32 with Node 22' },
      ],
      exit_code: 1,
    })
    const here = await runFailed(['--build', group], rerun)
    expect(here.code).toBe(0)
    expect(here.err).toContain('Not cleared: 2 failures. Outside of a CI, that does not fail this command.\n')
  })

  it('fails where a test failed again or another run failed, though the command ends with 0', async () => {
    const group = nameBuild()
    await service.createRun([failed('pays', 'x')], facts(group))
    const again = await runFailed(['--build', group], { runs: [{ phases: [failed('pays', 'x')] }] })
    expect(again.code).toBe(1)
    expect(again.err).toContain('0 passed, 1 failed, 0 did not run.')
    const other = { phases: [failed('adds', 'x')], metadata: { file: 'src/other.test.ts' } }
    const beside = await runFailed(['--build', group], { runs: [{ phases: [passed('pays')] }, other] })
    expect(beside.code).toBe(1)
    expect(beside.err).toContain('1 run of the command failed.\n')
  })

  it('fails if the build has a failure that no test can clear', async () => {
    const group = nameBuild()
    const setUp = { ...failed('Global set-up', 'x'), kind: 'suite' }
    const id = await service.createRun([setUp], facts(group, { file: '(execution)' }))
    const sentence = `The build has a failure that no test can clear: Global set-up (${service.url}/runs/${id})\n`
    const nothing = await runFailed(['--build', group])
    expect(nothing).toMatchObject({ code: 1, out: '', err: sentence, given: undefined })
    await service.createRun([failed('pays', 'x')], facts(group))
    const { code, err } = await runFailed(['--build', group], { runs: [{ phases: [passed('pays')] }] })
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(sentence) as unknown })
  })

  it('forgets an error of an earlier rerun that belongs to no file', async () => {
    const group = nameBuild()
    await service.createRun([failed('pays', 'x')], facts(group))
    const setUp = { ...failed('Global set-up', 'x'), kind: 'suite' }
    await service.createRun([setUp], facts(group, { file: '(execution)', failed_rerun: 'an earlier one' }))
    expect((await runFailed(['--build', group], { runs: [{ phases: [passed('pays')] }] })).code).toBe(0)
  })

  it('fails if a test that failed is skipped for the reason of another environment', async () => {
    const group = nameBuild()
    await service.createRun([failed('prints', 'x')], facts(group, { node: 'v20.1.0' }))
    const skipped = [{ name: 'prints', reason: 'needs 20' }]
    await service.createRun([failed('pays', 'x')], { ...facts(group), skipped })
    const { code, err } = await runFailed(['--build', group], {
      runs: [{ phases: [passed('pays')], skipped }],
    })
    expect(code).toBe(1)
    expect(err).toContain(`Did not run: ${FILE} › prints\n`)
  })

  it('refuses a framework without runs in the build', async () => {
    const group = nameBuild()
    await service.createRun([failed('pays', 'x')], facts(group))
    const { code, err, given } = await runFailed(['--build', group, '--framework', 'jest'])
    expect({ code, given }).toEqual({ code: 2, given: undefined })
    expect(err).toContain('the build has no runs of jest, only of vitest')
  })

  it('refuses the build of another commit that has the group of this CI job', async () => {
    const group = nameBuild()
    await service.createRun([passed('pays')], facts(group, { git_commit: 'a'.repeat(40) }))
    const job = { ...CI, GITHUB_ACTIONS: 'true', GITHUB_SHA: 'b'.repeat(40), RUNLEDGER_GROUP: group }
    const { code, err } = await runFailed([], {}, job)
    expect(code).toBe(1)
    expect(err).toContain(`the build is of commit ${'a'.repeat(40)}, and this job of ${'b'.repeat(40)}`)
  })

  it('runs all tests where an execution was cut short', async () => {
    const group = nameBuild()
    const cut = { ...failed('Interrupted', 'x'), kind: 'suite' }
    await service.createRun([passed('pays'), cut], facts(group))
    const { code, given, err } = await runFailed(['--build', group], { runs: [{ phases: [passed('pays')] }] })
    expect({ code, given }).toEqual({ code: 0, given: [] })
    expect(err).toContain('An execution was cut short and may not have begun every file: all tests run.')
  })

  it('finds the build by its commit, and by the variables of a CI', async () => {
    const group = nameBuild()
    await service.createRun([failed('pays', 'x')], facts(group, { git_commit: 'c0ffee12' }))
    const runs = [{ phases: [passed('pays')] }]
    expect((await runFailed(['--commit', 'c0ffee12'], { runs })).code).toBe(0)
    expect((await runFailed([], { runs }, { RUNLEDGER_GROUP: group })).err).toContain(`of build ${group}`)
    expect(await runFailed(['--commit', 'decade00'])).toMatchObject({
      code: 1,
      err: 'runledger: no build of the commit decade00 is on record\n',
    })
    expect(await runFailed(['--build', 'unknown'])).toMatchObject({
      code: 1,
      err: 'runledger: nothing of the build unknown is on record\n',
    })
  })

  it('uses the newest build of a CI for a commit, and no rerun', async () => {
    const [own, ci] = [nameBuild(), nameBuild()]
    const at = { git_commit: 'beef0001' }
    const later = { startedAt: '2026-11-20T09:40:00.000Z' }
    const latest = { startedAt: '2026-11-20T09:50:00.000Z' }
    await service.createRun([failed('ships', 'x')], facts(own, at))
    await service.createRun([passed('ships')], {
      ...facts(nameBuild(), { ...at, failed_rerun: 'an earlier one' }),
      ...latest,
    })
    expect((await runFailed(['--commit', 'beef0001'])).err).toContain(`of build ${own}`)
    const url = { ci_build_url: 'https://ci.example.com/1' }
    await service.createRun([failed('pays', 'x')], { ...facts(ci, { ...at, ...url }), ...later })
    await service.createRun([passed('pays')], { ...facts(nameBuild(), at), ...latest })
    expect((await runFailed(['--commit', 'beef0001'])).err).toContain(`of build ${ci}`)
  })

  it('refuses a command that selects tests by title itself', async () => {
    const group = nameBuild()
    await service.createRun([failed('pays', 'x')], facts(group))
    const { code, err } = await service.run(
      ['run', '--failed', '--build', group, '--', 'npx', 'vitest', 'run', '-t', 'ships'],
      {},
    )
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining('the command selects tests with -t, but --failed does that') as unknown,
    })
  })

  it('refuses a build without one of its shards, unless that is allowed', async () => {
    const group = nameBuild()
    const shard = { shard: '1/2', shard_index: '1', shard_total: '2' }
    await service.createRun([failed('pays', 'x')], facts(group, shard))
    const refused = await runFailed(['--build', group])
    expect(refused).toMatchObject({ code: 1, given: undefined })
    expect(refused.err).toContain('shard 2 of 2 has not reported, so what is in it is not known')
    const runs = [{ phases: [passed('pays')] }]
    expect((await runFailed(['--build', group, '--allow', 'incomplete'], { runs })).code).toBe(0)
  })

  it('prints once what it waits for, and no command of a CI', async () => {
    const argv = ['run', '--failed', '--wait', '20s', '--build', '##[error]', '--', 'npx', 'vitest']
    const { code, err } = await service.run(argv, { clock: createClock() })
    expect(code).toBe(1)
    expect(err.match(/^Waiting .*$/gm)).toEqual(['Waiting for build # #[error]: nothing of it is on record'])
  })

  it('runs nothing if nothing failed', async () => {
    const group = nameBuild()
    await service.createRun([passed('pays')], facts(group))
    expect(await runFailed(['--build', group])).toMatchObject({
      code: 0,
      out: `Nothing to run again in build ${group} (vitest, passed).\n`,
      given: undefined,
    })
  })

  it('asks which framework the command runs if the build has several', async () => {
    const group = nameBuild()
    await service.createRun([failed('pays', 'x')], facts(group))
    await service.createRun(
      [failed('opens', 'x')],
      facts(group, { framework: 'playwright', project: 'quick' }),
    )
    expect(await runFailed(['--build', group])).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /the build has runs of (vitest, playwright|playwright, vitest): name/,
      ) as unknown,
    })
    const { given } = await runFailed(['--build', group, '--framework', 'playwright'])
    expect(given).toEqual([
      '--pass-with-no-tests',
      expect.stringContaining('opens') as unknown,
      '--project=quick',
      String.raw`(?:^|/)src/cart\.test\.ts$`,
    ])
    expect((await runFailed(['--build', group, '--framework', 'pytest'])).code).toBe(2)
  })
})
