import type { DefaultReporter, Reporter } from '@jest/reporters'
import { expect, test } from 'vitest'
import type { JestGlobalConfig, JestTest } from './jest-types'
import { JEST_CONFIG, JEST_RESULTS } from '../../../test/support/jest-results'
import { FakeExecution } from '../../../test/support/fake-execution'
import { readRecorded } from '../recordings/replay'
import { RunledgerReporter } from './reporter'

const CONFIG = { ...JEST_CONFIG, passWithNoTests: true }
const NO_RESULTS = { ...JEST_RESULTS, numTotalTestSuites: 0 }

test("fits Jest's own reporter type and global configuration", () => {
  const create = (config: ConstructorParameters<typeof DefaultReporter>[0]): Reporter =>
    new RunledgerReporter(config)
  expect(create).toBeTypeOf('function')
})

test('all calls of onRunComplete share one promise', async () => {
  const reporter = new RunledgerReporter(CONFIG, {}, new FakeExecution())
  const first = reporter.onRunComplete(new Set(), NO_RESULTS)
  expect(reporter.onRunComplete(new Set(), NO_RESULTS)).toBe(first)
  await first
  expect(reporter.getLastError()).toBeUndefined()
})

test('no hook throws or rejects, whatever it is given', async () => {
  const reporter = new RunledgerReporter(CONFIG, {}, new FakeExecution())
  const nonsense = undefined as unknown as JestTest
  for (const event of readRecorded('30.5.2', 'main')) {
    if (event.hook === 'onTestCaseStart') reporter.onTestCaseStart(nonsense, event.start)
    if (event.hook === 'onTestCaseResult') reporter.onTestCaseResult(nonsense, event.result)
    if (event.hook === 'onTestFileStart') reporter.onTestFileStart(nonsense)
    if (event.hook === 'onTestFileResult') await reporter.onTestFileResult(nonsense, event.result)
  }
  await expect(reporter.onRunComplete(new Set(), NO_RESULTS)).resolves.toBeUndefined()
})

test('fails the execution for a failed delivery when asked to, and records nothing in watch mode', async () => {
  const lastErrorWith = async (config: Partial<JestGlobalConfig>) => {
    const execution = new FakeExecution({
      status: 'failed',
      error: new Error('no response'),
      failOnUploadError: true,
    })
    const globalConfig = { ...CONFIG, passWithNoTests: false, ...config }
    const reporter = new RunledgerReporter(globalConfig, {}, execution)
    await reporter.onRunComplete(new Set(), NO_RESULTS)
    return reporter.getLastError()
  }
  expect(await lastErrorWith({})).toBeInstanceOf(Error)
  expect(await lastErrorWith({ watch: true })).toBeUndefined()
  expect(await lastErrorWith({ watchAll: true })).toBeUndefined()
})
