import { mkdtemp, readFile, realpath, rm, symlink, mkdir, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { RunDetail } from '@runledger/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand, type CommandResult } from '../support/project'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'

const GUIDE = path.join(REPOSITORY, 'docs/write-a-reporter.md')

const FILES: Record<string, string> = {
  'package.json': '{"name": "@acme/widget", "version": "2.1.0"}\n',
  'test/kinds.js': `const assert = require('node:assert')
describe('kinds', () => {
  it('passes', () => {})
  it('fails', () => { assert.strictEqual('a', 'b') })
  it('throws a text', () => { throw 'only text' })
  it.skip('is skipped', () => {})
  it('skips itself', function () { this.skip() })
  let tries = 0
  it('passes when tried again', function () { this.retries(2); tries += 1; assert.ok(tries > 1) })
  it('times out', function (done) { this.timeout(20) })
  it('ends twice', (done) => { done(); done() })
})
`,
  'test/hooks.js': `describe('before fails', () => { before(() => { throw new Error('no set-up') }); it('never', () => {}) })
describe('beforeEach fails', () => { beforeEach(() => { throw new Error('no start') }); it('hit', () => {}); it('after it', () => {}) })
`,
  'test/retry.js': `const assert = require('node:assert')
describe('tried again', () => {
  let tries = 0
  after(() => { throw new Error('no end') })
  it('takes a while', function (done) { this.retries(2); tries += 1; setTimeout(() => done(tries > 1 ? undefined : new Error('x')), 60) })
})
`,
  'test/passes.js': "describe('good', () => { it('fine', () => {}) })\n",
}

const FORBIDDEN = "describe('forbidden', () => { it('good', () => {}); it.skip('is skipped', () => {}) })\n"

interface MochaReport {
  stats: { passes: number; failures: number; pending: number }
}

let service: Service
let dir: string
let result: CommandResult
let runs: RunDetail[]
let report: MochaReport

beforeAll(async () => {
  service = await startService()
  dir = await realpath(await mkdtemp(path.join(os.tmpdir(), 'runledger-guide-')))
  const [, code = ''] = /^```js\n([^]*?)^```$/m.exec(await readFile(GUIDE, 'utf8')) ?? []
  for (const [name, content] of Object.entries({ ...FILES, 'runledger-mocha.cjs': code })) {
    await mkdir(path.dirname(path.join(dir, name)), { recursive: true })
    await writeFile(path.join(dir, name), content)
  }
  await mkdir(path.join(dir, 'node_modules/@runledger'), { recursive: true })
  await symlink(path.join(REPOSITORY, 'packages/core'), path.join(dir, 'node_modules/@runledger/core'), 'dir')
  await symlink(path.join(REPOSITORY, 'node_modules/mocha'), path.join(dir, 'node_modules/mocha'), 'dir')
  result = await runMocha(['--reporter', './runledger-mocha.cjs'])
  runs = await service.readAllRuns()
  report = JSON.parse((await runMocha(['--reporter', 'json'])).stdout) as MochaReport
})
afterAll(async () => {
  await service.stop()
  for (const folder of [dir, `${dir}.state`]) await rm(folder, { recursive: true, force: true })
})

function runMocha(
  args: string[],
  { url = service.url, ...variables }: Record<string, string> = {},
): Promise<CommandResult> {
  const command = [path.join(dir, 'node_modules/mocha/bin/mocha.js'), ...args]
  const env = { XDG_STATE_HOME: `${dir}.state`, ...variables }
  return runCommand(process.execPath, command, { dir, env, service: { ...service, url } })
}

function findRun(file: string): RunDetail {
  const run = runs.find(({ metadata }) => metadata['file'] === file)
  if (!run) throw new Error(`no run of ${file}; stderr: ${result.stderr}`)
  return run
}

test('each file is a run with the verdict that Mocha would give it', () => {
  expect(result.exitCode).toBe(report.stats.failures)
  expect(result.stderr).toMatch(/^Runledger: 4 runs on record, 1 passed, 3 failed/m)
  expect(runs.map(({ metadata, outcome }) => [metadata['file'], outcome]).toSorted()).toEqual([
    ['test/hooks.js', 'FAIL'],
    ['test/kinds.js', 'FAIL'],
    ['test/passes.js', 'PASS'],
    ['test/retry.js', 'FAIL'],
  ])
})

test('every failure of Mocha is one failing step, and a test that did not run has none', () => {
  const failed = runs.flatMap(({ phases }) => phases.filter(({ outcome }) => outcome === 'FAIL'))
  const passed = runs.flatMap(({ phases }) => phases.filter(({ outcome }) => outcome === 'PASS'))
  expect(failed).toHaveLength(report.stats.failures)
  expect(passed).toHaveLength(report.stats.passes)
  expect(findRun('test/hooks.js').skipped?.map(({ name }) => name)).toEqual([
    'before fails › never',
    'beforeEach fails › hit',
    'beforeEach fails › after it',
  ])
  expect(findRun('test/kinds.js').skipped).toHaveLength(report.stats.pending)
})

test('a failed test says why and where, and one that was tried again is flaky', () => {
  const { phases, metadata } = findRun('test/kinds.js')
  expect(phases.find(({ name }) => name === 'kinds › fails')?.error).toMatchObject({
    expected: 'b',
    actual: 'a',
    location: { file: 'test/kinds.js', line: 4 },
  })
  expect(metadata['tests_flaky']).toBe('1')
})

test('a test that was tried again before a hook failed is there once, within the time of its file', () => {
  const run = findRun('test/retry.js')
  expect(run.phases.map(({ name, outcome }) => [name, outcome])).toEqual([
    ['tried again › takes a while', 'PASS'],
    [expect.stringContaining('after all'), 'FAIL'],
  ])
  expect(run.skipped ?? []).toEqual([])
  const [step] = run.phases
  expect(Date.parse(step?.started_at ?? '')).toBeGreaterThanOrEqual(Date.parse(run.started_at))
  expect(Date.parse(step?.ended_at ?? '')).toBeLessThanOrEqual(Date.parse(run.ended_at))
  expect(Date.parse(run.ended_at) - Date.parse(run.started_at)).toBeGreaterThanOrEqual(100)
})

test('a skipped test that Mocha fails has no attempt of the one before it', async () => {
  await writeFile(path.join(dir, 'test/forbidden.js'), FORBIDDEN)
  const args = ['--reporter', './runledger-mocha.cjs', '--forbid-pending', 'test/forbidden.js']
  const { exitCode } = await runMocha(args, { RUNLEDGER_GROUP: 'forbidden' })
  expect(exitCode).toBe(1)
  const all = await service.readAllRuns()
  const phases = all.find(({ metadata }) => metadata['group'] === 'forbidden')?.phases ?? []
  expect(phases.map(({ name, outcome, attempts = [] }) => [name, outcome, attempts.length])).toEqual([
    ['forbidden › good', 'PASS', 0],
    ['forbidden › is skipped', 'FAIL', 0],
  ])
})

test('the exit code is that of Mocha when no service answers, unless it is asked for', async () => {
  const url = 'http://127.0.0.1:9'
  const args = ['--reporter', './runledger-mocha.cjs', 'test/passes.js']
  expect((await runMocha(args, { url })).exitCode).toBe(0)
  const asked = { url, RUNLEDGER_FAIL_ON_UPLOAD_ERROR: 'true' }
  expect((await runMocha(args, asked)).exitCode).toBe(1)
})

test('the guide stays short, and names every export of core', async () => {
  const guide = await readFile(GUIDE, 'utf8')
  expect(guide.split('\n').length).toBeLessThan(200)
  const entry = await readFile(path.join(REPOSITORY, 'packages/core/src/index.ts'), 'utf8')
  const names = [...entry.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(
    ([, list = '']) => list.match(/\w+/g) ?? [],
  )
  expect(names.length).toBeGreaterThan(20)
  expect(entry).not.toMatch(/^export (type )?\*/m)
  const unnamed = names.filter((name) => !new RegExp(`\`${name}\\b`).test(guide))
  expect(unnamed).toEqual([])
})
