import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node'
import type { RecordedChild, RecordedModule, RecordedSuite, RecordedTest, Recording } from './recording'

const HERE = path.dirname(fileURLToPath(import.meta.url))

/** Reads a recorded execution, such as `main` of Vitest `4.1.12`. */
export function readRecording(name: string, version: string): Recording {
  return JSON.parse(readFileSync(path.join(HERE, `${name}-${version}.json`), 'utf8')) as Recording
}

/** Versions that have a recording of this execution, oldest first. */
export function listRecordedVersions(name: string): string[] {
  return readdirSync(HERE)
    .flatMap((file) => new RegExp(`^${name}-(.+)\\.json$`).exec(file)?.[1] ?? [])
    .sort()
}

/** Vitest's objects, rebuilt from what their public methods told when they were recorded. */
export class Replay {
  readonly modules: TestModule[]
  readonly #entities = new Map<string, TestModule | TestSuite | TestCase>()
  readonly #project: unknown

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
    const { root, version } = this.recording
    return {
      version,
      mode: 'test',
      projects: [],
      config: { root, watch: false, ...config },
    } as unknown as Vitest
  }

  /** Calls the hooks in the order of the recording, the last one excepted. */
  play(reporter: Reporter): void {
    for (const event of this.recording.events) {
      if (event.hook === 'onTestRunStart') {
        void reporter.onTestRunStart?.(Array.from({ length: event.specifications }) as never)
      } else if (event.hook === 'onUserConsoleLog') {
        void reporter.onUserConsoleLog?.(event.log)
      } else if (event.hook === 'onTestCaseAnnotate') {
        this.#annotate(reporter, event)
      } else {
        void reporter[event.hook]?.(this.#entities.get(event.id) as TestModule)
      }
    }
  }

  #annotate(reporter: Reporter, event: Extract<Recording['events'][number], { hook: 'onTestCaseAnnotate' }>) {
    const testCase = this.#entities.get(event.id) as TestCase
    const annotation = testCase.annotations()[event.index]
    if (!annotation) throw new Error(`no annotation ${event.index} of ${testCase.name}`)
    const live = Object.assign(Object.create(testCase) as TestCase, {
      result: () => event.result,
      diagnostic: () => event.diagnostic,
    })
    void reporter.onTestCaseAnnotate?.(live, annotation)
  }

  #createModule(recorded: RecordedModule): TestModule {
    const project = { ...(this.#project as object), name: recorded.project }
    const { moduleId, id, meta } = recorded
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
  function* walk(): Generator<TestSuite | TestCase> {
    for (const child of children) {
      yield child
      if (child.type === 'suite') yield* child.children as unknown as Iterable<TestSuite | TestCase>
    }
  }
  function* only(type: string): Generator<TestSuite | TestCase> {
    for (const child of walk()) if (child.type === type) yield child
  }
  return { [Symbol.iterator]: walk, allTests: () => only('test'), allSuites: () => only('suite') }
}
