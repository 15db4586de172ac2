import { isDeepStrictEqual } from 'node:util'
import type { ExecutionFacts, ExecutionResult, FrameworkEnd, Options, Problem, Suite } from '@runledger/core'
import {
  ChannelFolder,
  createUnmappedSuite,
  LazyExecution,
  type Core,
  type HookGuard,
  type SuiteFacts,
} from '@runledger/reporter-kit'
import type { SerializedError, TestModule, TestRunEndReason, Vitest } from 'vitest/node'
import { describeEnd } from './describe-end'
import { excuseExitCode } from './excuse-exit-code'
import { mapUnexplainedFailure } from './map-execution'
import { describeModule, mapModule } from './map-module'
import { mapIgnored, mapUnhandled } from './map-unhandled'
import { assignUnstarted, mapUnstarted, readPlannedFiles, type PlannedFile } from './map-unstarted'
import { LiveNotes } from './module-notes'

export interface RecorderSettings {
  vitest: Vitest
  options: Options
  guard: HookGuard
  specifications: readonly unknown[]
  load: () => Core
  now: () => number
}

export interface ExecutionEnd {
  modules: readonly TestModule[]
  unhandledErrors: readonly SerializedError[]
  reason: TestRunEndReason
}

/** Each module goes to core when it has ended, and again if it changed later. */
export class ExecutionRecorder {
  readonly notes: LiveNotes
  readonly #settings: RecorderSettings
  readonly #startedAtMs: number
  readonly #exitCodeBefore = process.exitCode
  /** Vitest sets its exit code after the last module, so an earlier one is that of something else. */
  #hasEarlyExitCode = false
  readonly #suites = new Map<TestModule, Suite>()
  /** By id: Vitest 3 has another object for a queued module. */
  readonly #running = new Map<string, TestModule>()
  readonly #execution: LazyExecution
  readonly #channel = new ChannelFolder()
  #hasUnstarted = false

  constructor(settings: RecorderSettings) {
    this.#settings = settings
    // Vitest starts its workers later, so they inherit the channel's variable. Merged blobs have no workers.
    const folder = settings.vitest.config.mergeReports ? undefined : this.#channel.open()
    this.notes = new LiveNotes(settings.now, folder)
    this.#startedAtMs = settings.now()
    const { load, options, guard } = settings
    this.#execution = new LazyExecution({ load, options, guard, facts: () => this.#gatherFacts() })
    // Early, because the user's global set-up may change the environment variables of options.
    this.#execution.prepare()
    // Before Vitest 3's own listener, which ends the process at once.
    process.prependOnceListener('exit', this.#keepUnfinished)
  }

  startModule(testModule: TestModule): void {
    this.#running.set(testModule.id, testModule)
    this.notes.startModule(testModule.id)
  }

  /**
   * Vitest exits at Ctrl+C and after internal errors without calling reporters. What is added now is written before this
   * returns, and waits in the spool.
   */
  readonly #keepUnfinished = (): void => {
    for (const testModule of this.#running.values())
      this.#settings.guard.run(() => this.#addSuite(testModule))
  }

  /** Vitest awaits this hook, so even a kill does not lose a module that has ended. */
  async endModule(testModule: TestModule): Promise<void> {
    this.#running.delete(testModule.id)
    this.#hasEarlyExitCode ||= isFailing(process.exitCode)
    this.notes.endModule(testModule.id)
    this.#addSuite(testModule)
    await this.#execution.settled()
  }

  /** The result of the delivery; undefined if there was nothing to deliver. */
  async finish(end: ExecutionEnd): Promise<ExecutionResult | undefined> {
    process.off('exit', this.#keepUnfinished)
    this.#settings.guard.run(() => this.#addLast(end))
    const described = this.#describeEnd(end)
    const result = await excuseExitCode(() => this.#execution.finish(described))
    this.#channel.remove()
    return result
  }

  /** Undefined if the failure may be older than the execution, or a defect of ours hides it: then nothing is excused. */
  #describeEnd(end: ExecutionEnd): FrameworkEnd | undefined {
    const { vitest, specifications, guard } = this.#settings
    let described: FrameworkEnd | undefined
    guard.run(() => {
      const [specificationCount, { exitCode }] = [specifications.length, process]
      const { config, version } = vitest
      described = describeEnd({ ...end, version, config, specificationCount, exitCode })
    })
    return isFailing(this.#exitCodeBefore) || this.#hasEarlyExitCode ? undefined : described
  }

  #addLast(end: ExecutionEnd): void {
    const problems = this.#addAll(end)
    for (const problem of problems) this.#execution.addProblem(problem)
    const unexplained = this.#findUnexplained(end, problems.length)
    if (unexplained) this.#execution.addProblem(unexplained)
  }

  /** Adds all modules in their final state, with late output and unhandled errors; returns problems without a module. */
  #addAll({ modules, unhandledErrors }: ExecutionEnd): Problem[] {
    const { config } = this.#settings.vitest
    const unstarted = assignUnstarted(unhandledErrors, this.#listUnstarted(modules))
    const unhandled = mapUnhandled(unstarted.others, modules, config.root)
    for (const testModule of modules) {
      this.#settings.guard.run(() => {
        if (hasStarted(testModule) || this.notes.readTimes(testModule.id))
          this.#addSuite(testModule, unhandled.byModule.get(testModule))
      })
    }
    if (config.dangerouslyIgnoreUnhandledErrors) return []
    for (const [file, errors] of unstarted.errors) this.#addUnstarted(file, errors)
    return unhandled.ofExecution
  }

  /** Files that no worker began: Vitest 3 has modules for them, later versions have none. */
  #listUnstarted(modules: readonly TestModule[]): PlannedFile[] {
    const started = [...this.#suites.keys(), ...modules.filter(hasStarted)]
    return readPlannedFiles(this.#settings.specifications).filter(
      ({ moduleId, project }) =>
        !started.some((each) => each.moduleId === moduleId && each.project.name === project),
    )
  }

  #addUnstarted(file: PlannedFile, errors: readonly unknown[]): void {
    const context = { rootDir: this.#settings.vitest.config.root, startedAtMs: this.#startedAtMs }
    this.#hasUnstarted = true
    this.#execution.addSuite(mapUnstarted(file, errors, context))
  }

  /** A changed suite keeps its object, so that core replaces the first version. Masked suites always compare as changed. */
  #addSuite(testModule: TestModule, unhandled: readonly Problem[] = []): void {
    const { config } = this.#settings.vitest
    const suite = this.#mapModule(testModule)
    if (config.dangerouslyIgnoreUnhandledErrors) suite.output.push(...mapIgnored(unhandled))
    else addProblems(suite, unhandled)
    const known = this.#suites.get(testModule)
    if (known && isDeepStrictEqual(known, suite)) return
    const added = known ? Object.assign(known, suite) : suite
    this.#suites.set(testModule, added)
    this.#execution.addSuite(added)
  }

  #mapModule(testModule: TestModule): Suite {
    const { vitest, guard } = this.#settings
    const context = {
      rootDir: vitest.config.root,
      notes: this.notes,
      executionStartedAtMs: this.#startedAtMs,
      isReplay: Boolean(vitest.config.mergeReports),
    }
    try {
      return mapModule(testModule, context)
    } catch (error) {
      const facts = describeModule(testModule, context)
      const known = this.#suites.get(testModule)
      if (known) return keepTests(known, facts)
      guard.warnOfUnmapped(testModule.moduleId, error)
      return createUnmappedSuite(facts, testModule.state() !== 'skipped', error)
    }
  }

  #findUnexplained({ modules, reason }: ExecutionEnd, problemCount: number): Problem | undefined {
    const hasFailedSuite = [...this.#suites.values()].some(({ outcome }) => outcome === 'failed')
    return mapUnexplainedFailure({
      reason,
      hasFailingExitCode: isFailing(process.exitCode) && !isFailing(this.#exitCodeBefore),
      specificationCount: this.#settings.specifications.length,
      moduleCount: modules.length,
      isExplained: problemCount > 0 || hasFailedSuite || this.#hasUnstarted,
    })
  }

  #gatherFacts(): ExecutionFacts {
    const { config, version } = this.#settings.vitest
    const { shard } = config
    return {
      framework: 'vitest',
      frameworkVersion: version,
      rootDir: config.root,
      startedAtMs: this.#startedAtMs,
      shard: shard ? `${shard.index}/${shard.count}` : undefined,
    }
  }
}

/** A module that was mapped at its end keeps that. */
function keepTests(known: Suite, { outcome }: SuiteFacts): Suite {
  const { problems, output } = known
  return {
    ...known,
    outcome: outcome === 'failed' ? 'failed' : known.outcome,
    problems: [...problems],
    output: [...output],
  }
}

/** Vitest's final list includes modules that never started, pending and without tests. */
function hasStarted(testModule: TestModule): boolean {
  const state = testModule.state()
  return state !== 'pending' && state !== 'queued'
}

function addProblems(suite: Suite, problems: readonly Problem[]): void {
  if (problems.length === 0) return
  suite.outcome = 'failed'
  suite.problems.push(...problems.map((problem) => ({ ...problem, atMs: suite.startedAtMs })))
}

function isFailing(exitCode: number | string | null | undefined): boolean {
  return Number(exitCode ?? 0) !== 0
}
