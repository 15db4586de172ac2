import type { Options } from '@runledger/core'
import {
  ChannelFolder,
  HookGuard,
  isDuplicateReporter,
  loadCore,
  printWarning,
  type Core,
} from '@runledger/reporter-kit'
import type {
  JestCaseResult,
  JestCaseStart,
  JestFileResult,
  JestGlobalConfig,
  JestRunResults,
  JestTest,
} from './jest-types'
import { excuseExit } from './excuse-exit'
import { ExecutionRecorder } from './execution-recorder'

let hasToldOfWatch = false

/** Each execution in watch mode makes a reporter, so this prints once a process. */
function warnOfWatch(): void {
  if (!hasToldOfWatch) printWarning('watch mode is not recorded')
  hasToldOfWatch = true
}

/** Forwards Jest's hooks and decides nothing. No hook throws: in Jest that may drop test files or end the process. */
export class RunledgerReporter {
  readonly #guard = new HookGuard()
  readonly #isWatch: boolean
  /** Undefined in watch mode and for a duplicate reporter. */
  readonly #recorder: ExecutionRecorder | undefined
  #completion: Promise<void> | undefined
  #lastError: Error | undefined
  readonly #failureCode: number

  /** Has no side effects: Jest may construct a reporter for an execution that never starts. */
  constructor(
    globalConfig: JestGlobalConfig,
    options: Options = {},
    { load = loadCore }: { load?: () => Core } = {},
  ) {
    this.#isWatch = globalConfig.watch || globalConfig.watchAll
    this.#failureCode = globalConfig.testFailureExitCode ?? 1
    if (this.#isWatch || isDuplicateReporter(globalConfig, options)) return
    const guard = this.#guard
    const channel = new ChannelFolder()
    this.#recorder = new ExecutionRecorder({ globalConfig, options, guard, load, now: Date.now, channel })
  }

  onRunStart(results: JestRunResults): void {
    this.#guard.run(() => this.#recorder?.start(results.startTime))
  }

  onTestFileStart(test: JestTest): void {
    this.#guard.run(() => this.#recorder?.startFile(test))
  }

  onTestCaseStart(test: JestTest, start: JestCaseStart): void {
    this.#guard.run(() => this.#recorder?.addCaseEvent(test, start))
  }

  onTestCaseResult(test: JestTest, result: JestCaseResult): void {
    this.#guard.run(() => this.#recorder?.addCaseEvent(test, result))
  }

  async onTestFileResult(test: JestTest, result: JestFileResult): Promise<void> {
    await this.#guard.runAsync(async () => this.#recorder?.finishFile(test, result))
  }

  /** After a bail, Jest calls this for each file that still ends, and exits when the first call is done. */
  onRunComplete(_contexts: unknown, results: JestRunResults): Promise<void> {
    this.#completion ??= this.#guard.runAsync(async () => {
      if (this.#isWatch) warnOfWatch()
      const result = await this.#recorder?.finish(results)
      if (result?.status === 'failed' && result.failOnUploadError) this.#lastError = result.error
      else if (result?.isExcused) excuseExit(this.#failureCode)
    })
    return this.#completion
  }

  /** Fails the execution; set only with `failOnUploadError`. */
  getLastError(): Error | undefined {
    return this.#lastError
  }
}
