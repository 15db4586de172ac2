import { createRequire } from 'node:module'
import type { Options } from '@runledger/core'
import { isRepetition, messageOf, tellUser, type Core, type CoreLoader } from '@runledger/core/link'
import type { Reporter, SerializedError, TestModule, TestRunEndReason, Vitest } from 'vitest/node'
import type { TestAnnotation, TestArtifact, TestCase, UserConsoleLog } from './framework-types'
import { Recording } from './recording'

/** Its CJS build is two files, which load in half the time that the many of the other take. */
const loadCore = async (): Promise<Core> => createRequire(import.meta.url)('@runledger/core') as Core

/**
 * Vitest reporter that puts every test module on record as a run. It forwards Vitest's hooks to a recording and
 * decides nothing; no hook throws or leaves a rejected promise behind (framework facts §5.9, §5.10).
 */
export class RunledgerReporter implements Reporter {
  readonly #options: Options
  #vitest: Vitest | undefined
  #recording: Recording | undefined

  /** Does nothing but keep the options: `vitest list` constructs reporters too. Tests pass another core and clock. */
  constructor(
    options?: Options,
    private readonly load: CoreLoader = loadCore,
    private readonly now: () => number = Date.now,
  ) {
    this.#options = options ?? {}
  }

  onInit(vitest: Vitest): void {
    if (!isRepetition(vitest, this.#options)) this.#vitest = vitest
  }

  onTestRunStart(specifications: readonly unknown[]): void {
    this.#guard(() => {
      this.#recording = this.#begin(specifications.length)
    })
  }

  onTestModuleQueued(testModule: TestModule): void {
    this.#guard(() => this.#recording?.noteModule(testModule))
  }

  onTestModuleCollected(testModule: TestModule): void {
    this.#guard(() => this.#recording?.noteModule(testModule))
  }

  onTestModuleStart(testModule: TestModule): void {
    this.#guard(() => this.#recording?.noteModule(testModule))
  }

  onTestCaseAnnotate(testCase: TestCase, annotation: TestAnnotation): void {
    this.#guard(() => this.#recording?.noteAttachment(testCase, annotation))
  }

  onTestCaseArtifactRecord(testCase: TestCase, artifact: TestArtifact): void {
    this.#guard(() => this.#recording?.noteAttachment(testCase, artifact))
  }

  onUserConsoleLog(log: UserConsoleLog): void {
    this.#guard(() => this.#recording?.noteOutput(log))
  }

  async onTestModuleEnd(testModule: TestModule): Promise<void> {
    const recording = this.#recording
    await recording?.endModule(testModule).catch((error: unknown) => recording.noteTrouble(error))
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): Promise<void> {
    const recording = this.#recording
    this.#recording = undefined
    if (!recording) return
    try {
      const hasFailed = await recording.finish({ modules, unhandledErrors, reason })
      // Vitest sets the exit code before this hook, so throwing here would only add a reporter error.
      if (hasFailed) process.exitCode = 1
    } catch (error) {
      tellUser(`the execution could not be recorded: ${messageOf(error)}`)
    }
  }

  #begin(specificationCount: number): Recording | undefined {
    const vitest = this.#vitest
    if (!vitest || !recordsThis(vitest)) return undefined
    const { load, now } = this
    return new Recording({ vitest, options: this.#options, specificationCount, load, now })
  }

  #guard(hook: () => void): void {
    try {
      hook()
    } catch (error) {
      this.#recording?.noteTrouble(error)
    }
  }
}

/** Watch mode and benchmarks are not recorded (framework facts §1). */
function recordsThis(vitest: Vitest): boolean {
  return !vitest.config.watch && !isBenchmark(vitest)
}

// `vitest bench` is a mode of its own up to Vitest 4; Vitest 5 leaves only the projects' benchmark variants.
function isBenchmark({ mode, projects }: Vitest): boolean {
  if ((mode as string | undefined) === 'benchmark') return true
  return (
    projects.length > 0 &&
    projects.every(({ config }) => (config.benchmark as { enabled?: boolean } | undefined)?.enabled === true)
  )
}
