import type { Attempt, ExecutionFacts, OutputEntry, RunPer, Suite, SuiteTest } from '@runledger/core'
import type { CreateRunRequest } from '@runledger/protocol'
import { mapRun, type RunContext } from '../../packages/core/src/record/map-run'
import { isOnRecord, RunSources, type RunSource } from '../../packages/core/src/record/run-source'
import type { OwnFolders } from '../../packages/core/src/util/text'

export const FACTS: ExecutionFacts = {
  framework: 'vitest',
  frameworkVersion: '4.1.12',
  rootDir: '/project',
  startedAtMs: Date.UTC(2026, 10, 20, 9, 30),
}

/** Console output of a suite, which only its log contains. */
export const SAID: OutputEntry = { stream: 'stdout', text: 'said\n' }

/** A passed suite without tests at 09:30, to be filled. */
export function createSuite(over: Partial<Suite> = {}): Suite {
  return {
    project: '',
    file: 'src/math.test.ts',
    startedAtMs: FACTS.startedAtMs,
    durationMs: 1234,
    outcome: 'passed',
    tests: [],
    problems: [],
    output: [],
    attachments: [],
    ...over,
  }
}

/** A test that passed at its first attempt, 100 ms after the suite's start, in 10 ms. */
export function createTest(titles: string[], over: Partial<SuiteTest> = {}): SuiteTest {
  return {
    titles,
    outcome: 'passed',
    flaky: false,
    startedAtMs: FACTS.startedAtMs + 100,
    durationMs: 10,
    attempts: [createAttempt()],
    ...over,
  }
}

export function createAttempt(over: Partial<Attempt> = {}): Attempt {
  return { status: 'passed', errors: [], attachments: [], output: [], ...over }
}

/** True when the suite is to be a run: a test of it ran, or something went wrong. */
export function becomesRun(suite: Suite): boolean {
  return isOnRecord({ suites: [suite] })
}

/** The runs of suites, in the order of first sight. */
export function collectRunSources(suites: readonly Suite[], runPer: RunPer): RunSource[] {
  const sources = new RunSources(runPer)
  return [
    ...new Map(suites.map((suite) => sources.add(suite)).map(({ key, source }) => [key, source])).values(),
  ]
}

export const RUN_CONTEXT: RunContext = {
  submissionId: '7f1c8f0e-0d6c-4f6e-9a51-0c55a3c8a001',
  facts: FACTS,
  procedureId: 'FVT1',
  unit: { serial_number: 'SN-1', part_number: undefined, revision: undefined },
  subUnits: [],
  variables: {},
  logs: false,
  maxAttachmentBytes: 1_000_000,
}

/** The requests that create the runs of suites. */
export function createRequests(
  suites: readonly Suite[],
  { runPer = 'suite', folders }: { runPer?: RunPer; folders?: OwnFolders | undefined } = {},
): CreateRunRequest[] {
  const context = { ...RUN_CONTEXT, folders }
  return collectRunSources(suites, runPer).map((source) => mapRun(source, context, new Map()).request)
}
