import path from 'node:path'
import type { Options, Problem } from '@runledger/core'
import { LazyExecution, toRelativePath, type Core, type HookGuard } from '@runledger/reporter-kit'
import { FileRecord } from './file-record'
import { mapExecutionFailure } from './map-execution'
import { mapError, readFailureType } from './map-error'
import { mapTest } from './map-test'
import { isMarked, type EventData, type NodeEvent } from './node-events'

export interface RecorderSettings {
  options: Options
  guard: HookGuard
  load: () => Core
  now: () => number
  rootDir: string
  /** The arguments of Node's own, `process.execArgv`. */
  nodeArguments: readonly string[]
}

/** Node calls a suite failed for these too; what happened is said by its tests, or by the suite around it. */
const EXPLAINED_ELSEWHERE = ['subtestsFailed', 'cancelledByParent']

/** Follows the events of one execution, and gives core each test file when it has ended. */
export class ExecutionRecorder {
  readonly #settings: RecorderSettings
  readonly #execution: LazyExecution
  readonly #files = new Map<string, FileRecord>()
  /** Of `run()`: an exit code that the program around it has set before says nothing of the tests. */
  readonly #exitCodeBefore: typeof process.exitCode
  /** By test: whether its turn came, and when it began, once for each of that name at that place. */
  readonly #started = new Set<string>()
  readonly #beginnings = new Map<string, number[]>()
  readonly #remarks: string[] = []
  /** Names of what is being reported, outermost first. Node reports one file after another, in the order of the code. */
  #titles: string[] = []
  #current: FileRecord | undefined
  #isIsolated = false
  #hasFailed = false
  isWatch: boolean
  /** Of `run()` only the events tell, at their end, that it watches: until then nothing of it goes to core. */
  readonly #isCommand: boolean

  constructor(settings: RecorderSettings) {
    this.#settings = settings
    const { load, options, guard, now, rootDir, nodeArguments } = settings
    this.isWatch = nodeArguments.some((each) => each === '--watch' || each.startsWith('--watch-path'))
    this.#isCommand = nodeArguments.includes('--test')
    const isOfCommandLine = nodeArguments.some((each) => each.startsWith('--test-reporter'))
    this.#exitCodeBefore = isOfCommandLine ? undefined : process.exitCode
    const [, shard] = /--test-shard[= ](\d+\/\d+)/.exec(nodeArguments.join(' ')) ?? []
    const frameworkVersion = process.versions.node
    const facts = { framework: 'node:test', frameworkVersion, rootDir, startedAtMs: now(), shard }
    this.#execution = new LazyExecution({ load, options, guard, facts: () => facts })
    process.once('exit', this.#keepUnfinished)
  }

  add({ type, data = {} }: NodeEvent): void {
    switch (type) {
      case 'test:dequeue':
        return this.#start(data)
      case 'test:complete':
        return this.#complete(data)
      case 'test:start':
        return this.#enter(data)
      case 'test:pass':
      case 'test:fail':
        return this.#report(data, type === 'test:pass')
      case 'test:stdout':
      case 'test:stderr':
        return this.#fileOf(data).addOutput(type === 'test:stdout' ? 'stdout' : 'stderr', data.message ?? '')
      case 'test:diagnostic':
        return this.#addDiagnostic(data)
      case 'test:summary':
        if (data.file === undefined) this.#hasFailed = data.success === false
        return
      case 'test:watch:drained':
        this.isWatch = true
    }
  }

  /** Waits until what core has been given is on disk. */
  settled(): Promise<void> {
    return this.#execution.settled()
  }

  /** Delivers everything; true when the delivery failed and the user asked that this fail the execution. */
  async finish(): Promise<boolean> {
    process.off('exit', this.#keepUnfinished)
    if (this.isWatch) return false
    for (const file of this.#files.values()) this.#give(file)
    const exitCode = process.exitCode === this.#exitCodeBefore ? 0 : Number(process.exitCode ?? 0)
    const hasFailedFile = [...this.#files.values()].some(({ suite }) => suite.outcome === 'failed')
    if ((this.#hasFailed || exitCode !== 0) && !hasFailedFile)
      this.#execution.addProblem(mapExecutionFailure(this.#remarks))
    const result = await this.#execution.finish()
    return result?.status === 'failed' && result.failOnUploadError
  }

  #start(data: EventData): void {
    if (!this.isWatch) this.#execution.prepare()
    this.#started.add(identify(data))
    if (!this.#isFile(data)) return
    this.#isIsolated = !NO_ISOLATION.test(this.#settings.nodeArguments.join(' '))
    this.#fileOf(data).start(this.#settings.now())
  }

  #complete(data: EventData): void {
    const { details = {} } = data
    if (!this.#isFile(data)) return this.#noteBeginning(data)
    this.#fileOf(data).complete(details)
    if (!this.#isCommand) return
    for (const file of this.#files.values()) if (file.isComplete) this.#give(file)
  }

  #noteBeginning(data: EventData): void {
    const key = identify(data)
    const beginnings = this.#beginnings.get(key) ?? []
    beginnings.push(Math.round(this.#settings.now() - (data.details?.duration_ms ?? 0)))
    this.#beginnings.set(key, beginnings)
  }

  #enter(data: EventData): void {
    const { nesting = 0, name = '' } = data
    this.#titles = [...this.#titles.slice(0, nesting), name]
    if (nesting === 0) this.#current = this.#fileOf(data)
  }

  #report(data: EventData, passed: boolean): void {
    const { nesting = 0, details = {}, skip, todo } = data
    const file =
      data.entryFile === undefined && nesting > 0 ? (this.#current ?? this.#fileOf(data)) : this.#fileOf(data)
    const failureType = readFailureType(details.error)
    const isFailure = !passed && !isMarked(skip) && !isMarked(todo)
    if (this.#isFile(data)) {
      if (failureType === 'hookFailed') file.addProblem(this.#mapProblem(data, 'after hook'))
      else file.addFileTest(data, passed)
    } else if (details.type !== 'suite') {
      this.#addTest(file, data, { passed, isFailure })
    } else if (isFailure && !EXPLAINED_ELSEWHERE.includes(failureType ?? '')) {
      file.addProblem(this.#mapProblem(data, [...this.#titles.slice(0, nesting), data.name].join(' › ')))
    }
  }

  #addTest(
    file: FileRecord,
    data: EventData,
    { passed, isFailure }: { passed: boolean; isFailure: boolean },
  ): void {
    const { now, rootDir } = this.#settings
    const key = identify(data)
    const startedAtMs = this.#beginnings.get(key)?.shift() ?? now()
    const parents = this.#titles.slice(0, data.nesting ?? 0)
    const test = mapTest(data, { parents, passed, hasStarted: this.#started.has(key), startedAtMs, rootDir })
    file.addTest(test, data, isFailure)
  }

  #mapProblem({ details = {} }: EventData, name: string): Problem {
    const errors = [mapError(details.error, this.#settings.rootDir)]
    const isHook = readFailureType(details.error) === 'hookFailed'
    return { name, errors, atMs: this.#settings.now(), kind: isHook ? 'hook' : undefined }
  }

  #addDiagnostic(data: EventData): void {
    const { message = '' } = data
    if (data.file === undefined) this.#remarks.push(message)
    else this.#fileOf(data).addDiagnostic(data, message)
  }

  /** A test file is a test itself, whose name is its path. */
  #isFile({ nesting, name = '', file }: EventData): boolean {
    if (nesting !== 0 || file === undefined) return false
    const named = path.resolve(this.#settings.rootDir, name)
    return named === file || (this.#isIsolated && this.#files.has(named))
  }

  #fileOf(data: EventData): FileRecord {
    const { rootDir, now } = this.#settings
    const isFile = this.#isFile(data)
    const file = path.resolve(rootDir, (isFile ? data.name : (data.entryFile ?? data.file)) ?? '[eval]')
    const known = this.#files.get(file) ?? new FileRecord(toRelativePath(rootDir, file), rootDir, now())
    this.#files.set(file, known)
    return known
  }

  #give(file: FileRecord): void {
    if (!this.isWatch && file.hasChanged) this.#execution.addSuite(file.conclude())
  }

  /**
   * Node exits at Ctrl+C, and without isolation a test can exit, before the events end. What is added now is written before
   * this returns, and waits in the spool. Without isolation nobody tells which file was running.
   */
  readonly #keepUnfinished = (exitCode: number): void => {
    this.#settings.guard.run(() => {
      const { rootDir, now } = this.#settings
      const files = [...this.#files.values()]
      const unfinished = this.#isIsolated
        ? files.filter(({ isComplete }) => !isComplete)
        : [new FileRecord('(execution)', rootDir, now())]
      if (exitCode !== 0) for (const file of unfinished) file.addProblem(INTERRUPTED)
      for (const file of new Set([...files, ...unfinished])) this.#give(file)
    })
  }
}

/** Also then, a file without tests is reported as a file. */
const NO_ISOLATION = /--(experimental-)?test-isolation[= ]none\b/

const INTERRUPTED: Problem = {
  name: 'Interrupted',
  errors: [{ message: 'Node ended before it had reported everything.' }],
}

function identify({ entryFile, file, testId, nesting, line, column, name }: EventData): string {
  return JSON.stringify([entryFile ?? file, testId ?? [nesting, line, column, name]])
}
