import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { KEY, type SpoolBench, useSpoolBench } from '../../../test/support/spool-execution'
import { createAttempt, createSuite, createTest } from '../../../test/support/suites'
import type { MisbehavingServer } from '../../../test/support/misbehaving-server'
import { recordSuites } from './record-suites'

let bench: SpoolBench
let server: MisbehavingServer

useSpoolBench((fresh) => void ({ bench, server } = fresh))

const suite = () =>
  createSuite({
    outcome: 'failed',
    tests: [
      createTest([`adds ${KEY}`], {
        outcome: 'failed',
        attempts: [createAttempt({ status: 'failed', errors: [{ message: 'off by one' }] })],
      }),
    ],
  })

const readRuns = async (file: string) =>
  (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object)

const RUN = {
  procedure_id: 'FVT1',
  run_passed: false,
  steps: [{ name: 'adds ***', step_passed: false, error: { message: 'off by one' } }],
  report_variables: { file: 'src/math.test.ts' },
}

it.each([true, false])(
  'leaves its runs in the file of a repeated test and sends nothing, in CI: %s',
  async (isCi) => {
    const file = path.join(bench.dir, 'runs.jsonl')
    const variables = { RUNLEDGER_REPEAT_FILE: file, ...(isCi && { GITHUB_ACTIONS: 'true', CI: 'true' }) }
    for (let i = 0; i < 2; i++) {
      const execution = bench.open({ url: server.url }, {}, variables)
      execution.addSuite(suite())
      expect(await execution.finish()).toMatchObject({ status: 'skipped' })
    }
    expect(await readRuns(file)).toMatchObject([RUN, RUN])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(server.requests).toEqual([])
    // What a killed execution leaves in the spool would be sent later.
    expect(await readdir(bench.dir)).not.toContain('spool')
  },
)

it('leaves an imported run there too, without a service', async () => {
  const file = path.join(bench.dir, 'runs.jsonl')
  const facts = {
    framework: 'pytest',
    frameworkVersion: undefined,
    rootDir: bench.dir,
    startedAtMs: 0,
    isImported: true as const,
  }
  const env = { RUNLEDGER_REPEAT_FILE: file, RUNLEDGER_PROCEDURE_ID: 'FVT1' }
  expect(await recordSuites([suite()], { facts, options: {}, env })).toEqual({ records: [], keptCount: 0 })
  expect(await readRuns(file)).toMatchObject([{ procedure_id: 'FVT1', run_passed: false }])
})
