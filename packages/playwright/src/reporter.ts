import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { ExecutionFacts, OutputEntry } from '@runledger/core'
import {
  announceListener,
  CoreLink,
  isRepetition,
  messageOf,
  tellUser,
  type Core,
} from '@runledger/core/link'
import type {
  FullConfig,
  FullResult,
  Reporter,
  Suite as PlaywrightSuite,
  TestCase,
  TestError,
  TestResult,
} from '@playwright/test/reporter'
import { readStepDepth, type Options } from './options'
import { OutputText } from './output-text'
import { derivePurpose, dropFrameworkOptions, type FrameworkOptions, type Purpose } from './purpose'
import { Recording } from './recording'

// Taken before a global set-up, which runs in this process, can mock it.
const readClock = Date.now

/** When core is loaded, in milliseconds: the first worker is on its way then, and takes longer than that. */
const LOADING_MS = 20

/** At once: Playwright waits for no hook, and its worker may be done with a suite while a promise is pending. */
const loadCore = (): Core => createRequire(import.meta.url)('@runledger/core') as Core

/** Playwright Test reporter: puts every test file of an execution on record as a run. */
export class RunledgerReporter implements Reporter {
  readonly #options: Options & FrameworkOptions
  readonly #purpose: Purpose
  readonly #outputText = new OutputText()
  #recording: Recording | undefined
  #core: CoreLink | undefined
  #hasWarned = false

  constructor(options: Options & FrameworkOptions = {}) {
    this.#options = options
    this.#purpose = derivePurpose(options, process.argv)
  }

  printsToStdio(): boolean {
    return false
  }

  onBegin(config: FullConfig, root: PlaywrightSuite): void {
    this.#guard(() => {
      if (this.#purpose === 'nothing' || isRepetition(root, this.#options)) return
      const rootDir = this.#findRootDir(config)
      const facts = mapFacts(config, rootDir)
      const sink = new CoreLink({
        load: loadCore,
        facts: () => facts,
        options: dropFrameworkOptions(this.#options),
        warn: this.#warn,
      })
      const clock = { nowMs: readClock, isReplay: this.#purpose === 'merge' }
      // Before the first worker starts.
      announceListener()
      this.#core = sink
      const stepDepth = this.#readStepDepth()
      this.#recording = new Recording({ config, root, rootDir, clock, sink, stepDepth })
      if (this.#recording.hasTests) setTimeout(() => sink.prepare(), LOADING_MS).unref()
    })
  }

  onTestBegin(test: TestCase, result: TestResult): void {
    this.#guard(() => this.#recording?.beginTest(test, result))
  }

  onStepEnd(test: TestCase, result: TestResult): void {
    this.#guard(() => this.#recording?.endStep(test, result))
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    this.#guard(() => this.#recording?.endTest(test, result))
  }

  onStdOut(chunk: string | Buffer, _test: TestCase | void, result: TestResult | void): void {
    this.#guard(() => this.#write('stdout', chunk, result ?? undefined))
  }

  onStdErr(chunk: string | Buffer, _test: TestCase | void, result: TestResult | void): void {
    this.#guard(() => this.#write('stderr', chunk, result ?? undefined))
  }

  onError(error: TestError): void {
    this.#guard(() => this.#recording?.noteError(error))
  }

  async onEnd(result: FullResult): Promise<{ status: 'failed' } | undefined> {
    this.#guard(() => this.#recording?.end(result))
    const delivery = await this.#core?.finish()
    this.#guard(() => this.#recording?.close())
    return delivery?.status === 'failed' && delivery.failOnUploadError ? { status: 'failed' } : undefined
  }

  #write(stream: OutputEntry['stream'], chunk: string | Buffer, result: TestResult | undefined): void {
    const text = this.#outputText.read(chunk, stream, result)
    if (text !== '') this.#recording?.write({ stream, text }, result)
  }

  /** A depth that is none is told, and costs nothing else. */
  #readStepDepth(): number {
    try {
      return readStepDepth(this.#options)
    } catch (error) {
      this.#warn(messageOf(error))
      return 0
    }
  }

  /** The config's folder; `rootDir` is the tests' folder. */
  #findRootDir(config: FullConfig): string {
    if (config.configFile) return path.dirname(config.configFile)
    return this.#options.configDir ?? config.rootDir
  }

  /** Playwright 1.65 fails the execution when a reporter throws, earlier ones lose the event: neither may happen. */
  #guard(action: () => void): void {
    try {
      action()
    } catch (error) {
      this.#warn(`part of this execution is not on record: ${messageOf(error)}`)
    }
  }

  readonly #warn = (line: string): void => {
    if (this.#hasWarned) return
    this.#hasWarned = true
    tellUser(line.split('\n', 1)[0] ?? '')
  }
}

function mapFacts({ version, shard }: FullConfig, rootDir: string): ExecutionFacts {
  return {
    framework: 'playwright',
    frameworkVersion: version,
    // Merged reports may come from another machine, where the project lay elsewhere.
    rootDir: existsSync(rootDir) ? rootDir : process.cwd(),
    startedAtMs: readClock(),
    waitsForNobody: true,
    ...(shard ? { shard: `${shard.current}/${shard.total}` } : {}),
  }
}
