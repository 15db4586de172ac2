import { cp, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import type { RunDetail } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProject, listVersions, runCommand, type Project, type RunOptions } from '../support/project'
import { startService, type Service } from '../support/service'
import {
  browserProject,
  CASES,
  config,
  MIXED_PROJECT,
  PASSING_PROJECT,
  SHARDED_PROJECT,
} from './playwright-projects'
import { installFfmpeg } from './playwright-ffmpeg'
import { cameOut, expectEqual, readReport } from './playwright-report'

const OUR_LINE = /^Runledger: .*$/gm
const UNREACHABLE = { RUNLEDGER_URL: 'http://127.0.0.1:9', RUNLEDGER_MAX_RETRIES: '0' }

const fileOf = (run: RunDetail) => String(run.metadata['file'])
const failedSteps = (run: RunDetail) =>
  run.phases.filter(({ outcome }) => outcome === 'FAIL').map(({ name }) => name)

describe.each(listVersions('playwright'))('Playwright %s', (version) => {
  let service: Service
  const projects: Project[] = []

  beforeAll(async () => {
    service = await startService()
  })
  afterAll(async () => {
    await service.stop()
    await Promise.all(projects.map((project) => project.remove()))
  })

  async function open(files: Record<string, string>): Promise<Project> {
    const project = await createProject({ framework: 'playwright', version, files })
    projects.push(project)
    return project
  }

  /** Runs a project; answers the runs that it added to the service. */
  async function record(project: Project, options: RunOptions = {}) {
    const known = new Set((await service.readAllRuns()).map(({ id }) => id))
    const result = await project.run({ service, ...options })
    const runs = (await service.readAllRuns()).filter(({ id }) => !known.has(id))
    return { ...result, runs }
  }

  /** The execution with verdicts of every kind, which two tests look at. */
  async function recordMixed() {
    const project = await open(MIXED_PROJECT)
    return { ...(await record(project)), report: readReport(project.dir) }
  }
  let mixed: ReturnType<typeof recordMixed> | undefined

  test('equals the JSON report of the same execution, test by test', async () => {
    const { runs, stderr, exitCode, report } = await (mixed ??= recordMixed())
    expect(exitCode).toBe(1)
    expect(stderr.match(OUR_LINE)).toHaveLength(1)
    const ran = report.tests.filter(({ status }) => status !== 'skipped')
    expect(runs.map(fileOf).toSorted()).toEqual([...new Set(ran.map(({ file }) => file))].toSorted())
    for (const run of runs)
      expectEqual(
        run,
        ran.filter(({ file }) => file === fileOf(run)),
      )
    const sum = (name: string) => runs.reduce((total, run) => total + Number(run.metadata[name]), 0)
    const neverPassed = ran.filter((reported) => reported.status === 'flaky' && !cameOut(reported)).length
    expect(neverPassed).toBe(1)
    expect(sum('tests_passed')).toBe(report.stats.expected + report.stats.flaky - neverPassed)
    expect(sum('tests_failed')).toBe(report.stats.unexpected + neverPassed)
    expect(sum('tests_flaky')).toBe(report.stats.flaky - neverPassed)
    // The file of which nothing was to run is no run: its one test is counted nowhere.
    expect(sum('tests_skipped')).toBe(report.stats.skipped - 1)
    expect(runs.every((run) => run.metadata['framework_version'] === version)).toBe(true)
  })

  test.each(Object.entries(CASES).filter(([, { since }]) => isSince(version, since)))(
    'agrees with Playwright about %s',
    async (_title, wanted) => {
      const project = await open(wanted.files)
      const { runs, exitCode, stderr, stdout } = await record(project, { args: wanted.args ?? [] })
      expect(exitCode, stdout + stderr).toBe(wanted.exitCode)
      const failed = runs.filter(({ outcome }) => outcome === 'FAIL')
      expect(Object.fromEntries(failed.map((run) => [fileOf(run), failedSteps(run)]))).toEqual(
        wanted.failedSteps,
      )
      expect(failed.length > 0).toBe(exitCode !== 0)
      expect(runs).toHaveLength(wanted.runs)
    },
  )

  test('keeps its verdicts and attempts in the log of each suite', async () => {
    const { runs } = await (mixed ??= recordMixed())
    const run = runs.find((candidate) => fileOf(candidate) === 'verdicts.spec.js')
    if (!run) throw new Error('no run of verdicts.spec.js')
    const log = (await service.download(run, 'verdicts.spec.js.log')).toString()
    expect(log).toContain('inside a test')
    expect(log).toMatch(/skipped +is to be mended \(fixme\)/)
    expect(log).toMatch(/attempt 1: failed/)
    expect(log).toContain('not attached: gone')
  })

  test('stores screenshot, video and trace byte for byte', async () => {
    const browsers = await installFfmpeg(version)
    const project = await open(
      browserProject(`screenshot: 'on', trace: 'on', video: '${browsers ? 'on' : 'off'}'`),
    )
    const { runs, exitCode, stdout } = await record(project, { env: { PLAYWRIGHT_BROWSERS_PATH: browsers } })
    expect(exitCode, stdout).toBe(0)
    const files = readReport(project.dir).tests[0]?.results[0]?.attachments ?? []
    expect(files.map(({ name }) => name).toSorted()).toEqual(
      ['reading.txt', 'screenshot', 'trace', ...(browsers ? ['video'] : [])].toSorted(),
    )
    for (const { name, path: file = '' } of files) {
      const stored = await service.download(only(runs), `draws/${nameOnRecord(name, file)}`)
      expect(stored.equals(await readFile(file)), name).toBe(true)
    }
    if (browsers) await rm(browsers, { recursive: true })
  })

  test('stores what Playwright removes when a test has passed', async () => {
    const project = await open(browserProject("screenshot: 'on'", "preserveOutput: 'failures-only'"))
    const { runs, exitCode, stdout } = await record(project)
    expect(exitCode, stdout).toBe(0)
    const reading = await service.download(only(runs), 'draws/reading.txt.js')
    expect(reading.toString()).toBe(await readFile(path.join(project.dir, 'page.spec.js'), 'utf8'))
    const screenshot = await service.download(only(runs), 'draws/screenshot.png')
    expect(screenshot.subarray(1, 4).toString()).toBe('PNG')
    expect(screenshot.subarray(-8, -4).toString()).toBe('IEND')
    expect(
      (await readdir(path.join(project.dir, 'test-results'))).filter((name) => /runledger/.test(name)),
    ).toEqual([])
  })

  test('makes one run of a file whose shards are merged', async () => {
    const project = await open(SHARDED_PROJECT)
    const [made, kept] = ['blob-report', 'blobs'].map((name) => path.join(project.dir, name)) as [
      string,
      string,
    ]
    for (const shard of [1, 2]) {
      await project.run({ args: ['--reporter=blob', `--shard=${shard}/2`] })
      await cp(made, kept, { recursive: true })
    }
    const cli = path.join(project.dir, 'node_modules/@playwright/test/cli.js')
    const args = [cli, 'merge-reports', '-c', 'playwright.config.js', 'blobs']
    const known = (await service.readAllRuns()).length
    const { stderr } = await runCommand(process.execPath, args, { dir: project.dir, service })
    const runs = (await service.readAllRuns()).slice(known)
    expect(stderr.match(OUR_LINE)).toHaveLength(1)
    expect(runs.map(fileOf)).toEqual(['a.spec.js'])
    expect(
      only(runs)
        .phases.map(({ name, outcome }) => [name, outcome])
        .toSorted(),
    ).toEqual([
      ['fails', 'FAIL'],
      ['passes', 'PASS'],
    ])
  })

  test('finds the local service by its credentials, from one reporter line in a TypeScript ES module', async () => {
    const project = await open({
      'package.json': '{"name": "@acme/widget", "version": "2.1.0", "type": "module"}\n',
      'playwright.config.ts': `import { defineConfig } from '@playwright/test'
export default defineConfig({ testDir: 'tests', reporter: [['list'], ['@runledger/playwright']] })\n`,
      'tests/a.spec.ts': "import { test } from '@playwright/test'\ntest('holds', () => {})\n",
    })
    const local = await startService({ folder: project.dir })
    try {
      const { exitCode, stderr, stdout } = await project.run()
      expect(exitCode).toBe(0)
      expect(stdout).toContain('1 passed')
      const runs = await local.readAllRuns()
      expect(runs.map(fileOf)).toEqual(['tests/a.spec.ts'])
      expect(only(runs).unit.part.number).toBe('@acme/widget')
      expect(stderr).toContain(`${local.url}/`)
    } finally {
      await local.stop()
    }
  })

  test.each([
    ['no key', { RUNLEDGER_API_KEY: undefined, RUNLEDGER_URL: undefined }, /RUNLEDGER_API_KEY/],
    ['a wrong key', { RUNLEDGER_API_KEY: 'wrong' }, /apiKey.*RUNLEDGER_API_KEY/],
    ['no procedure', { RUNLEDGER_PROCEDURE_ID: undefined }, /procedureId.*RUNLEDGER_PROCEDURE_ID/],
    ['an unknown procedure', { RUNLEDGER_PROCEDURE_ID: 'nope' }, /procedureId.*RUNLEDGER_PROCEDURE_ID/],
    ['an unreachable service', UNREACHABLE, /url.*RUNLEDGER_URL/],
  ])('%s leaves the exit code alone and says what to do in one line', async (_title, env, advice) => {
    const { exitCode, stderr, runs } = await record(await open(PASSING_PROJECT), { env })
    expect(exitCode).toBe(0)
    expect(runs).toEqual([])
    expect(stderr.match(OUR_LINE)).toEqual([expect.stringMatching(advice)])
  })

  test('a misspelt option is told in one line, Playwright’s own are not, and the runs are recorded', async () => {
    const reporter = "reporter: [['line'], ['@runledger/playwright', { proceduerId: 'x' }]]"
    const project = await open({ ...PASSING_PROJECT, ...config(reporter) })
    const { exitCode, stderr, runs } = await record(project)
    expect(exitCode).toBe(0)
    expect(runs).toHaveLength(1)
    const [warning, ...others] = stderr.match(OUR_LINE) ?? []
    expect(warning).toMatch(/"proceduerId".*procedureId/)
    expect(others.join()).not.toMatch(/unknown option/)
  })

  test('fails the execution for an undelivered run only when asked to', async () => {
    const project = await open(PASSING_PROJECT)
    const asked = { ...UNREACHABLE, RUNLEDGER_FAIL_ON_UPLOAD_ERROR: 'true' }
    expect((await project.run({ service, env: UNREACHABLE })).exitCode).toBe(0)
    expect((await project.run({ service, env: asked })).exitCode).toBe(1)
  })
})

function only(runs: readonly RunDetail[]): RunDetail {
  const [run] = runs
  if (!run || runs.length > 1) throw new Error(`${runs.length} runs, not one`)
  return run
}

/** An attachment's file name: its own name, and the file's extension unless it has that. */
function nameOnRecord(name: string, file: string): string {
  const extension = path.extname(file)
  return name.endsWith(extension) ? name : name + extension
}

function isSince(version: string, since: string | undefined): boolean {
  const minor = (text: string) => Number(text.split('.')[1])
  return since === undefined || minor(version) >= minor(since)
}
