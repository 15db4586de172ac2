import { readdirSync, readFileSync } from 'node:fs'
import type { Execution, ExecutionFacts, ExecutionResult, Problem, Suite } from '@runledger/core'
import type {
  JestCaseResult,
  JestCaseStart,
  JestFileResult,
  JestGlobalConfig,
  JestRunResults,
  JestTest,
} from '../src/jest-types'
import { Recording } from '../src/recording'

/** What a real execution of Jest told a reporter, in order; `at` is when, in milliseconds. */
export type RecordedEvent =
  | { hook: 'constructor'; globalConfig: JestGlobalConfig }
  | { hook: 'onRunStart'; startTime: number }
  | { hook: 'onTestFileStart'; at: number; test: JestTest }
  | { hook: 'onTestCaseStart'; test: JestTest; start: JestCaseStart }
  | { hook: 'onTestCaseResult'; test: JestTest; result: JestCaseResult }
  | { hook: 'onTestFileResult'; at: number; test: JestTest; result: JestFileResult }
  | { hook: 'onRunComplete'; at: number; results: JestRunResults }

/** Project and Jest version of every recorded execution. */
export function listRecorded(): [project: string, version: string][] {
  const names = readdirSync(new URL('.', import.meta.url)).map((file) => /^(\w+)-(.+)\.json$/.exec(file))
  return names.flatMap((name) => (name?.[1] && name[2] ? [[name[1], name[2]]] : []))
}

/** Reads the recorded execution of a project beside this file. */
export function readRecorded(version: string, project: string): RecordedEvent[] {
  return JSON.parse(readFileSync(new URL(`./${project}-${version}.json`, import.meta.url), 'utf8'))
}

/** An execution that keeps what it is given. */
export class FakeExecution implements Execution {
  readonly suites: Suite[] = []
  readonly problems: Problem[] = []
  facts: ExecutionFacts | undefined
  finished = 0
  /** How many suites there were when it was told that tests had ended. */
  endedAfter: number | undefined

  constructor(private readonly result: ExecutionResult = { status: 'skipped', reason: 'a test' }) {}

  addSuite(suite: Suite): void {
    this.suites.push(suite)
  }

  addProblem(problem: Problem): void {
    this.problems.push(problem)
  }

  prepareEnd(): void {}

  testsEnded(): void {
    this.endedAfter = this.suites.length
  }

  settled(): Promise<void> {
    return Promise.resolve()
  }

  finish(): Promise<ExecutionResult> {
    this.finished += 1
    return Promise.resolve(this.result)
  }

  /** The one suite of this file, in this project when several have it. */
  suite(file: string, project?: string): Suite {
    const suites = this.suites.filter(
      (suite) => suite.file === file && (project === undefined || suite.project === project),
    )
    if (suites.length !== 1 || !suites[0]) throw new Error(`${suites.length} suites of ${file}`)
    return suites[0]
  }
}

/** Plays events into a recording whose clock shows their own times; answers what core was given. */
export async function replay(events: readonly RecordedEvent[]): Promise<FakeExecution> {
  const execution = new FakeExecution()
  const clock = { now: 0, stepMs: 0 }
  const recording = createRecording(events, execution, clock)
  for (const event of events) {
    if ('at' in event) clock.now = event.at
    // At its end a recording waits for files under way.
    clock.stepMs = event.hook === 'onRunComplete' ? 200 : 0
    await play(event, recording)
  }
  return execution
}

function createRecording(
  events: readonly RecordedEvent[],
  execution: FakeExecution,
  clock: { now: number; stepMs: number },
): Recording {
  const first = events[0]
  if (first?.hook !== 'constructor') throw new Error('a recorded execution begins with its constructor')
  return new Recording(
    first.globalConfig,
    {},
    {
      now: () => (clock.now += clock.stepMs),
      loadCore: () =>
        Promise.resolve({
          createExecution: (facts) => {
            execution.facts = facts
            return execution
          },
        }),
    },
  )
}

async function play(event: RecordedEvent, recording: Recording): Promise<void> {
  switch (event.hook) {
    case 'constructor':
      return
    case 'onRunStart':
      return recording.start(event.startTime)
    case 'onTestFileStart':
      return recording.startFile(event.test)
    case 'onTestCaseStart':
      return void recording.told.get(event.test.path)?.push(event.start)
    case 'onTestCaseResult':
      return void recording.told.get(event.test.path)?.push(event.result)
    case 'onTestFileResult':
      return recording.finishFile(event.test, event.result)
    case 'onRunComplete':
      await recording.finish(event.results)
  }
}
