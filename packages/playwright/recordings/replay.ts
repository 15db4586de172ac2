import { readdirSync, readFileSync } from 'node:fs'
import type { Problem, Suite } from '@runledger/core'
import type {
  FullConfig,
  FullProject,
  FullResult,
  Suite as PlaywrightSuite,
  TestCase,
  TestError,
  TestResult,
} from '@playwright/test/reporter'
import { ExecutionRecorder } from '../src/execution-recorder'

interface RecordedTest extends Pick<TestCase, 'id' | 'title' | 'location' | 'retries' | 'expectedStatus'> {
  titlePath: string[]
}

interface RecordedProject {
  name: string
  outputDir: string
  files: { title: string; file: string; tests: RecordedTest[] }[]
}

type RecordedAttachment = Omit<TestResult['attachments'][number], 'body'> & { body?: string }

type RecordedEvent = { atMs: number } & (
  | { kind: 'testBegin'; id: string; retry: number; workerIndex: number; startTimeMs: number }
  | {
      kind: 'testEnd'
      id: string
      result: Pick<TestResult, 'retry' | 'workerIndex' | 'status' | 'duration' | 'errors'> & {
        startTimeMs: number
        attachments: RecordedAttachment[]
      }
      test: Pick<TestCase, 'expectedStatus' | 'annotations'> & { outcome: ReturnType<TestCase['outcome']> }
    }
  | { kind: 'output'; stream: 'stdout' | 'stderr'; text: string; id?: string }
  | { kind: 'error'; error: TestError }
  | { kind: 'end'; status: FullResult['status']; startTimeMs: number; durationMs: number }
)

/** What the hooks of one execution were given. */
export interface Recorded {
  config: Pick<FullConfig, 'preserveOutput' | 'globalSetup' | 'globalTeardown'>
  projects: RecordedProject[]
  events: RecordedEvent[]
}

/** A test whose fields the replay sets as the recorded calls did. */
type ReplayedTest = { -readonly [Field in keyof TestCase]: TestCase[Field] }

const DAY_MS = 86_400_000

export interface ReplayedExecution {
  suites: Suite[]
  problems: Problem[]
  /** Files in the order in which their suites were added, with `end` for the last call. */
  order: string[]
  /** Files of which only the verdict could be told. */
  unmapped: string[]
}

/** Names of all recordings. */
export function listRecordings(): string[] {
  return readdirSync(new URL('.', import.meta.url)).flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? [])
}

/** Reads a recording, such as `verdicts-1.65.1`. */
export function readRecording(name: string): Recorded {
  return JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8')) as Recorded
}

/** Replays a recording on the recorded clock, or as a report that is merged days later. */
export function replay(
  name: string,
  { daysLater = 0, change = (recorded: Recorded) => recorded } = {},
): ReplayedExecution {
  return replayRecorded(change(readRecording(name)), daysLater)
}

export function replayRecorded(recorded: Recorded, daysLater = 0): ReplayedExecution {
  const tests = new Map<string, ReplayedTest>()
  const replayed: ReplayedExecution = { suites: [], problems: [], order: [], unmapped: [] }
  let nowMs = 0
  const recorder = new ExecutionRecorder({
    config: recorded.config as FullConfig,
    root: buildRoot(recorded.projects, tests),
    rootDir: '/project',
    guard: { run: (action) => action(), warnOfUnmapped: (file) => replayed.unmapped.push(file) },
    clock: { nowMs: () => nowMs + daysLater * DAY_MS, isReplay: daysLater > 0 },
    execution: {
      prepare: () => undefined,
      addSuite: (suite) => {
        replayed.suites.push(suite)
        replayed.order.push(suite.file)
      },
      addProblem: (problem) => replayed.problems.push(problem),
    },
  })
  for (const event of recorded.events) {
    nowMs = event.atMs
    if (event.kind === 'end') replayed.order.push('end')
    replayEvent(event, recorder, tests)
  }
  return replayed
}

function replayEvent(
  event: RecordedEvent,
  recorder: ExecutionRecorder,
  tests: Map<string, ReplayedTest>,
): void {
  if (event.kind === 'error') return recorder.addError(event.error)
  if (event.kind === 'end') {
    return recorder.end({
      status: event.status,
      startTime: new Date(event.startTimeMs),
      duration: event.durationMs,
    })
  }
  const test = tests.get(event.id ?? '')
  const result = test?.results.at(-1)
  if (event.kind === 'output') return recorder.addOutput({ stream: event.stream, text: event.text }, result)
  if (test === undefined) throw new Error(`the recording has no test ${event.id}`)
  if (event.kind === 'testBegin') return beginTest(event, recorder, test)
  if (result === undefined) throw new Error(`the recording ends a test that it never began: ${test.title}`)
  const { startTimeMs, ...ended } = event.result
  Object.assign(result, ended, {
    startTime: new Date(startTimeMs),
    attachments: decodeBodies(ended.attachments),
  })
  const { outcome, ...fields } = event.test
  Object.assign(test, fields, { outcome: () => outcome })
  recorder.endTest(test, result)
}

/** Tests replay results with a changed list, too. */
function decodeBodies(attachments: readonly RecordedAttachment[]): unknown {
  if (!Array.isArray(attachments)) return attachments
  return attachments.map((each: RecordedAttachment) =>
    typeof each?.body === 'string' ? { ...each, body: Buffer.from(each.body, 'base64') } : each,
  )
}

function beginTest(
  { retry, workerIndex, startTimeMs }: Extract<RecordedEvent, { kind: 'testBegin' }>,
  recorder: ExecutionRecorder,
  test: ReplayedTest,
): void {
  const startTime = new Date(startTimeMs)
  // What Playwright itself puts into a result before its end.
  const unfinished = {
    retry,
    workerIndex,
    startTime,
    status: 'skipped',
    duration: -1,
    errors: [],
    attachments: [],
  }
  const result = unfinished as unknown as TestResult
  test.results.push(result)
  recorder.beginTest(test, result)
}

function buildRoot(projects: RecordedProject[], tests: Map<string, ReplayedTest>): PlaywrightSuite {
  const suites = projects.map((recorded) => {
    const project = { name: recorded.name, outputDir: recorded.outputDir } as FullProject
    const files = recorded.files.map((file) => {
      const suite = buildSuite(file.title, project, [])
      suite.location = { file: file.file, line: 0, column: 0 }
      for (const test of file.tests) {
        const built = buildTest(test, suite)
        tests.set(test.id, built)
        suite.tests.push(built)
      }
      return suite
    })
    return buildSuite(recorded.name, project, files)
  })
  return buildSuite('', undefined, suites)
}

function buildSuite(
  title: string,
  project: FullProject | undefined,
  suites: PlaywrightSuite[],
): PlaywrightSuite {
  const tests: TestCase[] = []
  const allTests = () => [...tests, ...suites.flatMap((suite) => suite.allTests())]
  const suite = { title, suites, tests, project: () => project, allTests }
  return suite as unknown as PlaywrightSuite
}

function buildTest({ titlePath, ...recorded }: RecordedTest, parent: PlaywrightSuite): ReplayedTest {
  const test = {
    ...recorded,
    parent,
    titlePath: () => titlePath,
    results: [],
    annotations: [],
    outcome: () => 'skipped',
  }
  return test as unknown as ReplayedTest
}
