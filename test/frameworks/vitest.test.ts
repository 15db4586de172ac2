import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { RunDetail } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onlyIf } from '../support/only-if'
import { createProject, listVersions, type Project, type RunOptions } from '../support/project'
import { startService, type Service } from '../support/service'
import { CASES, createConfig, MIXED_PROJECT, PASSING } from './vitest-projects'

/** What is read of Vitest's JSON report. */
interface JsonReport {
  numPassedTests: number
  numFailedTests: number
  testResults: {
    name: string
    status: string
    assertionResults: {
      ancestorTitles: string[]
      title: string
      status: string
      duration?: number
    }[]
  }[]
}

const OUR_LINE = /^Runledger: .*$/gm
const PASSING_PROJECT = { 'vitest.config.mjs': createConfig(), 'a.test.ts': PASSING }
const toMs = (duration: string) => Math.round(Number(/^PT([\d.]+)S$/.exec(duration)?.[1]) * 1000)
const fileOf = (run: RunDetail) => String(run.metadata['file'])
const stepsOf = (run: RunDetail) => run.phases.map(({ name, outcome }) => [name, outcome])
const failedSteps = (run: RunDetail) =>
  run.phases.filter(({ outcome }) => outcome === 'FAIL').map(({ name }) => name)
const countOf = (run: RunDetail) =>
  ['passed', 'failed', 'skipped'].map((outcome) => Number(run.metadata[`tests_${outcome}`]))

function findRun(runs: readonly RunDetail[], file: string): RunDetail {
  const run = runs.find((candidate) => fileOf(candidate) === file)
  if (!run) throw new Error(`no run of ${file}: ${runs.map(fileOf).join(', ')}`)
  return run
}

const NEWEST = listVersions('vitest').at(-1)

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

describe.each(listVersions('vitest'))('Vitest %s', (version) => {
  // The kit has the others of these.
  const ofNewest = onlyIf(version === NEWEST, 'only the newest version runs it')
  const major = version.split('.', 1)[0] ?? ''
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
    const project = await createProject({ framework: 'vitest', version, files })
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
    const { runs, stderr, exitCode } = await record(project)
    const report: JsonReport = JSON.parse(await readFile(path.join(project.dir, 'report.json'), 'utf8'))
    expect(exitCode).toBe(1)
    expect(runs.map(fileOf).toSorted()).toEqual(
      report.testResults.map(({ name }) => path.relative(project.dir, name)).toSorted(),
    )
    for (const { name, status, assertionResults } of report.testResults) {
      const run = findRun(runs, path.relative(project.dir, name))
      expect(run.outcome).toBe(status === 'passed' ? 'PASS' : 'FAIL')
      const ran = assertionResults.filter((each) => ['passed', 'failed'].includes(each.status))
      const steps = run.phases.slice(0, ran.length)
      expect(steps.map((step) => [step.name.replace(/ \(2\)$/, ''), step.outcome])).toEqual(
        ran.map((each) => [
          [...each.ancestorTitles, each.title].join(' › '),
          each.status === 'passed' ? 'PASS' : 'FAIL',
        ]),
      )
      expect(steps.map(({ duration }) => toMs(duration))).toEqual(
        ran.map(({ duration }) => Math.round(duration ?? 0)),
      )
      const passed = ran.filter((each) => each.status === 'passed').length
      expect(countOf(run)).toEqual([passed, ran.length - passed, assertionResults.length - ran.length])
    }
    expect(runs.every((run) => run.metadata['framework_version'] === version)).toBe(true)
    expect(stderr.match(OUR_LINE)).toHaveLength(1)
  })

  test('attaches the log of each file, with failures and console output', async () => {
    const { runs } = await record(await open(MIXED_PROJECT))
    const log = (await service.download(findRun(runs, 'kinds.test.ts'), 'kinds.test.ts.log')).toString()
    expect(log).toContain('second of the name')
    expect(log).toContain('from the test')
    expect(log).toMatch(/skipped +outer › x › inner › skips itself \(no device\)/)
  })

  const cases = Object.entries(CASES).filter(([, { not }]) => !not?.includes(major))
  test.each(cases)('agrees with Vitest about %s', ofNewest, async (_title, wanted) => {
    const project = await open(wanted.files)
    const { runs, exitCode, stderr } = await record(project, { args: wanted.args ?? [] })
    expect(exitCode, stderr).toBe(wanted.exitCode)
    const failed = runs.filter(({ outcome }) => outcome === 'FAIL')
    expect(Object.fromEntries(failed.map((run) => [fileOf(run), failedSteps(run)]))).toEqual(
      wanted.failedSteps,
    )
    expect(failed.length > 0).toBe(exitCode !== 0)
    expect(runs).toHaveLength(wanted.runs)
  })

  test('counts no repetition of a test as a retry', ofNewest, async () => {
    const repeated = `import { test } from 'vitest'
      let calls = 0
      test('repeated', { repeats: 2 }, () => { calls += 1; console.log('call ' + calls) })
      test('retried too', { repeats: 1, retry: 1 }, () => { calls += 1; if (calls === 4) throw new Error('x') })\n`
    const { runs } = await record(await open({ ...PASSING_PROJECT, 'a.test.ts': repeated }))
    const run = findRun(runs, 'a.test.ts')
    expect(stepsOf(run)).toEqual([
      ['repeated', 'PASS'],
      ['retried too', 'PASS'],
    ])
    expect(run.metadata).toMatchObject({ tests_passed: '2', tests_flaky: '1', retries: '1' })
    const log = (await service.download(run, 'a.test.ts.log')).toString()
    for (const line of ['call 1', 'call 2', 'call 3']) expect(log).toContain(line)
  })

  test('attaches an annotated file byte for byte', async () => {
    const project = await open({
      ...PASSING_PROJECT,
      'curve.csv': 'time,volts\n0,3.3\n',
      'a.test.ts': `import { test } from 'vitest'
        test('measures', async ({ annotate }) => {
          await annotate('Curve of 3.3 V', { path: 'curve.csv' })
          await annotate('manual', { path: 'https://example.com/manual.pdf' })
        })\n`,
    })
    const { runs } = await record(project)
    const run = findRun(runs, 'a.test.ts')
    const file = await readFile(path.join(project.dir, 'curve.csv'))
    expect(await service.download(run, 'measures/Curve of 3.3 V.csv')).toEqual(file)
    expect(run.attachments).toHaveLength(2)
    const log = (await service.download(run, 'a.test.ts.log')).toString()
    expect(log).toContain('https://example.com/manual.pdf')
  })

  test('distinguishes the projects of one file', ofNewest, async () => {
    const { runs } = await record(await open(CASES['one file in two projects']?.files ?? {}))
    const verdicts = runs.map((run) => [run.metadata['project'], run.outcome])
    expect(verdicts.toSorted()).toEqual([
      ['first', 'PASS'],
      ['second', 'FAIL'],
    ])
  })

  test('records the merged reports of shards, once', async () => {
    const project = await open({ ...PASSING_PROJECT, 'b.test.ts': PASSING })
    for (const shard of ['1/2', '2/2']) {
      const { runs } = await record(project, { args: ['--reporter=blob', `--shard=${shard}`] })
      expect(runs).toEqual([])
    }
    const merged = await record(project, { args: ['--merge-reports'] })
    expect(merged.exitCode).toBe(0)
    expect(merged.runs.map(fileOf).toSorted()).toEqual(['a.test.ts', 'b.test.ts'])
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
        expect((await local.readAllRuns()).map(stepsOf)).toEqual([[['holds', 'PASS']]])
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
      const { exitCode, stderr, runs } = await record(await open(PASSING_PROJECT), { env })
      expect(exitCode).toBe(0)
      expect(runs).toEqual([])
      expect(stderr.match(OUR_LINE)).toEqual([expect.stringMatching(advice)])
    },
  )

  test(
    'a misspelt option is reported in one line, and the runs are recorded all the same',
    ofNewest,
    async () => {
      const config = createConfig().replace(
        "'@runledger/vitest'",
        "['@runledger/vitest', { proceduerId: 'x' }]",
      )
      const { exitCode, stderr, runs } = await record(
        await open({ ...PASSING_PROJECT, 'vitest.config.mjs': config }),
      )
      expect(exitCode).toBe(0)
      expect(runs).toHaveLength(1)
      expect(stderr.match(OUR_LINE)?.[0]).toMatch(/"proceduerId".*procedureId/)
    },
  )
})

test(
  'the failure screenshots of browser mode are on record byte for byte, each attempt apart',
  { tags: ['chromium'] },
  async () => {
    const version = listVersions('vitest').find((each) => each.startsWith('4.')) ?? ''
    const service = await startService()
    const project = await createProject({
      framework: 'vitest',
      version,
      files: {
        'vitest.config.mjs': `import { playwright } from '@vitest/browser-playwright'
        const launchOptions = { executablePath: process.env.CHROMIUM_PATH, args: ['--no-sandbox'] }
        export default { test: {
          reporters: ['default', '@runledger/vitest'],
          retry: 1,
          browser: {
            enabled: true,
            headless: true,
            provider: playwright({ launchOptions }),
            instances: [{ browser: 'chromium' }],
          },
        } }\n`,
        'panel.test.ts': `import { expect, test } from 'vitest'
        let calls = 0
        test('shows the voltage', () => {
          calls += 1
          document.body.innerHTML = '<h1>' + calls + '.0 V</h1>'
          expect(document.querySelector('h1')?.textContent).toBe('5.0 V')
        })\n`,
      },
    })
    try {
      const { exitCode, stderr } = await project.run({ service })
      expect(exitCode, stderr).toBe(1)
      const [run, ...others] = await service.readAllRuns()
      if (!run) throw new Error(`no run: ${stderr}`)
      expect(others).toEqual([])
      for (const attempt of [1, 2]) {
        const name = `shows-the-voltage-${attempt}.png`
        const file = await readFile(path.join(project.dir, '__screenshots__/panel.test.ts', name))
        const stored = await service.download(run, `shows the voltage/attempt-${attempt}/${name}`)
        expect(stored.equals(file)).toBe(true)
      }
    } finally {
      await service.stop()
      await project.remove()
    }
  },
)
