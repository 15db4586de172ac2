import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node'
import type {
  RecordedChild,
  RecordedModule,
  RecordedMoment,
  RecordedSuite,
  RecordedTest,
  Recording,
} from './recording'

const HERE = path.dirname(fileURLToPath(import.meta.url))

/** Reads a recorded execution, such as `main` of Vitest `4.1.12`. */
export function readRecording(name: string, version: string): Recording {
  return JSON.parse(readFileSync(path.join(HERE, `${name}-${version}.json`), 'utf8')) as Recording
}

/** Name and Vitest version of every recorded execution. */
export function listRecordings(): [name: string, version: string][] {
  const names = readdirSync(HERE).map((file) => /^(\w+)-(.+)\.json$/.exec(file))
  return names.flatMap((name) => (name?.[1] && name[2] ? [[name[1], name[2]]] : []))
}

/** Versions that have a recording of this execution, oldest first. */
export function listRecordedVersions(name: string): string[] {
  return readdirSync(HERE)
    .flatMap((file) => new RegExp(`^${name}-(.+)\\.json$`).exec(file)?.[1] ?? [])
    .sort()
}

/** Vitest's objects, rebuilt from what their public methods returned when they were recorded. */
export class Replay {
  readonly modules: TestModule[]
  readonly #entities = new Map<string, TestModule | TestSuite | TestCase>()
  readonly #project: unknown
  #nowMs = 0

  constructor(readonly recording: Recording) {
    this.#project = { config: { root: recording.root } }
    this.modules = recording.end.modules.map((recorded) => this.#createModule(recorded))
  }

  module(file: string): TestModule {
    const found = this.modules.find(({ moduleId }) => path.basename(moduleId) === file)
    if (!found) throw new Error(`no module ${file} in this recording`)
    return found
  }

  /** What a reporter is given in `onInit`. */
  createVitest(config: Record<string, unknown> = {}): Vitest {
    const { root, version, dangerouslyIgnoreUnhandledErrors } = this.recording
    return {
      version,
      mode: 'test',
      projects: [],
      config: { root, watch: false, dangerouslyIgnoreUnhandledErrors, ...config },
    } as unknown as Vitest
  }

  /** The clock of the machine while it was recorded, as far as the replay has come. */
  readonly now = (): number => this.#nowMs

  /** Calls the hooks in the order of the recording, the last one excepted. */
  play(reporter: Reporter): void {
    for (const event of this.recording.events) {
      if ('atMs' in event) this.#nowMs = event.atMs
      if (event.hook === 'onTestRunStart') {
        void reporter.onTestRunStart?.(Array.from({ length: event.specifications }) as never)
      } else if (event.hook === 'onUserConsoleLog') {
        void reporter.onUserConsoleLog?.(event.log)
      } else if (event.hook === 'onTestCaseAnnotate') {
        const [testCase, live] = this.#findMoment(event)
        const annotation = testCase.annotations()[event.index]
        if (annotation) void reporter.onTestCaseAnnotate?.(live, annotation)
      } else if (event.hook === 'onTestCaseArtifactRecord') {
        const [testCase, live] = this.#findMoment(event)
        const artifact = testCase.artifacts()[event.index]
        if (artifact) void reporter.onTestCaseArtifactRecord?.(live, artifact)
      } else {
        void reporter[event.hook]?.(this.#entities.get(event.id) as TestModule)
      }
    }
  }

  /** Ends the execution as the recording does, the exit code of the process included. */
  async end(reporter: Pick<Reporter, 'onTestRunEnd'>): Promise<void> {
    const { atMs, exitCode, reason, unhandledErrors } = this.recording.end
    this.#nowMs = atMs
    process.exitCode = exitCode
    await reporter.onTestRunEnd?.(this.modules, unhandledErrors, reason)
  }

  /** The test as it is at the end, and as it was at that moment. */
  #findMoment({ id, result, diagnostic }: RecordedMoment): [testCase: TestCase, live: TestCase] {
    const testCase = this.#entities.get(id) as TestCase
    const live = Object.assign(Object.create(testCase) as TestCase, {
      result: () => result,
      diagnostic: () => diagnostic,
    })
    return [testCase, live]
  }

  #createModule(recorded: RecordedModule): TestModule {
    const { moduleId, id, meta } = recorded
    const uncheckedKeysByFile = recorded.hasObsoleteSnapshots ? [{ filePath: moduleId }] : []
    const vitest = { snapshot: { summary: { uncheckedKeysByFile } } }
    const project = { ...(this.#project as object), name: recorded.project, vitest }
    const testModule = { type: 'module', id, moduleId, project, meta: () => meta }
    this.#entities.set(id, testModule as unknown as TestModule)
    return this.#fill(testModule, recorded) as unknown as TestModule
  }

  #fill(entity: object, recorded: RecordedModule | RecordedSuite): object {
    const children = recorded.children.map((child) => this.#createChild(child, entity))
    return Object.assign(entity, {
      state: () => recorded.state,
      errors: () => recorded.errors,
      task: { result: { hooks: recorded.hooks } },
      children: createCollection(children),
    })
  }

  #createChild(recorded: RecordedChild, parent: object): TestSuite | TestCase {
    if (recorded.type === 'test') return this.#createTest(recorded, parent)
    const suite = { type: 'suite', id: recorded.id, name: recorded.name, parent }
    return this.#fill(suite, recorded) as TestSuite
  }

  #createTest(recorded: RecordedTest, parent: object): TestCase {
    const { id, name, options, result, diagnostic, meta, annotations, artifacts, attempts, pending } =
      recorded
    const testCase = {
      type: 'test',
      id,
      name,
      options,
      parent,
      project: this.#project,
      task: { result: { pending } },
      result: () => result,
      diagnostic: () => diagnostic,
      meta: () => meta,
      annotations: () => annotations,
      ...(artifacts && { artifacts: () => artifacts }),
      ...(attempts && { attempts: () => attempts }),
    } as unknown as TestCase
    this.#entities.set(id, testCase)
    return testCase
  }
}

function createCollection(children: (TestSuite | TestCase)[]) {
  function* allTests(): Generator<TestCase> {
    for (const child of children) {
      if (child.type === 'suite') yield* child.children.allTests()
      else yield child
    }
  }
  function* allSuites(): Generator<TestSuite> {
    for (const child of children) {
      if (child.type !== 'suite') continue
      yield child
      yield* child.children.allSuites()
    }
  }
  return { [Symbol.iterator]: () => children.values(), allTests, allSuites }
}
