import type { RunDetail } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { drawCases } from '../support/draw'
import { withoutTold } from '../support/told-steps'
import { Executions, fileOf, listKeptFolders, listTestedVersions, NEWEST } from './playwright-executions'
import { CASES, MIXED_PROJECT, type Case } from './playwright-projects'
import { cameOut, expectEqual, readReport } from './playwright-report'

const OUR_LINE = /^Runledger: .*$/gm

const failedSteps = (run: RunDetail) =>
  withoutTold(run.phases)
    .filter(({ outcome }) => outcome === 'FAIL')
    .map(({ name }) => name)

describe.each(listTestedVersions('playwright'))('Playwright %s', (version) => {
  let executions: Executions

  beforeAll(async () => {
    executions = await Executions.start(version)
  })
  afterAll(() => executions.stop())

  /** The execution with verdicts of every kind, which two tests look at. */
  async function recordMixed() {
    const project = await executions.open(MIXED_PROJECT)
    return { ...(await executions.record(project)), report: readReport(project.dir) }
  }
  let mixed: ReturnType<typeof recordMixed> | undefined

  test('equals the JSON report of the same execution, test by test', async () => {
    const { runs, stderr, exitCode, report } = await (mixed ??= recordMixed())
    expect(exitCode).toBe(1)
    // A busy machine makes more tests flaky; their names then need more lines.
    const [first, ...others] = stderr.match(OUR_LINE) ?? []
    expect(first).toContain('flaky')
    expect(others.at(-1)).toContain('on record')
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
    const agesMs = runs.map((run) => Date.now() - Date.parse(run.started_at))
    expect(Math.max(...agesMs), 'the date that the global set-up mocked').toBeLessThan(600_000)
  })

  test.each(drawCases(`ends of Playwright ${version}`, listCases(version), 5))(
    'agrees with Playwright about %s',
    async (_title, wanted) => {
      const project = await executions.open(wanted.files)
      const { runs, exitCode, stderr, stdout } = await executions.record(project, { args: wanted.args ?? [] })
      expect(exitCode, stdout + stderr).toBe(wanted.exitCode)
      const failed = runs.filter(({ outcome }) => outcome === 'FAIL')
      expect(Object.fromEntries(failed.map((run) => [fileOf(run), failedSteps(run)]))).toEqual(
        wanted.failedSteps,
      )
      expect(failed.length > 0).toBe(exitCode !== 0)
      expect(runs).toHaveLength(wanted.runs)
      expect(await listKeptFolders(project)).toEqual([])
    },
  )

  test('keeps its verdicts and attempts in the log of each suite', async () => {
    const { runs } = await (mixed ??= recordMixed())
    const run = runs.find((candidate) => fileOf(candidate) === 'verdicts.spec.js')
    if (!run) throw new Error('no run of verdicts.spec.js')
    const log = (await executions.service.download(run, 'verdicts.spec.js.log')).toString()
    expect(log).toContain('inside a test')
    expect(log).toMatch(/skipped +is to be mended \(fixme\)/)
    expect(log).toMatch(/attempt 1: failed/)
    expect(log).toContain('not attached: gone')
  })
})

function listCases(version: string): [title: string, Case][] {
  return Object.entries(CASES).filter(([, { versions }]) => versions === 'all' || version === NEWEST)
}
