import { existsSync } from 'node:fs'
import path from 'node:path'
import type { ExecutionFacts, FrameworkEnd, OutputEntry } from '@runledger/core'
import {
  LazyExecution,
  HookGuard,
  isDuplicateReporter,
  loadCore,
  printWarning,
  takeShard,
} from '@runledger/reporter-kit'
import type {
  FullConfig,
  FullResult,
  Reporter,
  Suite as PlaywrightSuite,
  TestCase,
  TestError,
  TestResult,
} from '@playwright/test/reporter'
import { announceListener } from './channel'
import {
  derivePurpose,
  resolveStepDepth,
  selectCoreOptions,
  type FrameworkOptions,
  type Options,
  type Purpose,
} from './options'
import { OutputText } from './decode-output'
import { describeEnd } from './describe-end'
import { ExecutionRecorder } from './execution-recorder'
import { planShard, type Unsharded } from './plan-shard'

// Taken before a global set-up in this process can mock it.
const readClock = Date.now

/**
 * Core is loaded while the first worker starts. Later, loading would delay messages, and Playwright might remove files first.
 */
const LOADING_MS = 20

/**
 * Forwards Playwright's hooks to a recorder and decides nothing. No hook throws: Playwright 1.65 then fails the
 * execution, earlier versions lose the event.
 */
export class RunledgerReporter implements Reporter {
  readonly #guard = new HookGuard()
  readonly #options: Options & FrameworkOptions
  readonly #purpose: Purpose
  readonly #outputText = new OutputText()
  #recorder: ExecutionRecorder | undefined
  #execution: LazyExecution | undefined
  #isPreprocessed = false
  #begun: { config: FullConfig; root: PlaywrightSuite } | undefined

  /** Has no side effects: `--list` constructs reporters too. */
  constructor(
    options: Options & FrameworkOptions = {},
    private readonly load = loadCore,
  ) {
    this.#options = options
    this.#purpose = derivePurpose(options, process.argv)
  }

  printsToStdio(): boolean {
    return false
  }

  /** Since Playwright 1.62. @throws ApiError 409 if the plan is for other files: these must not be left out */
  async preprocess(unsharded: Unsharded & { config: FullConfig }): Promise<void> {
    this.#isPreprocessed = true
    if (!this.#options.planShards || this.#purpose !== 'record') return
    if (isDuplicateReporter(unsharded.testRun, this.#options)) return
    const rootDir = this.#findRootDir(unsharded.config)
    const options = selectCoreOptions(this.#options)
    await planShard(unsharded, {
      rootDir,
      take: (suite) => takeShard(suite, { options, projectRoot: rootDir }),
    })
  }

  onBegin(config: FullConfig, root: PlaywrightSuite): void {
    if (this.#options.planShards && config.shard && !this.#isPreprocessed)
      printWarning('planShards needs Playwright 1.62: Playwright divides the tests by count')
    this.#guard.run(() => {
      if (this.#purpose === 'nothing' || isDuplicateReporter(root, this.#options)) return
      this.#startRecording(config, root)
    })
  }

  onTestBegin(test: TestCase, result: TestResult): void {
    this.#guard.run(() => this.#recorder?.beginTest(test, result))
  }

  onStepEnd(test: TestCase, result: TestResult): void {
    this.#guard.run(() => this.#recorder?.endStep(test, result))
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    this.#guard.run(() => this.#recorder?.endTest(test, result))
  }

  onStdOut(chunk: string | Uint8Array, _test: TestCase | void, result: TestResult | void): void {
    this.#guard.run(() => this.#addOutput('stdout', chunk, result ?? undefined))
  }

  onStdErr(chunk: string | Uint8Array, _test: TestCase | void, result: TestResult | void): void {
    this.#guard.run(() => this.#addOutput('stderr', chunk, result ?? undefined))
  }

  onError(error: TestError): void {
    this.#guard.run(() => this.#recorder?.addError(error))
  }

  async onEnd(result: FullResult): Promise<{ status: 'failed' | 'passed' } | undefined> {
    this.#guard.run(() => this.#recorder?.end(result))
    const delivery = await this.#execution?.finish(this.#describeEnd(result))
    this.#guard.run(() => this.#recorder?.close())
    if (delivery?.status === 'failed' && delivery.failOnUploadError) return { status: 'failed' }
    return delivery?.isExcused ? { status: 'passed' } : undefined
  }

  /** Undefined if a defect of ours keeps it from being known: then nothing is excused. */
  #describeEnd(result: FullResult): FrameworkEnd | undefined {
    let end: FrameworkEnd | undefined
    this.#guard.run(() => {
      const { config, root } = this.#begun ?? {}
      const errorCount = this.#recorder?.errorCount
      if (config === undefined || root === undefined || errorCount === undefined) return
      const isMerge = this.#purpose === 'merge'
      end = describeEnd(result, { config, root, errorCount, isMerge, argv: process.argv })
    })
    return end
  }

  #startRecording(config: FullConfig, root: PlaywrightSuite): void {
    // Workers that start later inherit the variable.
    announceListener()
    const guard = this.#guard
    const rootDir = this.#findRootDir(config)
    const facts = mapFacts(config, rootDir)
    const options = selectCoreOptions(this.#options)
    const execution = new LazyExecution({ load: this.load, facts: () => facts, options, guard })
    const clock = { nowMs: readClock, isReplay: this.#purpose === 'merge' }
    const stepDepth = resolveStepDepth(this.#options, printWarning)
    this.#execution = execution
    this.#begun = { config, root }
    this.#recorder = new ExecutionRecorder({ config, root, rootDir, clock, guard, execution, stepDepth })
    if (this.#recorder.hasTests) setTimeout(() => execution.prepare(), LOADING_MS).unref()
  }

  /** The configuration's folder; `config.rootDir` is that of the tests. */
  #findRootDir(config: FullConfig): string {
    if (config.configFile) return path.dirname(config.configFile)
    return this.#options.configDir ?? config.rootDir
  }

  #addOutput(
    stream: OutputEntry['stream'],
    chunk: string | Uint8Array,
    result: TestResult | undefined,
  ): void {
    const text = this.#outputText.decode(chunk, stream, result)
    if (text !== '') this.#recorder?.addOutput({ stream, text }, result)
  }
}

function mapFacts({ version, shard }: FullConfig, rootDir: string): ExecutionFacts {
  return {
    framework: 'playwright',
    frameworkVersion: version,
    // Merged reports may come from a machine with the project elsewhere.
    rootDir: existsSync(rootDir) ? rootDir : process.cwd(),
    startedAtMs: readClock(),
    ...(shard ? { shard: `${shard.current}/${shard.total}` } : {}),
  }
}
