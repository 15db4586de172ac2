import { cp, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../support/project'
import { startService } from '../support/service'
import { withoutTold } from '../support/told-steps'
import {
  Executions,
  fileOf,
  listKeptFolders,
  listTestedVersions,
  NEWEST,
  OLDEST,
  only,
} from './playwright-executions'
import { onlyIf } from '../support/only-if'
import { installFfmpeg } from './playwright-ffmpeg'
import { browserProject, config, PASSING_PROJECT, SHARDED_PROJECT } from './playwright-projects'
import { readReport } from './playwright-report'

const OUR_LINE = /^Runledger: .*$/gm
const UNREACHABLE = { RUNLEDGER_URL: 'http://127.0.0.1:9', RUNLEDGER_MAX_RETRIES: '0' }

const CONFIG_ERRORS = [
  ['an unreachable service', UNREACHABLE, /url.*RUNLEDGER_URL/],
  ['no key', { RUNLEDGER_API_KEY: undefined, RUNLEDGER_URL: undefined }, /RUNLEDGER_API_KEY/],
  ['a wrong key', { RUNLEDGER_API_KEY: 'wrong' }, /apiKey.*RUNLEDGER_API_KEY/],
  ['no procedure', { RUNLEDGER_PROCEDURE_ID: undefined }, /procedureId.*RUNLEDGER_PROCEDURE_ID/],
  ['an unknown procedure', { RUNLEDGER_PROCEDURE_ID: 'nope' }, /procedureId.*RUNLEDGER_PROCEDURE_ID/],
] as const

describe.each(listTestedVersions('delivery'))('Playwright %s', (version) => {
  const ofEnds = onlyIf(
    version === OLDEST || version === NEWEST,
    'only the oldest and the newest version run it',
  )
  let executions: Executions

  beforeAll(async () => {
    executions = await Executions.start(version)
  })
  afterAll(() => executions.stop())

  test('stores screenshot, video and trace byte for byte', { tags: ['chromium'] }, async () => {
    const browsers = await installFfmpeg(version)
    const project = await executions.open(
      browserProject(`screenshot: 'on', trace: 'on', video: '${browsers ? 'on' : 'off'}'`),
    )
    const { runs, exitCode, stdout } = await executions.record(project, {
      env: { PLAYWRIGHT_BROWSERS_PATH: browsers },
    })
    expect(exitCode, stdout).toBe(0)
    const files = readReport(project.dir).tests[0]?.results[0]?.attachments ?? []
    expect(files.map(({ name }) => name).toSorted()).toEqual(
      ['reading.txt', 'screenshot', 'trace', ...(browsers ? ['video'] : [])].toSorted(),
    )
    for (const { name, path: file = '' } of files) {
      const stored = await executions.service.download(only(runs), `draws/${nameOnRecord(name, file)}`)
      expect(stored.equals(await readFile(file)), name).toBe(true)
    }
    if (browsers) await rm(browsers, { recursive: true })
  })

  test(
    'stores what Playwright removes when a test has passed',
    { ...ofEnds, tags: ['chromium'] },
    async () => {
      const project = await executions.open(
        browserProject("screenshot: 'on'", "preserveOutput: 'failures-only'"),
      )
      const { runs, exitCode, stdout } = await executions.record(project)
      expect(exitCode, stdout).toBe(0)
      const reading = await executions.service.download(only(runs), 'draws/reading.txt.js')
      expect(reading.toString()).toBe(await readFile(path.join(project.dir, 'page.spec.js'), 'utf8'))
      const screenshot = await executions.service.download(only(runs), 'draws/screenshot.png')
      expect(screenshot.subarray(1, 4).toString()).toBe('PNG')
      expect(screenshot.subarray(-8, -4).toString()).toBe('IEND')
      expect(await listKeptFolders(project)).toEqual([])
    },
  )

  test('makes one run of a file whose shards are merged', async () => {
    const project = await executions.open(SHARDED_PROJECT)
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
    const { stderr, runs } = await executions.record(project, {}, (options) =>
      runCommand(process.execPath, args, { dir: project.dir, ...options }),
    )
    expect(stderr.match(OUR_LINE)).toHaveLength(1)
    expect(runs.map(fileOf)).toEqual(['a.spec.js'])
    expect(
      withoutTold(only(runs).phases)
        .map(({ name, outcome }) => [name, outcome])
        .toSorted(),
    ).toEqual([
      ['fails', 'FAIL'],
      ['passes', 'PASS'],
    ])
  })

  test('finds the local service by its credentials, from one reporter line in a TypeScript ES module', async () => {
    const project = await executions.open({
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

  test.each(version === OLDEST ? CONFIG_ERRORS : [])(
    '%s leaves the exit code alone and says what to do in one line',
    async (_title, env, advice) => {
      const { exitCode, stderr, runs } = await executions.record(await executions.open(PASSING_PROJECT), {
        env,
      })
      expect(exitCode).toBe(0)
      expect(runs).toEqual([])
      expect(stderr.match(OUR_LINE)).toEqual([expect.stringMatching(advice)])
    },
  )

  test('a misspelt option is reported in one line, Playwright’s own are not, and the runs are recorded', async () => {
    const reporter = "reporter: [['line'], ['@runledger/playwright', { proceduerId: 'x' }]]"
    const project = await executions.open({ ...PASSING_PROJECT, ...config(reporter) })
    const { exitCode, stderr, runs } = await executions.record(project)
    expect(exitCode).toBe(0)
    expect(runs).toHaveLength(1)
    const [warning, ...others] = stderr.match(OUR_LINE) ?? []
    expect(warning).toMatch(/"proceduerId".*procedureId/)
    expect(others.join()).not.toMatch(/unknown option/)
  })

  test('fails the execution for an undelivered run when asked to', ofEnds, async () => {
    const project = await executions.open(PASSING_PROJECT)
    const env = { ...UNREACHABLE, RUNLEDGER_FAIL_ON_UPLOAD_ERROR: 'true' }
    expect((await executions.record(project, { env })).exitCode).toBe(1)
  })
})

/** An attachment's file name: its own name, and the file's extension unless it has that. */
function nameOnRecord(name: string, file: string): string {
  const extension = path.extname(file)
  return name.endsWith(extension) ? name : name + extension
}
