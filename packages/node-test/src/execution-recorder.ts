import path from 'node:path'
import type { ExecutionResult, Options, Problem } from '@runledger/core'
import { LazyExecution, toRelativePath, type Core, type HookGuard } from '@runledger/reporter-kit'
import { describeEnd } from './describe-end'
import { FileRecord } from './file-record'
import { mapExecutionFailure } from './map-execution'
import { mapError, readFailureType } from './map-error'
import { mapTest } from './map-test'
import { isMarked, type EventData, type NodeEvent } from './node-events'
import { TestFiles } from './test-files'
import { Turns, type Turn } from './turns'

export interface RecorderSettings {
  options: Options
  guard: HookGuard
  load: () => Core
  now: () => number
  rootDir: string
  nodeArguments: readonly string[]
}

/** Node also fails a suite for these, which its tests or the outer suite explain. */
const EXPLAINED_ELSEWHERE = ['subtestsFailed', 'cancelledByParent']

/** A test or suite whose report has begun; its place is the order of declaration. */
interface Entered {
  name: string
  place: number
}

interface ReportedTest {
  passed: boolean
  isFailure: boolean
  turn: Turn | undefined
}

/** Gives core each test file when it has ended. */
export class ExecutionRecorder {
  readonly #settings: RecorderSettings
  readonly #execution: LazyExecution
  readonly #files = new Map<string, FileRecord>()
  readonly #testFiles = new TestFiles()
  /** For `run()`: the program around it may have set an exit code before. */
  readonly #exitCodeBefore: typeof process.exitCode
  readonly #isOfCommandLine: boolean
  readonly #turns = new Turns()
  readonly #remarks: string[] = []
  /** Outermost first. Node reports files one after another, in the order of the code. */
  #entered: Entered[] = []
  #enteredCount = 0
  /** Only the report of the outermost test names the file. */
  #waiting: { place: number; addTo: (file: FileRecord) => void }[] = []
  #current: FileRecord | undefined
  #isIsolated = false
  #hasFailed = false
  isWatch: boolean
  /** With `run()`, only the last events say that it watches: until then nothing goes to core. */
  readonly #isCommand: boolean
  /** Each file has its own process. */
  readonly #hasProcesses: boolean

  constructor(settings: RecorderSettings) {
    this.#settings = settings
    const { load, options, guard, now, rootDir, nodeArguments } = settings
    this.isWatch = nodeArguments.some((each) => each === '--watch' || each.startsWith('--watch-path'))
    this.#isCommand = nodeArguments.includes('--test')
    this.#hasProcesses = !NO_ISOLATION.test(nodeArguments.join(' '))
    this.#isOfCommandLine = nodeArguments.some((each) => each.startsWith('--test-reporter'))
    this.#exitCodeBefore = this.#isOfCommandLine ? undefined : process.exitCode
    const [, shard] = /--test-shard[= ](\d+\/\d+)/.exec(nodeArguments.join(' ')) ?? []
    const frameworkVersion = process.versions.node
    const facts = { framework: 'node:test', frameworkVersion, rootDir, startedAtMs: now(), shard }
    this.#execution = new LazyExecution({ load, options, guard, facts: () => facts })
    process.once('exit', this.#keepUnfinished)
  }

  add({ type, data = {} }: NodeEvent): void {
    switch (type) {
      case 'test:enqueue':
        return this.#enqueue(data)
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

  settled(): Promise<void> {
    return this.#execution.settled()
  }

  /** The result of the delivery; undefined if there was nothing to deliver. */
  async finish(): Promise<ExecutionResult | undefined> {
    process.off('exit', this.#keepUnfinished)
    if (this.isWatch) return undefined
    this.#assignRest()
    for (const file of this.#files.values()) this.#give(file)
    const exitCode = process.exitCode === this.#exitCodeBefore ? 0 : Number(process.exitCode ?? 0)
    const hasFailedFile = [...this.#files.values()].some(({ suite }) => suite.outcome === 'failed')
    if ((this.#hasFailed || exitCode !== 0) && !hasFailedFile)
      this.#execution.addProblem(mapExecutionFailure(this.#remarks))
    const hasFailed = this.#hasFailed || hasFailedFile
    const isCommand = this.#isCommand && this.#exitCodeBefore === undefined && this.#isOfCommandLine
    const remarks = [...this.#remarks, ...this.#turns.lost.map((name) => `"${name}" never ended`)]
    return this.#execution.finish(describeEnd({ remarks, hasFailed, exitCode, isCommand }))
  }

  #enqueue(data: EventData): void {
    if (!this.#isFile(data)) this.#turns.enqueue(data)
    // Without isolation, a file that cannot be loaded counts as one.
    else if (this.#hasProcesses) this.#testFiles.add(this.#pathOf(data))
  }

  #start(data: EventData): void {
    if (!this.isWatch) this.#execution.prepare()
    if (!this.#isFile(data)) return this.#turns.begin(data, this.#settings.now())
    this.#isIsolated = this.#hasProcesses
    this.#fileOf(data).start(this.#settings.now())
  }

  #complete(data: EventData): void {
    const { details = {} } = data
    if (!this.#isFile(data)) return this.#turns.end(data, this.#settings.now())
    this.#fileOf(data).complete(details, this.#settings.now())
    if (!this.#isCommand) return
    for (const file of this.#files.values()) if (file.isComplete) this.#give(file)
  }

  #enter({ nesting = 0, name = '' }: EventData): void {
    if (nesting === 0) this.#assignRest()
    this.#enteredCount += 1
    this.#entered = [...this.#entered.slice(0, nesting), { name, place: this.#enteredCount }]
  }

  #report(data: EventData, passed: boolean): void {
    const { nesting = 0, details = {}, skip, todo } = data
    const failureType = readFailureType(details.error)
    const isFailure = !passed && !isMarked(skip) && !isMarked(todo)
    if (this.#isFile(data)) {
      const file = this.#fileOf(data)
      this.#testFiles.report(this.#pathOf(data))
      if (failureType === 'hookFailed') file.addProblem(this.#mapProblem(data, 'after hook'))
      else file.addFileTest(data, passed)
      return
    }
    const turn = this.#turns.take(data, this.#testFiles.numberOf(data))
    if (details.type !== 'suite') {
      this.#addTest(data, { passed, isFailure, turn })
    } else if (isFailure && !EXPLAINED_ELSEWHERE.includes(failureType ?? '')) {
      const problem = this.#mapProblem(data, [...this.#listTitles(nesting), data.name].join(' › '))
      this.#await(data, (file) => file.addProblem(problem))
    }
    if (nesting === 0) this.#assign(this.#findOwner(data, turn))
  }

  #addTest(data: EventData, { passed, isFailure, turn }: ReportedTest): void {
    const { now, rootDir } = this.#settings
    const parents = this.#listTitles(data.nesting)
    const hasStarted = turn !== undefined
    const test = mapTest(data, { parents, passed, hasStarted, startedAtMs: now(), rootDir })
    this.#await(data, (file) => file.addTest(test, { data, isFailure, turn }))
  }

  /** Node 20 and 22 name only the file that declares an outermost test. */
  #findOwner(data: EventData, turn: Turn | undefined): FileRecord {
    const owner = data.entryFile === undefined ? this.#testFiles.findOwner(data, turn) : undefined
    return owner === undefined ? this.#fileOf(data) : this.#fileAt(owner)
  }

  /** Tests within an outermost test that is not reported itself. */
  #assignRest(): void {
    if (this.#waiting.length > 0) this.#assign(this.#current ?? this.#fileOf({}))
  }

  /** In order of declaration: inner tests are reported first. */
  #assign(file: FileRecord): void {
    this.#current = file
    for (const { addTo } of this.#waiting.splice(0).sort((a, b) => a.place - b.place)) addTo(file)
  }

  #await({ nesting = 0 }: EventData, addTo: (file: FileRecord) => void): void {
    this.#waiting.push({ place: this.#entered[nesting]?.place ?? this.#enteredCount, addTo })
  }

  #listTitles(nesting = 0): string[] {
    return this.#entered.slice(0, nesting).map(({ name }) => name)
  }

  #mapProblem({ details = {} }: EventData, name: string): Problem {
    const errors = [mapError(details.error, this.#settings.rootDir)]
    const isHook = readFailureType(details.error) === 'hookFailed'
    return { name, errors, atMs: this.#settings.now(), kind: isHook ? 'hook' : undefined }
  }

  #addDiagnostic(data: EventData): void {
    const { message = '' } = data
    if (data.file === undefined) this.#remarks.push(message)
    else if (this.#waiting.length > 0) this.#await(data, (file) => file.addDiagnostic(data, message))
    else this.#ownerOf(data).addDiagnostic(data, message)
  }

  /** A test file is a test whose name is its path. */
  #isFile({ nesting, name = '', file }: EventData): boolean {
    if (nesting !== 0 || file === undefined) return false
    const named = path.resolve(this.#settings.rootDir, name)
    return named === file || (this.#isIsolated && this.#files.has(named))
  }

  /** Other files declare tests of the file being reported. */
  #ownerOf(data: EventData): FileRecord {
    const isOwn =
      data.entryFile !== undefined || this.#testFiles.isEmpty || this.#testFiles.has(this.#pathOf(data))
    return isOwn ? this.#fileOf(data) : (this.#current ?? this.#fileOf(data))
  }

  #fileOf(data: EventData): FileRecord {
    return this.#fileAt(this.#pathOf(data))
  }

  #pathOf(data: EventData): string {
    const { name, entryFile, file } = data
    return path.resolve(this.#settings.rootDir, (this.#isFile(data) ? name : (entryFile ?? file)) ?? '[eval]')
  }

  #fileAt(file: string): FileRecord {
    const { rootDir, now } = this.#settings
    const known = this.#files.get(file) ?? new FileRecord(toRelativePath(rootDir, file), rootDir, now())
    this.#files.set(file, known)
    return known
  }

  #give(file: FileRecord): void {
    if (!this.isWatch && file.hasChanged) this.#execution.addSuite(file.conclude())
  }

  /**
   * Node exits at Ctrl+C, and without isolation a test can exit early. What is added now is written before this returns,
   * and waits in the spool. Without isolation, the running file is unknown.
   */
  readonly #keepUnfinished = (exitCode: number): void => {
    this.#settings.guard.run(() => {
      const { rootDir, now } = this.#settings
      this.#assignRest()
      const files = [...this.#files.values()]
      const unfinished = this.#isIsolated
        ? files.filter(({ isComplete }) => !isComplete)
        : [new FileRecord('(execution)', rootDir, now())]
      if (exitCode !== 0) for (const file of unfinished) file.addProblem(INTERRUPTED)
      for (const file of new Set([...files, ...unfinished])) this.#give(file)
    })
  }
}

/** Even then, a file without tests is reported as a file. */
const NO_ISOLATION = /--(experimental-)?test-isolation[= ]none\b/

const INTERRUPTED: Problem = {
  name: 'Interrupted',
  errors: [{ message: 'Node ended before it had reported everything.' }],
}
