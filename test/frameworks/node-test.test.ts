import path from 'node:path'
import type { RunDetail } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { drawCases } from '../support/draw'
import { listNodes } from '../support/nodes'
import type { CommandResult } from '../support/project'
import { startService, type Service } from '../support/service'
import {
  createNodeProject,
  FILES,
  readCounts,
  readTap,
  REPORTERS,
  TEST_FILES,
  type NodeProject,
  type TapPoint,
} from './node-test-projects'

const OUR_LINE = /^Runledger: .*$/gm
const fileOf = (run: RunDetail) => String(run.metadata['file'])
const findRun = (runs: readonly RunDetail[], file: string) => {
  const run = runs.find((candidate) => fileOf(candidate) === file)
  if (!run) throw new Error(`no run of ${file}: ${runs.map(fileOf).join(', ')}`)
  return run
}
const findStep = (run: RunDetail, name: string) => {
  const step = run.phases.find((candidate) => candidate.name === name)
  if (!step) throw new Error(`no step ${name}: ${run.phases.map((each) => each.name).join(', ')}`)
  return step
}
const countOf = (runs: readonly RunDetail[], outcome: string) =>
  runs.reduce((sum, run) => sum + Number(run.metadata[`tests_${outcome}`]), 0)

let service: Service
const projects: NodeProject[] = []

beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await service.stop()
  await Promise.all(projects.map((project) => project.remove()))
})

async function open(files: Record<string, string>): Promise<NodeProject> {
  const project = await createNodeProject(files)
  projects.push(project)
  return project
}

interface Recorded extends CommandResult {
  runs: RunDetail[]
}

/** Runs Node in a project; returns the runs that it added to the service. */
async function record(
  project: NodeProject,
  options: Omit<Parameters<NodeProject['run']>[0], 'service'>,
): Promise<Recorded> {
  const known = new Set((await service.readAllRuns()).map(({ id }) => id))
  const result = await project.run({ service, ...options })
  const runs = (await service.readAllRuns()).filter(({ id }) => !known.has(id))
  return { ...result, runs }
}

/** What is on record of each test, as Node's TAP would say it. */
function listStored(runs: readonly RunDetail[]): string[] {
  return runs
    .flatMap((run) => [
      ...run.phases.filter(({ kind }) => kind === 'test').map(({ name, outcome }) => `${outcome} ${name}`),
      ...(run.skipped ?? []).map(
        ({ name, reason }) => `${reason === 'its suite ended before it' ? 'FAIL' : 'SKIP'} ${name}`,
      ),
    ])
    .map((each) => each.replace(/ \(\d\)$/, ''))
    .toSorted()
}

function listReported(points: readonly TapPoint[], dir: string): string[] {
  return points
    .filter(({ isSuite, titles }) => !isSuite && !isRootHook(titles))
    .map(({ titles, isOk, directive }) => {
      const name = titles.map((title) => path.relative(dir, path.resolve(dir, title))).join(' › ')
      if (directive === 'SKIP' || directive === 'TODO') return `SKIP ${name}`
      return `${isOk ? 'PASS' : 'FAIL'} ${name}`
    })
    .toSorted()
}

/** Node reports a hook of the root by its file, and does not count it. */
function isRootHook(titles: readonly string[]): boolean {
  return titles.length === 1 && titles[0]?.endsWith('root-after.test.mjs') === true
}

describe.each(drawCases('Nodes of node:test', listNodes(), 2))('Node $major', ({ binary: node }) => {
  test('tests that a helper declares belong to the file that ran them', async () => {
    const project = await open({
      'helper.mjs':
        "import { test } from 'node:test'\nexport const declare = (fail) => test('shared', fail ?? (() => {}))\n",
      'a.test.mjs': "import { declare } from './helper.mjs'\ndeclare()\n",
      'b.test.mjs': "import { declare } from './helper.mjs'\ndeclare(() => { throw new Error('broken') })\n",
    })
    const { runs } = await record(project, {
      node,
      args: ['--test', ...REPORTERS, 'a.test.mjs', 'b.test.mjs'],
    })
    const told = runs.map((run) => [fileOf(run), run.outcome, run.phases.map(({ error }) => error?.message)])
    expect(told.toSorted()).toEqual([
      ['a.test.mjs', 'PASS', [undefined]],
      ['b.test.mjs', 'FAIL', [expect.stringMatching(/broken$/)]],
    ])
  })

  let mixed: NodeProject
  let result: Recorded

  beforeAll(async () => {
    mixed = await open(FILES)
    result = await record(mixed, { node, args: ['--test', ...REPORTERS, ...TEST_FILES] })
  })

  test('every test is on record with the verdict that Node itself reports', () => {
    expect(listStored(result.runs)).toEqual(listReported(readTap(result.stdout), mixed.dir))
  })

  test('the counts are those of Node', () => {
    const counts = readCounts(result.stdout)
    const ended =
      countOf(result.runs, 'passed') + countOf(result.runs, 'failed') + countOf(result.runs, 'skipped')
    // Node counts the failed hook of a root as a test; here it is a step of its own kind.
    expect(ended + 1).toBe(counts['tests'])
    expect(countOf(result.runs, 'passed')).toBe(counts['pass'])
    const unrun = result.runs.flatMap(({ skipped = [] }) => skipped)
    const cancelled = unrun.filter(({ reason }) => reason === 'its suite ended before it')
    expect(unrun.length - cancelled.length).toBe((counts['skipped'] ?? 0) + (counts['todo'] ?? 0))
  })

  test.each(TEST_FILES)('the verdict of %s is that of Node for it alone', async (file) => {
    const { exitCode } = await mixed.run({ node, args: ['--test', file] })
    expect(findRun(result.runs, file).outcome).toBe(exitCode === 0 ? 'PASS' : 'FAIL')
  })

  test('errors have message, values, causes, and the place in the project', () => {
    const run = findRun(result.runs, 'test/kinds.test.mjs')
    const { error } = findStep(run, 'compares')
    expect(error?.message).toMatch(
      /^AssertionError( \[ERR_ASSERTION\])?: Expected values to be strictly deep-equal:/,
    )
    expect(error?.actual).toMatch(/b: \[\s+1,\s+2\s+\]/)
    expect(error?.expected).toMatch(/b: \[\s+1,\s+3\s+\]/)
    expect(error?.location?.file).toBe('test/kinds.test.mjs')
    expect(findStep(run, 'throws with a cause').error?.stack).toMatch(/Caused by: TypeError: inner\n +at /)
    expect(findStep(run, 'throws several').error?.stack).toMatch(
      /\[error 1\] Error: one[^]*\[error 2\] RangeError: two/,
    )
    expect(findStep(run, 'throws a text').error?.message).toBe('only text')
    expect(findStep(run, 'before fails').error?.message).toBe('Error: no set-up')
    expect(run.skipped).toContainEqual(
      expect.objectContaining({ name: 'skipped for a reason', reason: 'not today' }),
    )
    expect(findStep(run, 'remarks').annotations).toEqual([{ type: 'diagnostic', description: 'a remark' }])
  })

  test('a file that failed beside its tests says how its process ended, and what it printed last', () => {
    const messageOf = (file: string) =>
      findRun(result.runs, file).phases.find(({ outcome }) => outcome === 'FAIL')?.error?.message
    expect(messageOf('test/syntax.test.mjs')).toMatch(
      /ended with exit code 1\n[^]*SyntaxError: Unexpected token/,
    )
    expect(messageOf('test/missing.test.mjs')).toMatch(/Cannot find module/)
    expect(messageOf('test/throws.test.mjs')).toMatch(/at the top/)
    expect(messageOf('test/exits.test.mjs')).toBe('the process of the test file ended with exit code 3')
    expect(messageOf('test/killed.test.mjs')).toBe('the process of the test file was ended by SIGKILL')
    expect(messageOf('test/root-after.test.mjs')).toBe('Error: no end of the root')
    const [crash] = findRun(result.runs, 'test/failing-script.test.mjs').phases
    expect(crash?.error?.location).toMatchObject({ file: 'test/failing-script.test.mjs', line: 2 })
  })

  test('output goes to the log of its file, and our line is the last', async () => {
    const run = findRun(result.runs, 'test/passes.test.mjs')
    const [log] = run.attachments
    const text = (await service.download(run, log?.name ?? '')).toString()
    expect(text).toContain('to stdout')
    expect(text).toContain('to stderr')
    expect(result.exitCode).toBe(1)
    const passed = result.runs.filter(({ outcome }) => outcome === 'PASS').length
    expect(result.stderr.match(OUR_LINE)).toHaveLength(1)
    expect(result.stderr.trimEnd().split('\n').at(-1)).toMatch(
      new RegExp(`^Runledger: 16 runs on record, ${passed} passed, ${16 - passed} failed`),
    )
    expect(result.stdout).not.toContain('Runledger')
  })

  test('times are those of the tests', () => {
    const run = findRun(result.runs, 'test/uncaught.test.mjs')
    const [begin, end] = [Date.parse(run.started_at), Date.parse(run.ended_at)]
    for (const step of run.phases) {
      expect(Date.parse(step.started_at)).toBeGreaterThanOrEqual(begin - 2)
      expect(Date.parse(step.ended_at)).toBeLessThanOrEqual(end + 2)
    }
  })
})

const NEWEST = listNodes().toSorted((a, b) => b.major - a.major)[0] as ReturnType<typeof listNodes>[number]

const PASSING = "import { test } from 'node:test'\ntest('passes', () => {})\n"
const SLOW = `import { test } from 'node:test'
test('quick', () => {})
test('slow', async () => { console.log('is waiting'); await new Promise((done) => setTimeout(done, 60_000)) })
`

const EXITING = `import { test } from 'node:test'
test('waits', async () => { await new Promise((done) => setTimeout(done, 2_000)) })
test('exits', () => { process.exit(3) })
`

describe(`ways to run, on Node ${NEWEST.major}`, () => {
  const { binary: node } = NEWEST

  test('in one process, with a file that cannot be loaded and an error of the root', async () => {
    const project = await open({ 'a.test.mjs': PASSING, 'b.test.mjs': 'const value = ;\n' })
    const { runs, exitCode } = await record(project, {
      node,
      args: ['--test', '--test-isolation=none', ...REPORTERS, 'a.test.mjs', 'b.test.mjs'],
    })
    expect(exitCode).toBe(1)
    expect(findRun(runs, 'a.test.mjs').outcome).toBe('PASS')
    expect(findStep(findRun(runs, 'b.test.mjs'), 'b.test.mjs').error?.message).toContain('SyntaxError')
  })

  test('a test that ends the one process leaves what it reported to the next execution', async () => {
    const project = await open({ 'a.test.mjs': PASSING, 'b.test.mjs': EXITING })
    const args = ['--test', '--test-isolation=none', ...REPORTERS]
    const ended = await record(project, { node, args: [...args, 'a.test.mjs', 'b.test.mjs'] })
    expect(ended.exitCode).toBe(3)
    const { runs } = await record(project, { node, args: [...args, 'a.test.mjs'] })
    expect(runs.map((run) => [fileOf(run), run.outcome])).toEqual(
      expect.arrayContaining([
        ['(execution)', 'FAIL'],
        ['a.test.mjs', 'PASS'],
      ]),
    )
    expect(runs.filter(({ outcome }) => outcome === 'FAIL').map(fileOf)).toEqual(['(execution)'])
  })

  test('an error that came after the tests of one process is a run of its own', async () => {
    const project = await open({ 'a.test.mjs': FILES['test/uncaught.test.mjs'] ?? '' })
    const { runs, exitCode } = await record(project, { node, args: [...REPORTERS, 'a.test.mjs'] })
    expect(exitCode).toBe(1)
    expect(runs.filter(({ outcome }) => outcome === 'FAIL').map(fileOf)).toEqual(['(execution)'])
  })

  test('an exit code that a file has set before its tests is one of the execution', async () => {
    const project = await open({ 'a.test.mjs': `${PASSING}process.exitCode = 5\n` })
    const { runs, exitCode } = await record(project, { node, args: [...REPORTERS, 'a.test.mjs'] })
    expect(exitCode).toBe(5)
    expect(runs.filter(({ outcome }) => outcome === 'FAIL').map(fileOf)).toEqual(['(execution)'])
  })

  test.each([
    ['a process for each file', []],
    ['one process', ['--test-isolation=none']],
  ])('with --test-force-exit and %s, what failed is a failed run, and nothing else', async (_mode, given) => {
    const project = await open({
      'a.test.mjs': PASSING,
      'b.test.mjs': "import { test } from 'node:test'\ntest('fails', () => { throw new Error('x') })\n",
    })
    const args = ['--test', '--test-force-exit', ...given, ...REPORTERS, 'a.test.mjs', 'b.test.mjs']
    const ended = await record(project, { node, args })
    expect(ended.exitCode).toBe(1)
    // Node may end before anything is sent: then it waits for the next execution.
    const next = await record(project, { node, args: ['--test', ...REPORTERS, 'a.test.mjs'] })
    const runs = [...new Map([...ended.runs, ...next.runs].map((run) => [run.id, run])).values()]
    expect(runs.filter(({ outcome }) => outcome === 'FAIL').map(fileOf)).toEqual(['b.test.mjs'])
    expect(runs.filter((run) => fileOf(run) === 'a.test.mjs')).toHaveLength(2)
  })

  test('coverage below its threshold is a failed run of its own, also with --test-force-exit', async () => {
    const lib = 'export const used = () => 1\nexport const unused = () => {\n  return 2\n}\n'
    const project = await open({
      'lib.mjs': lib,
      'a.test.mjs': `${PASSING}import { used } from './lib.mjs'\nused()\n`,
    })
    const limit = ['--experimental-test-coverage', '--test-coverage-lines=100']
    const args = ['--test', '--test-force-exit', ...limit, ...REPORTERS, 'a.test.mjs']
    const ended = await record(project, { node, args })
    expect(ended.exitCode).toBe(1)
    const next = await record(project, { node, args: ['--test', ...REPORTERS, 'a.test.mjs'] })
    const runs = [...ended.runs, ...next.runs]
    expect(runs.filter(({ outcome }) => outcome === 'FAIL').map(fileOf)).toEqual(['(execution)'])
  })

  test('an interrupted file waits on disk as a failed run', async () => {
    const project = await open({ 'a.test.mjs': PASSING, 'b.test.mjs': SLOW })
    const args = ['--test', ...REPORTERS]
    const stopped = await record(project, {
      node,
      args: [...args, 'a.test.mjs', 'b.test.mjs'],
      until: /quick/,
    })
    expect(stopped.exitCode).toBe(1)
    expect(stopped.runs).toEqual([])
    const { runs } = await record(project, { node, args: [...args, 'a.test.mjs'] })
    expect(runs).toHaveLength(3)
    expect(findRun(runs, 'b.test.mjs').phases.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['quick', 'PASS'],
      ['Interrupted', 'FAIL'],
    ])
  })

  test('watch mode is not recorded, and says so once', async () => {
    const project = await open({ 'a.test.mjs': PASSING })
    const args = ['--test', '--watch', ...REPORTERS, 'a.test.mjs']
    const { stderr, runs } = await record(project, { node, args, until: /duration_ms [\d.]+\n$/ })
    expect(stderr.match(OUR_LINE)).toEqual(['Runledger: watch mode is not recorded'])
    expect(runs).toEqual([])
    const next = await record(project, { node, args: ['--test', ...REPORTERS, 'a.test.mjs'] })
    expect(next.runs).toHaveLength(1)
  })

  test('run() takes a reporter with options, and keeps its exit code', async () => {
    const script = `import { run } from 'node:test'
import { createReporter } from '@runledger/node-test'
const files = [new URL('a.test.mjs', import.meta.url).pathname]
run({ files }).compose(createReporter({ reportVariables: { bench: '7' } })).pipe(process.stdout)
`
    const project = await open({ 'a.test.mjs': FILES['test/exits.test.mjs'] ?? '', 'run.mjs': script })
    const { runs, exitCode } = await record(project, { node, args: ['run.mjs'] })
    expect(exitCode).toBe(0)
    expect(runs.map((run) => [fileOf(run), run.outcome, run.metadata['bench']])).toEqual([
      ['a.test.mjs', 'FAIL', '7'],
    ])
  })

  test('a shard, and what --test-only leaves out', async () => {
    const only = `import { test } from 'node:test'\ntest('left out', () => {})\ntest('only', { only: true }, () => {})\n`
    const project = await open({ 'a.test.mjs': only, 'b.test.mjs': PASSING })
    const args = ['--test', '--test-only', '--test-shard=1/2', ...REPORTERS, 'a.test.mjs', 'b.test.mjs']
    const { runs } = await record(project, { node, args })
    expect(runs.map(({ metadata }) => metadata['shard'])).toEqual(['1/2'])
    expect(runs[0]?.phases.map(({ name }) => name)).toEqual(['only'])
  })

  test('a second execution of --test-rerun-failures says what it did not run again', async () => {
    const flaky =
      "import { test } from 'node:test'\ntest('good', () => {})\ntest('bad', (t) => { if (t.attempt === 0) throw new Error('x') })\n"
    const project = await open({ 'a.test.mjs': flaky })
    const args = ['--test', '--test-rerun-failures=state.json', ...REPORTERS, 'a.test.mjs']
    expect((await record(project, { node, args })).runs[0]?.outcome).toBe('FAIL')
    const { runs } = await record(project, { node, args })
    expect(runs[0]?.outcome).toBe('PASS')
    const log = (await service.download(runs[0] as RunDetail, runs[0]?.attachments[0]?.name ?? '')).toString()
    expect(log).toMatch(/good \(\d+ ms, not run again: it passed in execution 1 /)
  })

  test('without a service, and with one that is gone, the exit code is that of the tests', async () => {
    const project = await open({ 'a.test.mjs': PASSING })
    const args = ['--test', ...REPORTERS, 'a.test.mjs']
    const none = await project.run({ node, args })
    const gone = await project.run({ node, args, service: { ...service, url: 'http://127.0.0.1:9' } })
    expect([none.exitCode, gone.exitCode]).toEqual([0, 0])
    expect(none.stderr.match(OUR_LINE)).toHaveLength(1)
    expect(gone.stderr.match(OUR_LINE)).toHaveLength(1)
    const env = { RUNLEDGER_FAIL_ON_UPLOAD_ERROR: 'true' }
    const asked = await project.run({ node, args, env, service: { ...service, url: 'http://127.0.0.1:9' } })
    expect(asked.exitCode).toBe(1)
  })
})
