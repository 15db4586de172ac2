import path from 'node:path'
import type { RunDetail } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onlyIf } from '../support/only-if'
import { createProject, listVersions, type Project, type RunOptions } from '../support/project'
import { startService, type Service } from '../support/service'
import { CASES, MIXED_PROJECT, type JsonReport } from './jest-projects'

const OUR_LINE = /^Runledger: .*$/gm
const PASSING_PROJECT = {
  'jest.config.js': "module.exports = { reporters: ['default', '@runledger/jest'] }\n",
  'a.test.js': "test('holds', () => {})\n",
}
const toMs = (duration: string) => Math.round(Number(/^PT([\d.]+)S$/.exec(duration)?.[1]) * 1000)
const fileOf = (run: RunDetail) => String(run.metadata['file'])
const stepsOf = (run: RunDetail) => run.phases.map(({ name, outcome }) => [name, outcome])
const failedSteps = (run: RunDetail) =>
  run.phases.filter(({ outcome }) => outcome === 'FAIL').map(({ name }) => name)

const NEWEST = listVersions('jest').at(-1)

const CONFIG_ERRORS: [title: string, env: Record<string, string | undefined>, advice: RegExp][] = [
  ['no key', { RUNLEDGER_API_KEY: undefined, RUNLEDGER_URL: undefined }, /RUNLEDGER_API_KEY/],
  ['a wrong key', { RUNLEDGER_API_KEY: 'wrong' }, /apiKey.*RUNLEDGER_API_KEY/],
  ['no procedure', { RUNLEDGER_PROCEDURE_ID: undefined }, /procedureId.*RUNLEDGER_PROCEDURE_ID/],
  ['an unknown procedure', { RUNLEDGER_PROCEDURE_ID: 'nope' }, /procedureId.*RUNLEDGER_PROCEDURE_ID/],
  [
    'an unreachable service',
    { RUNLEDGER_URL: 'http://127.0.0.1:9', RUNLEDGER_MAX_RETRIES: '0' },
    /url.*RUNLEDGER_URL/,
  ],
]

describe.each(listVersions('jest'))('Jest %s', (version) => {
  // The kit has the others of these.
  const ofNewest = onlyIf(version === NEWEST, 'only the newest version runs it')
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
    const project = await createProject({ framework: 'jest', version, files })
    projects.push(project)
    return project
  }

  /** Runs a project; returns the runs that it added to the service. */
  async function record(project: Project, options: RunOptions = {}) {
    const known = new Set((await service.readAllRuns()).map(({ id }) => id))
    const result = await project.run({ service, ...options })
    const runs = (await service.readAllRuns()).filter(({ id }) => !known.has(id))
    return { ...result, runs }
  }

  test('equals the JSON report of the same execution, test by test', async () => {
    const project = await open(MIXED_PROJECT)
    const { runs, stdout, stderr, exitCode } = await record(project, { args: ['--json'] })
    const report: JsonReport = JSON.parse(stdout)
    expect(exitCode).toBe(1)
    expect(runs.map(fileOf).toSorted()).toEqual(
      report.testResults.map(({ name }) => path.relative(project.dir, name)).toSorted(),
    )
    for (const file of report.testResults) {
      const run = runs.find((candidate) => fileOf(candidate) === path.relative(project.dir, file.name))
      if (!run) throw new Error(`no run of ${file.name}`)
      expect(run.outcome).toBe(file.status === 'passed' ? 'PASS' : 'FAIL')
      const ran = file.assertionResults.filter(({ status }) => ['passed', 'failed'].includes(status))
      if (ran.length === 0) continue
      expect(run.phases.map(({ name, outcome }) => [name.replace(/ \(2\)$/, ''), outcome])).toEqual(
        ran.map(({ ancestorTitles, title, status }) => [
          [...ancestorTitles, title].join(' › '),
          status === 'passed' ? 'PASS' : 'FAIL',
        ]),
      )
      expect(run.phases.map(({ duration }) => toMs(duration))).toEqual(ran.map(({ duration }) => duration))
      expect(Date.parse(run.started_at)).toBe(file.startTime)
      expect(toMs(run.duration)).toBe(file.endTime - file.startTime)
    }
    const sum = (name: string) => runs.reduce((total, run) => total + Number(run.metadata[name]), 0)
    expect(sum('tests_passed')).toBe(report.numPassedTests)
    expect(sum('tests_failed')).toBe(report.numFailedTests)
    expect(sum('tests_skipped')).toBe(report.numPendingTests + report.numTodoTests)
    expect(runs.every((run) => run.metadata['framework_version'] === version)).toBe(true)
    expect(stderr.match(OUR_LINE)).toHaveLength(1)
  })

  test('attaches the log of each suite, with failures and console output', async () => {
    const project = await open(MIXED_PROJECT)
    const { runs } = await record(project)
    const run = runs.find((candidate) => fileOf(candidate) === 'kinds.test.js')
    if (!run) throw new Error('no run of kinds.test.js')
    const log = (await service.download(run, 'kinds.test.js.log')).toString()
    expect(log).toContain('second of the name')
    expect(log).toContain('from the test')
    expect(log).toMatch(/skipped +outer › x › inner › skipped/)
  })

  test.each(Object.entries(CASES))('agrees with Jest about %s', ofNewest, async (_title, wanted) => {
    const project = await open(wanted.files)
    const { runs, exitCode, stderr } = await record(project, { args: wanted.args ?? [] })
    expect(exitCode, stderr).toBe(wanted.exitCode)
    const failed = runs.filter(({ outcome }) => outcome === 'FAIL')
    expect(Object.fromEntries(failed.map((run) => [fileOf(run), failedSteps(run)]))).toEqual(
      wanted.failedSteps,
    )
    expect(failed.length > 0).toBe(exitCode !== 0)
    expect(runs).toHaveLength(wanted.runs)
    if (wanted.variables)
      expect(runs.find((run) => fileOf(run) === 'a.test.js')?.metadata).toMatchObject(wanted.variables)
  })

  test('keeps what a crashed worker and a bail had already passed', async () => {
    for (const title of ['a worker that crashes', 'a bail while another file is under way']) {
      const wanted = CASES[title]
      if (!wanted) throw new Error(title)
      const { runs } = await record(await open(wanted.files), { args: wanted.args ?? [] })
      const cut = runs.find((run) => failedSteps(run).some((name) => /Interrupted|failed to run/.test(name)))
      expect(cut && stepsOf(cut)[0]).toEqual(['holds', 'PASS'])
    }
  })

  test.each([['--runInBand'], ['--maxWorkers=2']])(
    'prints the link when a bail ends Jest: %s',
    async (flag) => {
      const files = {
        ...PASSING_PROJECT,
        'a.test.js': "test('fails', () => { throw new Error('x') })\n",
        'b.test.js': "test('holds', () => {})\n",
      }
      const { stderr, runs } = await record(await open(files), { args: ['--bail', flag, '--no-cache'] })
      expect(runs.length).toBeGreaterThan(0)
      expect(stderr.match(OUR_LINE)).toEqual([expect.stringMatching(/ on record, .*failed.*: http:\S+$/)])
    },
  )

  test.each([
    ['inline', "[{ testMatch: ['<rootDir>/a.test.js'] }, { testMatch: ['<rootDir>/a.test.js'] }]"],
    ['in files of one folder', "['<rootDir>/one.config.js', '<rootDir>/two.config.js']"],
  ])('names projects %s without a display name by their place', async (_title, configs) => {
    const { runs } = await record(
      await open({
        ...PASSING_PROJECT,
        'jest.config.js': `module.exports = { reporters: ['@runledger/jest'], projects: ${configs} }\n`,
        'one.config.js': "module.exports = { testMatch: ['<rootDir>/a.test.js'] }\n",
        'two.config.js': "module.exports = { testMatch: ['<rootDir>/a.test.js'] }\n",
      }),
    )
    expect(runs.map((run) => run.metadata['project']).toSorted()).toEqual(['project 1', 'project 2'])
  })

  test(
    'finds the local service by its credentials, from one reporter line without options',
    ofNewest,
    async () => {
      const project = await open(PASSING_PROJECT)
      const local = await startService({ folder: project.dir })
      try {
        const { exitCode, stderr } = await project.run()
        expect(exitCode).toBe(0)
        const runs = await local.readAllRuns()
        expect(runs.map(stepsOf)).toEqual([[['holds', 'PASS']]])
        expect(stderr).toContain(`${local.url}/`)
      } finally {
        await local.stop()
      }
    },
  )

  test.each(CONFIG_ERRORS)(
    '%s leaves the exit code alone and says what to do in one line',
    ofNewest,
    async (_title, env, advice) => {
      const project = await open(PASSING_PROJECT)
      const { exitCode, stderr, runs } = await record(project, { env })
      expect(exitCode).toBe(0)
      expect(runs).toEqual([])
      expect(stderr.match(OUR_LINE)).toEqual([expect.stringMatching(advice)])
    },
  )

  test(
    'a misspelt option is reported in one line, and the runs are recorded all the same',
    ofNewest,
    async () => {
      const project = await open({
        ...PASSING_PROJECT,
        'jest.config.js':
          "module.exports = { reporters: ['default', ['@runledger/jest', { proceduerId: 'x' }]] }\n",
      })
      const { exitCode, stderr, runs } = await record(project)
      expect(exitCode).toBe(0)
      expect(runs).toHaveLength(1)
      expect(stderr.match(OUR_LINE)?.[0]).toMatch(/"proceduerId".*procedureId/)
    },
  )
})
