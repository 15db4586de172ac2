import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { RunDetail } from '@runledger/protocol'
import { expect, test } from 'vitest'
import { runCommand, type Project } from '../support/project'
import { withoutTold } from '../support/told-steps'
import { Executions, fileOf, NEWEST, OLDEST, only, type Recorded } from './playwright-executions'
import { API_PROJECT, COMPONENT_PROJECT } from './playwright-kind-projects'
import { expectEqual, readReport } from './playwright-report'

/** Expects of each file a run that equals the JSON report, with every byte of what Playwright attached. */
async function expectSameAsReport(executions: Executions, { dir }: Project, { runs, stderr }: Recorded) {
  const { tests } = readReport(dir)
  const ran = tests.filter(({ status }) => status !== 'skipped')
  expect(runs.map(fileOf).toSorted(), stderr).toEqual([...new Set(ran.map(({ file }) => file))].toSorted())
  for (const run of runs) {
    const reported = ran.filter(({ file }) => file === fileOf(run))
    expectEqual(
      { ...run, phases: withoutTold(run.phases).filter(({ name }) => !isMeasurement(name)) },
      reported,
    )
    for (const { name, results } of reported)
      for (const [index, { attachments }] of results.entries()) {
        const folder = results.length > 1 ? `${name}/attempt-${index + 1}` : name
        for (const attachment of attachments) await expectStored(executions, run, { folder, ...attachment })
      }
  }
}

const isMeasurement = (name: string): boolean => name.endsWith('› volts')

interface Attached {
  folder: string
  name: string
  path?: string
}

async function expectStored(executions: Executions, run: RunDetail, { folder, name, path: file }: Attached) {
  if (file === undefined) return
  const stored = await executions.service.download(run, `${folder}/${name}${path.extname(file)}`)
  expect(stored.equals(await readFile(file)), name).toBe(true)
}

test.each([OLDEST, NEWEST])(
  'Playwright %s: a project of requests, without a browser, is on record',
  async (version) => {
    const executions = await Executions.start(version)
    try {
      const project = await executions.open(API_PROJECT)
      const env = { CHROMIUM_PATH: undefined, PLAYWRIGHT_BROWSERS_PATH: path.join(project.dir, 'none') }
      const recorded = await executions.record(project, { env })
      expect(recorded.exitCode, recorded.stdout).toBe(1)
      await expectSameAsReport(executions, project, recorded)
      const traces = recorded.runs.flatMap(({ attachments }) =>
        attachments.filter((a) => a.name.endsWith('trace.zip')),
      )
      expect(traces).toHaveLength(3)
    } finally {
      await executions.stop()
    }
  },
)

test(
  'component tests are on record, with what they measure and their screenshots',
  { tags: ['chromium'] },
  async () => {
    const executions = await Executions.start('components')
    try {
      const project = await executions.open(COMPONENT_PROJECT)
      // Its package brings Playwright, and no @playwright/test.
      const cli = path.join(project.dir, 'node_modules/playwright/cli.js')
      const recorded = await executions.record(project, {}, (options) =>
        runCommand(process.execPath, [cli, 'test'], { dir: project.dir, ...options }),
      )
      expect(recorded.exitCode, recorded.stdout).toBe(1)
      await expectSameAsReport(executions, project, recorded)
      const { phases, metadata } = only(recorded.runs)
      expect(withoutTold(phases).map(({ name, outcome }) => [name, outcome])).toEqual([
        ['shows the voltage', 'PASS'],
        ['shows the voltage › volts', 'PASS'],
        ['shows more', 'FAIL'],
      ])
      expect(metadata['framework_version']).toBe('1.62.1')
    } finally {
      await executions.stop()
    }
  },
)
