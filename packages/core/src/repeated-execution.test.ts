import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises'
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

async function createFile(): Promise<string> {
  const file = path.join(bench.dir, 'runs.jsonl')
  await writeFile(file, '', { mode: 0o600 })
  return file
}

const RUN = {
  procedure_id: 'FVT1',
  run_passed: false,
  steps: [{ name: 'adds ***', step_passed: false, error: { message: 'off by one' } }],
  report_variables: { file: 'src/math.test.ts' },
}

it.each([true, false])(
  'writes its runs to the file of a repeated test and sends nothing, in CI: %s',
  async (isCi) => {
    const file = await createFile()
    const variables = { RUNLEDGER_REPEAT_FILE: file, ...(isCi && { GITHUB_ACTIONS: 'true', CI: 'true' }) }
    for (let i = 0; i < 2; i++) {
      const execution = bench.open({ url: server.url }, {}, variables)
      execution.addSuite(suite())
      expect(await execution.finish()).toMatchObject({ status: 'skipped' })
    }
    expect(await readRuns(file)).toMatchObject([RUN, RUN])
    expect(server.requests).toEqual([])
    // Runs of a killed execution in the spool would be sent later.
    expect(await readdir(bench.dir)).not.toContain('spool')
  },
)

it('writes its runs to the file even if the option or the variable disables it', async () => {
  const file = await createFile()
  for (const [options, variable] of [[{ disabled: true }, ''] as const, [{}, '1'] as const]) {
    const env = { RUNLEDGER_REPEAT_FILE: file, RUNLEDGER_DISABLED: variable, CI: 'true' }
    const execution = bench.open({ url: server.url, ...options }, {}, env)
    execution.addSuite(suite())
    await execution.finish()
  }
  expect(await readRuns(file)).toHaveLength(2)
  expect(server.requests).toEqual([])
})

const record = async (file: string, failOnUploadError: boolean) => {
  const execution = bench.open({ url: server.url, failOnUploadError }, {}, { RUNLEDGER_REPEAT_FILE: file })
  execution.addSuite(suite())
  return execution.finish()
}

it('sends its runs as usual if the file does not exist, and does not create it', async () => {
  const gone = path.join(bench.dir, 'gone/runs.jsonl')
  expect(await record(gone, true)).toMatchObject({ status: 'uploaded', runs: 1 })
  const warning = `Runledger: RUNLEDGER_REPEAT_FILE is ignored: there is no file ${gone}\n`
  expect(bench.printed.filter((line) => line === warning)).toHaveLength(1)
  expect(await readdir(bench.dir)).not.toContain('gone')
  await server.stop()
  expect(await record(gone, true)).toMatchObject({ status: 'failed', failOnUploadError: true })
  expect(await bench.listEntries()).toHaveLength(1)
})

it.skipIf(process.platform === 'win32')(
  'sends its runs as usual if other users may write to the file',
  async () => {
    const file = await createFile()
    await chmod(file, 0o666)
    expect(await record(file, false)).toMatchObject({ status: 'uploaded', runs: 1 })
    expect(bench.printed[0]).toContain(`${file} is ignored: others may write to ${file}`)
    expect(await readFile(file, 'utf8')).toBe('')
  },
)

it('fails if the file is deleted before it ends, and does not create it again', async () => {
  const file = await createFile()
  const execution = bench.open({ url: server.url }, {}, { RUNLEDGER_REPEAT_FILE: file })
  execution.addSuite(suite())
  await rm(file)
  expect(await execution.finish()).toMatchObject({ status: 'failed' })
  expect(await readdir(bench.dir)).not.toContain('runs.jsonl')
})

it('writes an imported run to the file, too, without a service', async () => {
  const file = await createFile()
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
