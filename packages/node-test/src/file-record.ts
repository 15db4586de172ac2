import path from 'node:path'
import type { ErrorDetail, Problem, Suite, SuiteTest } from '@runledger/core'
import { addOutput, createCountedTest } from '@runledger/reporter-kit'
import { hasCrashed, mapFileEnd } from './map-file-end'
import { addSaid, readSaidOfFile } from './map-events'
import type { EventData, EventDetails } from './node-events'
import { placeTurns, type Turn } from './turns'

export interface ReportedTest {
  data: EventData
  isFailure: boolean
  turn: Turn | undefined
}

/** The state of one test file. Its suite stays the same object, so that core replaces an earlier state. */
export class FileRecord {
  readonly suite: Suite
  /** Node has reported the file's end; without isolation it never does. */
  isComplete = false
  /** Core lacks the latest facts. */
  hasChanged = false
  #hasFailed = false
  #isTest = false
  #end: EventDetails = {}
  readonly #problems: Problem[] = []
  readonly #remarks: string[] = []
  readonly #turns = new Map<SuiteTest, Turn>()
  #latest: { data: EventData; test: SuiteTest } | undefined

  constructor(
    file: string,
    private readonly rootDir: string,
    startedAtMs: number,
  ) {
    const rest = { tests: [], problems: [], output: [], attachments: [] }
    this.suite = { project: '', file, startedAtMs, durationMs: 0, outcome: 'passed', ...rest }
  }

  start(startedAtMs: number): void {
    this.suite.startedAtMs = startedAtMs
  }

  addTest(test: SuiteTest, { data, isFailure, turn }: ReportedTest): void {
    this.#hasFailed ||= isFailure
    if (turn) this.#turns.set(test, turn)
    this.#latest = { data, test }
    this.#add(test)
  }

  /** Node counts a file as a test if it reports none, or its process fails. */
  addFileTest({ details = {} }: EventData, passed: boolean): void {
    this.#isTest = true
    this.#hasFailed ||= !passed
    const { startedAtMs, file } = this.suite
    const facts = {
      outcome: passed ? 'passed' : 'failed',
      startedAtMs,
      durationMs: readDuration(details),
    } as const
    this.#add(createCountedTest(file, facts, passed ? [] : [this.#explain(details)]))
  }

  addProblem(problem: Problem): void {
    this.#hasFailed = true
    this.hasChanged = true
    this.#problems.push(problem)
  }

  addOutput(stream: 'stdout' | 'stderr', text: string): void {
    addOutput(this.suite.output, { stream, text })
  }

  /** A diagnostic belongs to the test just reported, if it names the same place. */
  addDiagnostic(data: EventData, message: string): void {
    const { data: latest, test } = this.#latest ?? {}
    const isOfTest =
      latest?.file === data.file && latest?.line === data.line && latest?.column === data.column
    if (isOfTest && test && addSaid(test, message)) this.hasChanged = true
    else if (isOfTest) test?.annotations?.push({ type: 'diagnostic', description: message })
    else this.#remarks.push(message)
    this.hasChanged = true
  }

  /** Corrects a start that Node reported late. */
  complete(details: EventDetails, toldAtMs: number): void {
    this.suite.startedAtMs = Math.min(this.suite.startedAtMs, Math.round(toldAtMs - readDuration(details)))
    this.#end = details
    this.isComplete = true
    this.hasChanged = true
  }

  conclude(): Suite {
    const { suite } = this
    if (this.isComplete) suite.durationMs = readDuration(this.#end)
    this.#placeTests()
    if (!this.isComplete) {
      suite.startedAtMs = Math.min(suite.startedAtMs, ...suite.tests.map((test) => test.startedAtMs))
      const ended = suite.tests.map(({ startedAtMs, durationMs }) => startedAtMs + durationMs)
      suite.durationMs = Math.max(0, ...ended.map((endMs) => endMs - suite.startedAtMs))
    }
    suite.outcome = this.#hasFailed || this.#end.passed === false ? 'failed' : 'passed'
    suite.problems = [...this.#problems, ...this.#explainFile()]
    const said = readSaidOfFile(path.resolve(this.rootDir, suite.file))
    suite.events = said.events
    suite.attachments = said.attachments
    this.hasChanged = false
    return suite
  }

  /** Node may report a file's tests long after its end. */
  #placeTests(): void {
    const { tests, startedAtMs, durationMs } = this.suite
    const endedAtMs = this.isComplete ? startedAtMs + durationMs : Infinity
    const starts = placeTurns([...this.#turns.values()], endedAtMs)
    for (const test of tests) {
      const turn = this.#turns.get(test)
      const startMs = (turn && starts.get(turn)) ?? test.startedAtMs
      const atMs = Math.min(startMs, endedAtMs - test.durationMs)
      test.startedAtMs = Math.round(this.isComplete ? Math.max(startedAtMs, atMs) : atMs)
      for (const attempt of test.attempts) attempt.startedAtMs = test.startedAtMs
    }
  }

  #add(test: SuiteTest): void {
    this.suite.tests.push(test)
    this.hasChanged = true
  }

  /** What failed the file if no test did, and a process that ended before its tests. */
  #explainFile(): Problem[] {
    const { tests, outcome } = this.suite
    if (outcome === 'passed' || this.#isTest) return []
    const isExplained = this.#problems.length > 0 || tests.some((test) => test.outcome === 'failed')
    if (isExplained && !hasCrashed(this.#end.error)) return []
    return [{ name: 'Test file', errors: [this.#explain(this.#end)] }]
  }

  #explain({ error: failure }: EventDetails): ErrorDetail {
    const printed = this.suite.output.filter(({ stream }) => stream === 'stderr').map(({ text }) => text)
    return mapFileEnd({ failure, stderr: printed.join(''), remarks: this.#remarks, rootDir: this.rootDir })
  }
}

function readDuration({ duration_ms: durationMs = 0 }: EventDetails): number {
  return durationMs
}
