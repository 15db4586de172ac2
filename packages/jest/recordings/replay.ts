import { readdirSync, readFileSync } from 'node:fs'
import { HookGuard } from '@runledger/reporter-kit'
import { FakeExecution } from '../../../test/support/fake-execution'
import type {
  JestCaseResult,
  JestCaseStart,
  JestFileResult,
  JestGlobalConfig,
  JestRunResults,
  JestTest,
} from '../src/jest-types'
import { ExecutionRecorder } from '../src/execution-recorder'

/** The calls that a real execution of Jest made to a reporter, in order; `at` is their time in milliseconds. */
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

/** Plays events into a recorder whose clock shows their own times; returns what core was given. */
export async function replay(events: readonly RecordedEvent[]): Promise<FakeExecution> {
  const execution = new FakeExecution()
  const clock = { now: 0, stepMs: 0 }
  const recorder = createRecorder(events, execution, clock)
  for (const event of events) {
    if ('at' in event) clock.now = event.at
    // At its end, a recorder waits for files under way.
    clock.stepMs = event.hook === 'onRunComplete' ? 200 : 0
    await play(event, recorder)
  }
  return execution
}

function createRecorder(
  events: readonly RecordedEvent[],
  execution: FakeExecution,
  clock: { now: number; stepMs: number },
): ExecutionRecorder {
  const first = events[0]
  if (first?.hook !== 'constructor') throw new Error('a recorded execution begins with its constructor')
  return new ExecutionRecorder({
    globalConfig: first.globalConfig,
    options: {},
    guard: new HookGuard(),
    load: execution.load,
    now: () => (clock.now += clock.stepMs),
  })
}

async function play(event: RecordedEvent, recorder: ExecutionRecorder): Promise<void> {
  switch (event.hook) {
    case 'constructor':
      return
    case 'onRunStart':
      return recorder.start(event.startTime)
    case 'onTestFileStart':
      return recorder.startFile(event.test)
    case 'onTestCaseStart':
      return recorder.addCaseEvent(event.test, event.start)
    case 'onTestCaseResult':
      return recorder.addCaseEvent(event.test, event.result)
    case 'onTestFileResult':
      return recorder.finishFile(event.test, event.result)
    case 'onRunComplete':
      await recorder.finish(event.results)
  }
}
