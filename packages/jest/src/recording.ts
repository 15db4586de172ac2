import { setImmediate as yieldToOthers, setTimeout as sleep } from 'node:timers/promises'
import type { ExecutionFacts, ExecutionResult, Options, Suite } from '@runledger/core'
import { CoreLink, type ChannelFolder, type CoreLoader } from '@runledger/core/link'
import type { JestFileResult, JestGlobalConfig, JestRunResults, JestTest } from './jest-types'
import { readJestVersion } from './jest-version'
import { mapExecutionProblems } from './map-problems'
import { mapInterruptedSuite, mapSuite, type SuiteContext } from './map-suite'
import { placeSaid } from './place-said'
import { ProjectNames } from './project-names'
import { hasBegun, RunningFiles, type FileAccount, type ToldCase } from './running-files'
import { SaidReader, type TestWindow } from './said-reader'

/** With bail, how long files that other workers have nearly done may take to finish before they count as cut. */
const BAIL_GRACE_MS = 500
const POLL_MS = 10

export interface RecordingSurface {
  loadCore: CoreLoader
  now: () => number
  /** Folder that tests speak through; absent, nobody listens to them. */
  channel?: Pick<ChannelFolder, 'open' | 'remove'> | undefined
}

/** One execution of Jest on its way to the record: each file goes to core as soon as it has finished. */
export class Recording {
  readonly #files = new RunningFiles()
  readonly #projects: ProjectNames
  readonly #core: CoreLink
  #said: SaidReader | undefined
  #startedAtMs: number
  #failedSuites = 0
  #finishedFiles = 0
  #isClosed = false
  /** Files that have ended, on their way to core. */
  readonly #finishing = new Set<Promise<void>>()

  constructor(
    private readonly globalConfig: JestGlobalConfig,
    options: Options,
    private readonly surface: RecordingSurface,
  ) {
    this.#projects = new ProjectNames(globalConfig)
    this.#startedAtMs = surface.now()
    this.#core = new CoreLink({ load: surface.loadCore, facts: () => this.#gatherFacts(), options })
  }

  /** For each path that runs, where what Jest tells of its cases goes. */
  get told(): ReadonlyMap<string, ToldCase[]> {
    return this.#files.told
  }

  /** Jest starts its workers after this: they know the channel. */
  start(startedAtMs: number): void {
    this.#startedAtMs = startedAtMs
    const folder = this.surface.channel?.open()
    if (folder !== undefined) this.#said = new SaidReader(folder)
  }

  startFile(test: JestTest): void {
    this.#core.prepare()
    this.#files.start(test, this.surface.now())
  }

  /** `files`: how many there are in the execution. */
  async finishFile(test: JestTest, result: JestFileResult, files = Infinity): Promise<void> {
    const account = this.#files.finish(test)
    // After the end it is on record as interrupted already: one file, one run.
    if (this.#isClosed) return
    const finishing = this.#addFinished(test, result, { account, finishedAtMs: this.surface.now() })
    this.#finishing.add(finishing)
    try {
      await finishing
    } finally {
      this.#finishing.delete(finishing)
    }
    // Jest waits for its hook, so a suite that it calls finished is safe even from a kill.
    await this.#core.settled()
    this.#finishedFiles += 1
    // Jest now waits for its workers to exit, for some hundredths of a second.
    if (this.#finishedFiles === files && !this.#isClosed) this.#core.testsEnded()
  }

  async #addFinished(
    test: JestTest,
    result: JestFileResult,
    { account, finishedAtMs }: Pick<SuiteContext, 'account' | 'finishedAtMs'>,
  ): Promise<void> {
    // The worker that is free now is given its next file first.
    await yieldToOthers()
    const { rootDir, updateSnapshot } = this.globalConfig
    const project = this.#projects.nameOf(test.context.config)
    const suite = mapSuite(test, result, { rootDir, updateSnapshot, project, account, finishedAtMs })
    const { startedAtMs, isShared, told } = account ?? {}
    // Emptied, for what a list of the old generation holds is kept over and over by collections of the young one, though
    // the list itself is let go of: of a large execution that is half of what the reporter takes.
    if (told) told.length = 0
    this.#add(suite, { path: test.path, startedAtMs, isShared, result })
  }

  /** Delivers everything; undefined when nothing ran and nothing went wrong, or when core does not load. */
  async finish(results: JestRunResults): Promise<ExecutionResult | undefined> {
    const { bail } = this.globalConfig
    const begun = bail > 0 && results.numFailedTests >= bail ? this.#files.list() : []
    await this.#awaitEnd(begun)
    while (this.#finishing.size > 0) await Promise.allSettled(this.#finishing)
    // In one go: a file that ends from now on is in this list, and on record as interrupted.
    const cut = this.#listRunning(begun)
    this.#isClosed = true
    for (const account of cut) {
      const { test, startedAtMs, isShared } = account
      this.#add(this.#mapInterrupted(account), { path: test.path, startedAtMs, isShared })
    }
    const problems = mapExecutionProblems(results, this.globalConfig, this.#failedSuites)
    for (const problem of problems) this.#core.addProblem(problem)
    try {
      return await this.#core.finish()
    } finally {
      this.surface.channel?.remove()
    }
  }

  /** Waits a moment for files under way to end. */
  async #awaitEnd(files: readonly FileAccount[]): Promise<void> {
    const deadlineMs = this.surface.now() + BAIL_GRACE_MS
    while (this.#listRunning(files).length > 0 && this.surface.now() < deadlineMs) await sleep(POLL_MS)
  }

  /** Those of the files that have run tests and not ended. */
  #listRunning(files: readonly FileAccount[]): FileAccount[] {
    const running = new Set(this.#files.list())
    return files.filter((account) => running.has(account) && hasBegun(account))
  }

  #mapInterrupted(account: FileAccount): Suite {
    const project = this.#projects.nameOf(account.test.context.config)
    const { rootDir } = this.globalConfig
    return mapInterruptedSuite(account, { rootDir, project, finishedAtMs: this.surface.now() })
  }

  #add(suite: Suite, window: TestWindow): void {
    const { rootDir } = this.globalConfig
    if (this.#said) placeSaid(suite, this.#said.take(window), { console: window.result?.console, rootDir })
    if (suite.outcome === 'failed') this.#failedSuites += 1
    this.#core.addSuite(suite)
  }

  #gatherFacts(): ExecutionFacts {
    const { rootDir, shard } = this.globalConfig
    return {
      framework: 'jest',
      frameworkVersion: readJestVersion(rootDir, process.argv[1]),
      rootDir,
      startedAtMs: this.#startedAtMs,
      shard: shard ? `${shard.shardIndex}/${shard.shardCount}` : undefined,
    }
  }
}
