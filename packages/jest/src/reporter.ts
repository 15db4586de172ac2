import type { Options } from '@runledger/core'
import { ChannelFolder, isRepetition, messageOf, tellUser, type CoreLoader } from '@runledger/core/link'
import type {
  JestCaseResult,
  JestCaseStart,
  JestFileResult,
  JestGlobalConfig,
  JestRunResults,
  JestTest,
} from './jest-types'
import { Recording } from './recording'

const DONE = Promise.resolve()

/**
 * Jest's hooks. They forward and decide nothing, and nothing that goes wrong here reaches Jest: a throw in a hook
 * can drop test files from an execution or end the process.
 */
export class RunledgerReporter {
  /** Undefined in watch mode, which is not put on record, and for a reporter that is listed twice. */
  readonly #recording: Recording | undefined
  readonly #told: Recording['told'] | undefined
  #completion: Promise<void> | undefined
  #lastError: Error | undefined
  #hasToldDefect = false

  /** Keeps what it is given and nothing else: Jest may construct a reporter for an execution that never starts. */
  constructor(globalConfig: JestGlobalConfig, options: Options = {}) {
    if (globalConfig.watch || globalConfig.watchAll || isRepetition(globalConfig, options)) return
    // Only now that tests run: the process that loads the configuration pays nothing for core.
    const loadCore: CoreLoader = () => import('@runledger/core')
    const channel = new ChannelFolder()
    this.#recording = new Recording(globalConfig, options, { loadCore, now: Date.now, channel })
    this.#told = this.#recording.told
  }

  onRunStart(results: JestRunResults): void {
    this.#attempt(() => this.#recording?.start(results.startTime))
  }

  onTestFileStart(test: JestTest): void {
    this.#attempt(() => this.#recording?.startFile(test))
  }

  // These two are called for every test: one call each, no closure, nor a promise for Jest to make of nothing.
  onTestCaseStart(test: JestTest, start: JestCaseStart): Promise<void> {
    try {
      this.#told?.get(test.path)?.push(start)
    } catch (error) {
      this.#tellDefect(error)
    }
    return DONE
  }

  onTestCaseResult(test: JestTest, result: JestCaseResult): Promise<void> {
    try {
      this.#told?.get(test.path)?.push(result)
    } catch (error) {
      this.#tellDefect(error)
    }
    return DONE
  }

  async onTestFileResult(test: JestTest, result: JestFileResult, results?: JestRunResults): Promise<void> {
    const files = results?.numTotalTestSuites
    await this.#attemptAsync(async () => this.#recording?.finishFile(test, result, files))
  }

  /** With bail Jest calls this once for each file that still ends, and exits when the first call is done. */
  onRunComplete(_contexts: unknown, results: JestRunResults): Promise<void> {
    this.#completion ??= this.#attemptAsync(async () => {
      const result = await this.#recording?.finish(results)
      if (result?.status === 'failed' && result.failOnUploadError) this.#lastError = result.error
    })
    return this.#completion
  }

  /** Jest's way for a reporter to fail an execution; only when the user asked for it with `failOnUploadError`. */
  getLastError(): Error | undefined {
    return this.#lastError
  }

  #attempt(action: () => void): void {
    try {
      action()
    } catch (error) {
      this.#tellDefect(error)
    }
  }

  async #attemptAsync(action: () => Promise<void>): Promise<void> {
    try {
      await action()
    } catch (error) {
      this.#tellDefect(error)
    }
  }

  #tellDefect(error: unknown): void {
    if (this.#hasToldDefect) return
    this.#hasToldDefect = true
    tellUser(`the record of this execution is incomplete: ${messageOf(error)}`)
  }
}
