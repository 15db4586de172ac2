import { setTimeout as sleep } from 'node:timers/promises'
import type { ExecutionFacts, ExecutionResult, FrameworkEnd, Options, Suite } from '@runledger/core'
import {
  createUnmappedSuite,
  LazyExecution,
  type ChannelFolder,
  type Core,
  type HookGuard,
} from '@runledger/reporter-kit'
import { assignEvents } from './assign-events'
import { describeEnd } from './describe-end'
import type { JestFileResult, JestGlobalConfig, JestRunResults, JestTest } from './jest-types'
import { readJestVersion } from './jest-version'
import { mapExecutionProblems } from './map-problems'
import { describeFile, mapInterruptedSuite, mapSuite, type SuiteContext } from './map-suite'
import { ProjectNames } from './project-names'
import { readCaseEvent, readFileResult } from './read-runner-result'
import { hasStartedTests, RunningFiles, type CaseEvent, type RunningFile } from './running-files'
import { SidecarReader } from './sidecar-reader'
import type { ReceivedEvent, SessionQuery } from './sidecar-session'
import { UnfinishedKeeper } from './unfinished-keeper'

/** After a bail, how long files in other workers may take before they count as interrupted. */
const BAIL_GRACE_MS = 500
const POLL_MS = 10

export interface RecorderSettings {
  globalConfig: JestGlobalConfig
  options: Options
  guard: HookGuard
  load: () => Core
  now: () => number
  /** Without this folder, tests cannot send events. */
  channel?: ChannelFolder | undefined
}

export class ExecutionRecorder {
  readonly #settings: RecorderSettings
  readonly #files = new RunningFiles()
  readonly #projects: ProjectNames
  readonly #execution: LazyExecution
  readonly #keeper = new UnfinishedKeeper(() => this.#keepUnfinished())
  #sidecars: SidecarReader | undefined
  #startedAtMs: number
  #failedSuites = 0
  #finishedFiles = 0
  #isClosed = false

  constructor(settings: RecorderSettings) {
    this.#settings = settings
    this.#projects = new ProjectNames(settings.globalConfig)
    this.#startedAtMs = settings.now()
    const { load, options, guard } = settings
    this.#execution = new LazyExecution({ load, options, guard, facts: () => this.#gatherFacts() })
  }

  /** Jest starts its workers later, so they inherit the channel's variable. */
  start(startedAtMs: number): void {
    this.#startedAtMs = startedAtMs
    const folder = this.#settings.channel?.open()
    if (folder !== undefined) this.#sidecars = new SidecarReader(folder)
  }

  startFile(test: JestTest): void {
    this.#execution.prepare()
    this.#keeper.start()
    this.#files.start(test, this.#settings.now())
  }

  addCaseEvent(test: JestTest, event: CaseEvent): void {
    this.#files.addCaseEvent(test, readCaseEvent(event))
  }

  async finishFile(test: JestTest, handed: JestFileResult): Promise<void> {
    const running = this.#files.finish(test)
    this.#finishedFiles += 1
    // Already recorded as interrupted.
    if (this.#isClosed) return
    const { rootDir, updateSnapshot } = this.#settings.globalConfig
    const project = this.#projects.nameOf(test.context.config)
    const finishedAtMs = this.#settings.now()
    this.#mapFile(test, handed, { rootDir, updateSnapshot, project, running, finishedAtMs })
    // Jest awaits this hook, so even a kill does not lose a suite that has finished.
    await this.#execution.settled()
  }

  #mapFile(test: JestTest, handed: JestFileResult, context: SuiteContext): void {
    const query = createQuery({ ...context.running, test })
    try {
      const result = readFileResult(handed)
      this.#addSuite(replaceKept(context.running, mapSuite(test, result, context)), { ...query, result })
    } catch (error) {
      this.#settings.guard.warnOfUnmapped(test.path, error)
      const hasRun = handed.numPassingTests !== 0 || handed.numFailingTests !== 0
      const suite = createUnmappedSuite(describeFile(test, handed, context), hasRun, error)
      // The suite lacks the tests that events name, so the events belong to the suite.
      this.#addSuite(replaceKept(context.running, suite), query, (each) => ({ ...each, test: null }))
    }
  }

  /** Delivers everything; undefined if there was nothing to record, or core did not load. */
  async finish(results: JestRunResults): Promise<ExecutionResult | undefined> {
    const { bail } = this.#settings.globalConfig
    const started = bail > 0 && results.numFailedTests >= bail ? this.#files.list() : []
    await this.#waitFor(started)
    this.#isClosed = true
    this.#keeper.stop()
    const interrupted = new Set(this.#listRunning(started))
    for (const file of this.#files.list()) {
      this.#settings.guard.run(() => {
        if (interrupted.has(file)) this.#addSuite(this.#mapInterrupted(file), createQuery(file))
        else if (file.kept) this.#execution.addSuite(Object.assign(file.kept.suite, NOTHING_RAN))
      })
    }
    this.#settings.guard.run(() => {
      const problems = mapExecutionProblems(results, this.#settings.globalConfig, this.#failedSuites)
      for (const problem of problems) this.#execution.addProblem(problem)
    })
    const result = await this.#execution.finish(this.#describeEnd(results))
    this.#settings.channel?.remove()
    return result
  }

  /** Undefined if a defect of ours hides it: then nothing is excused. */
  #describeEnd(results: JestRunResults): FrameworkEnd | undefined {
    let end: FrameworkEnd | undefined
    this.#settings.guard.run(() => {
      end = describeEnd(results, this.#settings.globalConfig, this.#finishedFiles)
    })
    return end
  }

  async #waitFor(files: readonly RunningFile[]): Promise<void> {
    const deadlineMs = this.#settings.now() + BAIL_GRACE_MS
    while (this.#listRunning(files).length > 0 && this.#settings.now() < deadlineMs) await sleep(POLL_MS)
  }

  #listRunning(files: readonly RunningFile[]): RunningFile[] {
    const running = new Set(this.#files.list())
    return files.filter((file) => running.has(file) && hasStartedTests(file))
  }

  #mapInterrupted(file: RunningFile): Suite {
    const project = this.#projects.nameOf(file.test.context.config)
    const { rootDir } = this.#settings.globalConfig
    const suite = mapInterruptedSuite(file, { rootDir, project, finishedAtMs: this.#settings.now() })
    return replaceKept(file, suite)
  }

  #keepUnfinished(): void {
    for (const file of this.#files.list()) this.#settings.guard.run(() => this.#keep(file))
  }

  /** Records a file's present state, without attached files, which are copied at its end. */
  #keep(file: RunningFile): void {
    if (file.caseEvents.length === 0) return
    const received = this.#sidecars?.peek(createQuery(file)) ?? []
    const eventCount = file.caseEvents.length + received.length
    if (file.kept?.eventCount === eventCount) return
    const suite = this.#mapInterrupted(file)
    file.kept = { suite, eventCount }
    const events = received.filter(({ event }) => event.kind !== 'file')
    assignEvents(suite, events, { console: undefined, rootDir: this.#settings.globalConfig.rootDir })
    this.#execution.addSuite(suite)
  }

  #addSuite(suite: Suite, query: SessionQuery, place = (each: ReceivedEvent) => each): void {
    const { rootDir } = this.#settings.globalConfig
    this.#settings.guard.run(() => {
      const received = this.#sidecars?.take(query) ?? []
      assignEvents(suite, received.map(place), { console: query.result?.console, rootDir })
    })
    if (suite.outcome === 'failed') this.#failedSuites += 1
    this.#execution.addSuite(suite)
  }

  #gatherFacts(): ExecutionFacts {
    const { rootDir, shard } = this.#settings.globalConfig
    return {
      framework: 'jest',
      frameworkVersion: readJestVersion(rootDir, process.argv[1]),
      rootDir,
      startedAtMs: this.#startedAtMs,
      shard: shard ? `${shard.shardIndex}/${shard.shardCount}` : undefined,
    }
  }
}

const NOTHING_RAN = {
  outcome: 'passed',
  durationMs: 0,
  tests: [],
  problems: [],
  events: undefined,
} satisfies Partial<Suite>

type Queried = Pick<RunningFile, 'test'> & Partial<RunningFile>

function createQuery({ test, startedAtMs, isShared }: Queried): SessionQuery {
  return { path: test.path, startedAtMs, isShared }
}

/** Core replaces a suite that is the same object. */
function replaceKept(running: RunningFile | undefined, suite: Suite): Suite {
  const kept = running?.kept?.suite
  return kept ? Object.assign(kept, { events: undefined }, suite) : suite
}
