import { addResult, makeEmptyAggregatedTestResult, type TestResult } from '@jest/test-result'
import type { Problem, Suite } from '@runledger/core'
import { HookGuard } from '@runledger/reporter-kit'
import { expect, test } from 'vitest'
import { FakeExecution } from '../../../test/support/fake-execution'
import { mutate, type Mutated } from '../../../test/support/mutate'
import type { Random } from '../../../test/support/random'
import { expectTrueVerdicts, MUTANT_COUNT } from '../../../test/support/store-mutants'
import { listRecorded, readRecorded, type RecordedEvent } from '../recordings/replay'
import { ExecutionRecorder } from './execution-recorder'
import type { JestFileResult, JestGlobalConfig, JestRunResults } from './jest-types'

type ResultEvent = Extract<RecordedEvent, { hook: 'onTestFileResult' }>

interface RecordedFile {
  globalConfig: JestGlobalConfig
  /** What Jest reported of the file, its result last. */
  events: RecordedEvent[]
}

function listFiles(): RecordedFile[] {
  return listRecorded().flatMap(([project, version]) => {
    const [first, ...events] = readRecorded(version, project)
    if (first?.hook !== 'constructor') throw new Error('a recorded execution begins with its constructor')
    const results = events.filter((event): event is ResultEvent => event.hook === 'onTestFileResult')
    return results.map((result) => ({
      globalConfig: { ...first.globalConfig, bail: 0 },
      events: [...events.filter((event) => isCaseOf(event, result.test.path)), addCounts(result)],
    }))
  })
}

function isCaseOf(event: RecordedEvent, file: string): boolean {
  return (event.hook === 'onTestCaseStart' || event.hook === 'onTestCaseResult') && event.test.path === file
}

/** As Jest hands it over; the recording left the count out. */
function addCounts(event: ResultEvent): ResultEvent {
  const numPassingTests = event.result.testResults.filter(({ status }) => status === 'passed').length
  return { ...event, result: { ...event.result, numPassingTests } }
}

/**
 * What Jest itself makes of an execution of one file: `addResult` of @jest/test-result, then jest-core's TestScheduler.
 * Undefined for a result on which Jest itself fails, which reporters never see.
 */
function judge(result: JestFileResult): (JestRunResults & { success: boolean }) | undefined {
  const all = makeEmptyAggregatedTestResult()
  try {
    addResult(all, structuredClone(result) as unknown as TestResult)
  } catch {
    return undefined
  }
  const { unchecked, unmatched, filesRemoved } = all.snapshot
  all.snapshot.failure = Boolean(unchecked || unmatched || filesRemoved)
  const hasFailed = !(all.numFailedTests === 0 && all.numRuntimeErrorTestSuites === 0)
  return { ...all, numTotalTestSuites: 1, success: !(hasFailed || all.snapshot.failure) }
}

interface Recorded {
  suites: readonly Suite[]
  problems: readonly Problem[]
  /** Undefined when Jest itself fails on the result. */
  isSuccess: boolean | undefined
}

/** Gives a file's events to a recorder, and ends the execution as Jest would. */
async function record({ globalConfig, events }: RecordedFile): Promise<Recorded> {
  const { load, suites, problems } = new FakeExecution()
  const guard = new HookGuard((line) => expect.fail(line))
  const recorder = new ExecutionRecorder({ globalConfig, options: {}, guard, load, now: Date.now })
  let isSuccess: boolean | undefined
  for (const event of events) {
    if (event.hook === 'onTestCaseStart') recorder.addCaseEvent(event.test, event.start)
    if (event.hook === 'onTestCaseResult') recorder.addCaseEvent(event.test, event.result)
    if (event.hook !== 'onTestFileResult') continue
    const results = judge(event.result)
    isSuccess = results?.success
    await recorder.finishFile(event.test, event.result)
    if (results) await recorder.finish(results)
  }
  return { suites, problems, isSuccess }
}

/** What a runner hands over is mutated, not what Jest itself adds. */
function mutateFile({ globalConfig, events }: RecordedFile, random: Random): Mutated<RecordedFile> {
  const isCase = random.chance(0.2)
  const index = isCase ? random.between(0, events.length - 1) : events.length - 1
  const event = events[index]
  const field = event?.hook === 'onTestCaseStart' ? 'start' : 'result'
  const { data, change } = mutate((event as unknown as Record<string, object>)[field], random)
  const mutated = { ...event, [field]: data } as RecordedEvent
  return { data: { globalConfig, events: events.with(index, mutated) }, change: `${event?.hook}: ${change}` }
}

/** A file of which Jest counts a test as passed or failed is on record, and so is one that failed. */
function hasResults({ events }: RecordedFile, suite: Suite): boolean {
  const { numPassingTests, numFailingTests } = (events.at(-1) as ResultEvent).result
  return suite.outcome === 'failed' || Number(numPassingTests) > 0 || Number(numFailingTests) > 0
}

test(`${MUTANT_COUNT} files, each with one field that is anything, are runs with the verdicts of Jest`, async () => {
  const files = listFiles() as [RecordedFile, ...RecordedFile[]]
  await expectTrueVerdicts(async (random) => {
    const { data, change } = mutateFile(random.pick(files), random)
    const { suites, problems, isSuccess } = await record(data)
    const what = `${(data.events.at(-1) as ResultEvent).test.path}: ${change}`
    const mustBeStored = suites.every((suite) => hasResults(data, suite))
    return { what, suites, problemCount: problems.length, hasPassed: isSuccess, mustBeStored }
  })
}, 300_000)
