import { isDeepStrictEqual } from 'node:util'
import type { ExecutionFacts, Options, Problem, Suite } from '@runledger/core'
import { ChannelFolder, CoreLink, messageOf, tellUser, type CoreLoader } from '@runledger/core/link'
import type { SerializedError, TestModule, TestRunEndReason, Vitest } from 'vitest/node'
import type { TestAnnotation, TestArtifact, TestCase, UserConsoleLog } from './framework-types'
import { mapUnexplainedFailure } from './map-execution'
import { mapModule } from './map-module'
import { mapIgnored, mapUnhandled } from './map-unhandled'
import { isSameState, readModuleState, type ModuleState } from './module-state'
import { LiveNotes } from './module-notes'

export interface RecordingSetup {
  vitest: Vitest
  options: Options
  /** Test files that Vitest had found when the execution began. */
  specificationCount: number
  load: CoreLoader
  /** The real clock, in milliseconds since the Unix epoch. */
  now: () => number
}

export interface ExecutionEnd {
  modules: readonly TestModule[]
  unhandledErrors: readonly SerializedError[]
  reason: TestRunEndReason
}

/** A suite that core has, and what Vitest knew of its module then. */
interface GivenSuite {
  suite: Suite
  state: ModuleState
}

/** One execution on its way to the record: gives core each suite as its module ends, and the rest at the end. */
export class Recording {
  readonly #setup: RecordingSetup
  readonly #notes: LiveNotes
  readonly #startedAtMs: number
  readonly #exitCodeBefore = process.exitCode
  readonly #suites = new Map<TestModule, GivenSuite>()
  readonly #core: CoreLink
  readonly #channel = new ChannelFolder()
  #isEnding = false
  #trouble: unknown

  constructor(setup: RecordingSetup) {
    this.#setup = setup
    // Vitest starts its workers after this: they know the channel.
    this.#notes = new LiveNotes(setup.now, this.#channel.open())
    this.#startedAtMs = setup.now()
    const { load, options } = setup
    this.#core = new CoreLink({ load, options, facts: () => this.#gatherFacts() })
    // Now, not later: the user's global set-up, which follows, may change the environment that options are read from.
    this.#core.prepare()
  }

  noteModule(testModule: TestModule): void {
    this.#notes.clock.note(testModule.id)
  }

  noteAttachment(testCase: TestCase, recorded: TestAnnotation | TestArtifact): void {
    this.#notes.addRecorded(testCase, recorded)
  }

  noteOutput(log: UserConsoleLog): void {
    this.#notes.addOutput(log)
  }

  /** Keeps the first error of our own, told in one line at the end. */
  noteTrouble(error: unknown): void {
    this.#trouble ??= error
  }

  /** Vitest waits for its hook, so a module that it calls finished is safe even from a kill. */
  async endModule(testModule: TestModule): Promise<void> {
    this.#notes.clock.end(testModule.id)
    this.#addSuite(testModule)
    // Asked now: while this waits for the disk, other modules end.
    const isLast = this.#suites.size === this.#setup.specificationCount
    await this.#core.settled()
    if (isLast && !this.#isEnding) this.#core.prepareEnd()
  }

  /** Delivers everything; true when the user asked for a failed delivery to fail the execution and it did fail. */
  async finish(end: ExecutionEnd): Promise<boolean> {
    this.#isEnding = true
    const problems = this.#addAll(end)
    for (const problem of problems) this.#core.addProblem(problem)
    const unexplained = this.#findUnexplained(end, problems.length)
    if (unexplained) this.#core.addProblem(unexplained)
    const result = await this.#core.finish()
    this.#channel.remove()
    this.#tellTrouble()
    return result?.status === 'failed' && result.failOnUploadError
  }

  /** Adds all modules in their final state and answers the problems of none: late output and unhandled errors come now. */
  #addAll({ modules, unhandledErrors }: ExecutionEnd): Problem[] {
    const { config } = this.#setup.vitest
    const unhandled = mapUnhandled(unhandledErrors, modules, config.root)
    for (const testModule of modules) {
      if (!hasBegun(testModule) && !this.#notes.readTimes(testModule.id)) continue
      try {
        const problems = unhandled.byModule.get(testModule) ?? []
        if (problems.length === 0 && this.#isUpToDate(testModule)) continue
        this.#addSuite(testModule, (suite) => {
          if (config.dangerouslyIgnoreUnhandledErrors) suite.output.push(...mapIgnored(problems))
          else addProblems(suite, problems)
        })
      } catch (error) {
        this.noteTrouble(error)
      }
    }
    return config.dangerouslyIgnoreUnhandledErrors ? [] : unhandled.ofExecution
  }

  /** Most modules are as they were when they ended, and mapping them again would cost as much as the first time. */
  #isUpToDate(testModule: TestModule): boolean {
    const given = this.#suites.get(testModule)
    return given !== undefined && isSameState(given.state, readModuleState(testModule, this.#notes))
  }

  /** Core keeps the suite it was given, so one that has changed since is written over the first. */
  #addSuite(testModule: TestModule, complete: (suite: Suite) => void = () => undefined): void {
    const state = readModuleState(testModule, this.#notes)
    const suite = mapModule(testModule, {
      rootDir: this.#setup.vitest.config.root,
      notes: this.#notes,
      executionStartedAtMs: this.#startedAtMs,
      isReplay: Boolean(this.#setup.vitest.config.mergeReports),
    })
    complete(suite)
    const given = this.#suites.get(testModule)?.suite
    if (given && isDeepStrictEqual(given, suite)) return
    const added = given ? Object.assign(given, suite) : suite
    this.#suites.set(testModule, { suite: added, state })
    this.#core.addSuite(added)
  }

  #findUnexplained({ modules, reason }: ExecutionEnd, problemCount: number) {
    return mapUnexplainedFailure({
      reason,
      hasFailingExitCode: isFailing(process.exitCode) && !isFailing(this.#exitCodeBefore),
      specificationCount: this.#setup.specificationCount,
      moduleCount: modules.length,
      isExplained:
        problemCount > 0 || [...this.#suites.values()].some(({ suite }) => suite.outcome === 'failed'),
    })
  }

  #gatherFacts(): ExecutionFacts {
    const { config, version } = this.#setup.vitest
    const { shard } = config
    return {
      framework: 'vitest',
      frameworkVersion: version,
      rootDir: config.root,
      startedAtMs: this.#startedAtMs,
      shard: shard ? `${shard.index}/${shard.count}` : undefined,
    }
  }

  #tellTrouble(): void {
    if (this.#trouble === undefined) return
    tellUser(`a part of this execution could not be recorded: ${messageOf(this.#trouble)}`)
  }
}

/** A module that never began is listed at the end all the same, pending and without tests (framework facts §3.2). */
function hasBegun(testModule: TestModule): boolean {
  const state = testModule.state()
  return state !== 'pending' && state !== 'queued'
}

function addProblems(suite: Suite, problems: readonly Problem[]): void {
  if (problems.length === 0) return
  suite.outcome = 'failed'
  suite.problems.push(...problems.map((problem) => ({ ...problem, atMs: suite.startedAtMs })))
}

function isFailing(exitCode: number | string | null | undefined): boolean {
  return exitCode !== undefined && exitCode !== null && Number(exitCode) !== 0
}
