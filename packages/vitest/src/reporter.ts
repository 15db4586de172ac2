import type { Options } from '@runledger/core'
import { HookGuard, isDuplicateReporter, loadCore } from '@runledger/reporter-kit'
import type { Reporter, SerializedError, TestModule, TestRunEndReason, Vitest } from 'vitest/node'
import type { TestAnnotation, TestArtifact, TestCase, UserConsoleLog } from './framework-types'
import { ExecutionRecorder } from './execution-recorder'

/** Forwards Vitest's hooks to a recorder and decides nothing. No hook throws or leaves a rejected promise. */
export class RunledgerReporter implements Reporter {
  readonly #guard = new HookGuard()
  #vitest: Vitest | undefined
  #recorder: ExecutionRecorder | undefined

  /** Has no side effects: `vitest list` constructs reporters too. */
  constructor(
    private readonly options: Options = {},
    private readonly load = loadCore,
    private readonly now: () => number = Date.now,
  ) {}

  onInit(vitest: Vitest): void {
    this.#guard.run(() => {
      if (!isDuplicateReporter(vitest, this.options)) this.#vitest = vitest
    })
  }

  onTestRunStart(specifications: readonly unknown[]): void {
    this.#guard.run(() => {
      this.#recorder = this.#createRecorder(specifications)
    })
  }

  onTestModuleQueued(testModule: TestModule): void {
    this.#guard.run(() => this.#recorder?.startModule(testModule))
  }

  onTestModuleCollected(testModule: TestModule): void {
    this.#guard.run(() => this.#recorder?.startModule(testModule))
  }

  onTestModuleStart(testModule: TestModule): void {
    this.#guard.run(() => this.#recorder?.startModule(testModule))
  }

  onTestCaseAnnotate(testCase: TestCase, annotation: TestAnnotation): void {
    this.#guard.run(() => this.#recorder?.notes.addRecorded(testCase, annotation))
  }

  onTestCaseArtifactRecord(testCase: TestCase, artifact: TestArtifact): void {
    this.#guard.run(() => this.#recorder?.notes.addRecorded(testCase, artifact))
  }

  onUserConsoleLog(log: UserConsoleLog): void {
    this.#guard.run(() => this.#recorder?.notes.addOutput(log))
  }

  async onTestModuleEnd(testModule: TestModule): Promise<void> {
    await this.#guard.runAsync(async () => this.#recorder?.endModule(testModule))
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): Promise<void> {
    const recorder = this.#recorder
    this.#recorder = undefined
    if (this.#vitest?.config.watch) this.#guard.warn('watch mode is not recorded')
    const end = { modules, unhandledErrors, reason }
    const result = await this.#guard.runAsync(async () => recorder?.finish(end))
    // Vitest has set the exit code already, so throwing would only add a reporter error. It sets the code of what fails later only if
    // there is none.
    if (result?.status === 'failed' && result.failOnUploadError) process.exitCode = 1
  }

  #createRecorder(specifications: readonly unknown[]): ExecutionRecorder | undefined {
    const vitest = this.#vitest
    if (!vitest || !isRecorded(vitest)) return undefined
    const { options, load, now } = this
    return new ExecutionRecorder({ vitest, options, guard: this.#guard, specifications, load, now })
  }
}

/** Watch mode and benchmarks are not recorded. */
function isRecorded(vitest: Vitest): boolean {
  return !vitest.config.watch && !isBenchmark(vitest)
}

// `vitest bench` is a mode up to Vitest 4; in Vitest 5 only benchmark projects are left.
function isBenchmark({ mode, projects }: Vitest): boolean {
  if ((mode as string | undefined) === 'benchmark') return true
  return (
    projects.length > 0 &&
    projects.every(({ config }) => (config.benchmark as { enabled?: boolean } | undefined)?.enabled === true)
  )
}
