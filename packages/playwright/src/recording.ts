import type { OutputEntry, Problem, Suite } from '@runledger/core'
import { addOutput } from '@runledger/core/link'
import type { FullConfig, FullResult, Suite as PlaywrightSuite, TestCase } from '@playwright/test/reporter'
import type { TestError, TestResult } from '@playwright/test/reporter'
import { AttemptNotes, type NoteClock } from './attempt-notes'
import { isSettled, listFileSuites, type FileSuite } from './file-suites'
import { KeptFiles } from './kept-files'
import { isAnnouncement, mapGlobalErrors, type GlobalError } from './map-global-errors'
import { mapSuite, type SuiteContext } from './map-suite'

/** Where finished suites go. */
export interface RecordingSink {
  prepare(): void
  addSuite(suite: Suite): void
  addProblem(problem: Problem): void
}

export interface RecordingPlan {
  config: FullConfig
  root: PlaywrightSuite
  rootDir: string
  clock: NoteClock
  sink: RecordingSink
  /** How deep Playwright's own steps go on record; 0 by default. */
  stepDepth?: number
}

interface SuiteState {
  fileSuite: FileSuite
  output: OutputEntry[]
  isGiven: boolean
}

/** Follows one execution from its first event to its last and gives away each suite once all of it has run. */
export class Recording {
  readonly #plan: RecordingPlan
  readonly #notes: AttemptNotes
  readonly #files: KeptFiles
  readonly #states: SuiteState[]
  readonly #stateOf = new Map<TestCase, SuiteState>()
  readonly #errors: GlobalError[] = []
  #unplacedOutput: OutputEntry[] = []
  #hasBegun = false
  #hasFailedSuite = false

  constructor(plan: RecordingPlan) {
    this.#plan = plan
    this.#notes = new AttemptNotes(plan.clock)
    this.#files = new KeptFiles(plan.config.preserveOutput)
    const fileSuites = listFileSuites(plan.root, plan.rootDir)
    this.#states = fileSuites.map((fileSuite) => ({ fileSuite, output: [], isGiven: false }))
    for (const state of this.#states) {
      for (const test of state.fileSuite.tests) this.#stateOf.set(test, state)
    }
  }

  /** Something is to be put on record. */
  get hasTests(): boolean {
    return this.#states.length > 0
  }

  beginTest(test: TestCase, result: TestResult): void {
    this.#hasBegun = true
    this.#plan.sink.prepare()
    this.#notes.begin(result)
    this.#placeOutput(this.#stateOf.get(test))
  }

  endStep(test: TestCase, result: TestResult): void {
    const note = this.#notes.read(result)
    if (note && !this.#plan.clock.isReplay) this.#files.keepEarly(test, result, note)
  }

  endTest(test: TestCase, result: TestResult): void {
    const note = this.#notes.end(result)
    // Merged reports have unpacked their files for good.
    if (!this.#plan.clock.isReplay) this.#files.keepAtEnd(test, result, note)
    const state = this.#stateOf.get(test)
    if (state && isSettled(state.fileSuite, this.#notes.read)) this.#give(state)
  }

  write(entry: OutputEntry, result: TestResult | undefined): void {
    const note = result && this.#notes.read(result)
    const timed = this.#plan.clock.isReplay ? entry : { ...entry, atMs: this.#plan.clock.nowMs() }
    addOutput(note?.output ?? this.#unplacedOutput, timed)
  }

  noteError(error: TestError): void {
    this.#errors.push({ error, atMs: this.#plan.clock.nowMs(), isEarly: !this.#hasBegun })
  }

  end(result: FullResult): void {
    const { status } = result
    this.#notes.cutOff(this.#findEnd(result))
    const announcements = this.#errors.map(({ error }) => error).filter(isAnnouncement)
    for (const state of this.#states) this.#give(state, { status, announcements })
    const { config, rootDir, sink, clock } = this.#plan
    const { suites, problems } = mapGlobalErrors(this.#errors, {
      status,
      rootDir,
      globalSetup: config.globalSetup,
      globalTeardown: config.globalTeardown,
      hasFailedSuite: this.#hasFailedSuite,
      atMs: clock.nowMs(),
    })
    for (const suite of suites) sink.addSuite(suite)
    for (const problem of problems) sink.addProblem(problem)
  }

  /** Merged reports are told long after their end, which only their result knows. */
  #findEnd({ startTime, duration }: FullResult): number {
    const { isReplay, nowMs } = this.#plan.clock
    return isReplay ? Math.round(startTime.getTime() + duration) : nowMs()
  }

  /** Removes what was kept for delivery. */
  close(): void {
    this.#files.remove()
  }

  #give(state: SuiteState, end?: SuiteContext['end']): void {
    if (state.isGiven) return
    const suite = mapSuite(state.fileSuite, {
      readNote: this.#notes.read,
      output: state.output,
      ...(this.#plan.stepDepth !== undefined && { stepDepth: this.#plan.stepDepth }),
      ...(end === undefined ? {} : { end }),
    })
    if (suite === undefined) return
    state.isGiven = true
    this.#hasFailedSuite ||= suite.outcome === 'failed'
    this.#plan.sink.addSuite(suite)
  }

  /** A worker loads a file right before that file's first test, so output without a test goes to the next one's file. */
  #placeOutput(state: SuiteState | undefined): void {
    if (state) for (const entry of this.#unplacedOutput) addOutput(state.output, entry)
    this.#unplacedOutput = []
  }
}
