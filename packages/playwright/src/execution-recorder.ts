import type { OutputEntry, Suite } from '@runledger/core'
import { addOutput, createUnmappedSuite, type HookGuard, type LazyExecution } from '@runledger/reporter-kit'
import type {
  FullConfig,
  FullResult,
  Suite as PlaywrightSuite,
  TestCase,
  TestError,
  TestResult,
} from '@playwright/test/reporter'
import { AttemptNotes, type NoteClock } from './attempt-notes'
import { isSettled, listFileSuites, type FileSuite } from './file-suites'
import { KeptFiles } from './kept-files'
import { isAnnouncement, mapGlobalErrors, type GlobalError } from './map-global-errors'
import { describeFile, mapSuite, type SuiteContext } from './map-suite'

export interface RecorderSettings {
  config: FullConfig
  root: PlaywrightSuite
  rootDir: string
  clock: NoteClock
  guard: Pick<HookGuard, 'run' | 'warnOfUnmapped'>
  execution: Pick<LazyExecution, 'prepare' | 'addSuite' | 'addProblem'>
  /** Levels of `test.step` to record; by default, steps of all kinds of failed tests. */
  stepDepth?: number | undefined
}

interface SuiteState {
  fileSuite: FileSuite
  output: OutputEntry[]
  isAdded: boolean
}

/** Each suite goes to core when all of its tests have run. */
export class ExecutionRecorder {
  readonly #settings: RecorderSettings
  readonly #notes: AttemptNotes
  readonly #files: KeptFiles
  readonly #states: SuiteState[]
  readonly #stateOf = new Map<TestCase, SuiteState>()
  readonly #errors: GlobalError[] = []
  /** Output without a test, until the next test starts. */
  #pendingOutput: OutputEntry[] = []
  #hasStarted = false
  #hasFailedSuite = false

  constructor(settings: RecorderSettings) {
    this.#settings = settings
    this.#notes = new AttemptNotes(settings.clock)
    this.#files = new KeptFiles(settings.config.preserveOutput)
    const fileSuites = listFileSuites(settings.root, settings.rootDir)
    this.#states = fileSuites.map((fileSuite) => ({ fileSuite, output: [], isAdded: false }))
    for (const state of this.#states) for (const test of state.fileSuite.tests) this.#stateOf.set(test, state)
  }

  get errorCount(): number {
    return this.#errors.length
  }

  get hasTests(): boolean {
    return this.#states.length > 0
  }

  beginTest(test: TestCase, result: TestResult): void {
    this.#hasStarted = true
    this.#settings.execution.prepare()
    this.#notes.begin(result)
    this.#assignPendingOutput(this.#stateOf.get(test))
  }

  endStep(test: TestCase, result: TestResult): void {
    const note = this.#notes.read(result)
    if (note && !this.#settings.clock.isReplay) this.#files.keepEarly(test, result, note)
  }

  endTest(test: TestCase, result: TestResult): void {
    const note = this.#notes.end(result)
    // Merged reports have unpacked their files permanently.
    if (!this.#settings.clock.isReplay) this.#files.keepAtEnd(test, result, note)
    const state = this.#stateOf.get(test)
    if (state && isSettled(state.fileSuite, this.#notes.read)) this.#addSuite(state)
  }

  addOutput(entry: OutputEntry, result: TestResult | undefined): void {
    const note = result && this.#notes.read(result)
    const timed = this.#settings.clock.isReplay ? entry : { ...entry, atMs: this.#settings.clock.nowMs() }
    addOutput(note?.output ?? this.#pendingOutput, timed)
  }

  addError(error: TestError): void {
    this.#errors.push({ error, atMs: this.#settings.clock.nowMs(), isEarly: !this.#hasStarted })
  }

  end(result: FullResult): void {
    const { status } = result
    this.#notes.endAll(this.#findEnd(result))
    const announcements = this.#errors.map(({ error }) => error).filter(isAnnouncement)
    const { config, rootDir, execution, clock, guard } = this.#settings
    for (const state of this.#states) guard.run(() => this.#addSuite(state, { status, announcements }))
    const { suites, problems } = mapGlobalErrors(this.#errors, {
      status,
      rootDir,
      globalSetup: config.globalSetup,
      globalTeardown: config.globalTeardown,
      hasFailedSuite: this.#hasFailedSuite,
      atMs: clock.nowMs(),
    })
    for (const suite of suites) execution.addSuite(suite)
    for (const problem of problems) execution.addProblem(problem)
  }

  /** Removes the kept files after delivery. */
  close(): void {
    this.#files.remove()
  }

  /** A merged report's end follows from its result, because it is replayed later. */
  #findEnd({ startTime, duration }: FullResult): number {
    const { isReplay, nowMs } = this.#settings.clock
    return isReplay ? Math.round(startTime.getTime() + duration) : nowMs()
  }

  #addSuite(state: SuiteState, end?: SuiteContext['end']): void {
    if (state.isAdded) return
    const suite = this.#mapSuite(state, end)
    if (suite === undefined) return
    state.isAdded = true
    this.#hasFailedSuite ||= suite.outcome === 'failed'
    this.#settings.execution.addSuite(suite)
  }

  #mapSuite({ fileSuite, output }: SuiteState, end: SuiteContext['end']): Suite | undefined {
    const { stepDepth, guard, clock, rootDir } = this.#settings
    try {
      return mapSuite(fileSuite, { readNote: this.#notes.read, output, stepDepth, rootDir, end })
    } catch (error) {
      guard.warnOfUnmapped(fileSuite.file, error)
      const context = { nowMs: clock.nowMs(), end, readNote: this.#notes.read }
      const hasRun = fileSuite.tests.some((test) => test.outcome() !== 'skipped')
      return createUnmappedSuite(describeFile(fileSuite, context), hasRun, error)
    }
  }

  /** A worker loads a file right before its first test, so output without a test belongs to the next test's file. */
  #assignPendingOutput(state: SuiteState | undefined): void {
    if (state) for (const entry of this.#pendingOutput) addOutput(state.output, entry)
    this.#pendingOutput = []
  }
}
