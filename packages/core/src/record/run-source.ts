import type { RunPer } from '../config/options'
import { hasRun, type Suite } from '../model/suite'

/** File name on record of the run for errors that belong to no suite (packages/core/README.md#what-becomes-of-a-suite). */
export const EXECUTION_FILE = '(execution)'

/** The suites that share one run, and what the run is called. */
export interface RunSource {
  /** The project's name; empty when it has none or when the run has several. */
  project: string
  /** The suite's file; for a run of several suites the project's name or `(execution)`. */
  file: string
  suites: Suite[]
  /** With several suites in a run, each step's name begins with its file's path. */
  namesFiles: boolean
}

/** Sorts suites into runs as the option `runPer` says. */
export class RunSources {
  /** By the project's name; empty for all of the execution. */
  readonly #shared = new Map<string, RunSource>()
  /** As suites were first added: masking a suite's names later must not move it, nor reach the user's functions. */
  readonly #names = new WeakMap<Suite, Pick<Suite, 'project' | 'file'>>()

  constructor(private readonly runPer: RunPer) {}

  /** The suite's run as it is now, and an object that identifies it for as long as the suite or the run is there. */
  add(suite: Suite): { key: object; isShared: boolean; source: RunSource } {
    const names = this.#names.get(suite) ?? { project: suite.project, file: suite.file }
    this.#names.set(suite, names)
    // Errors that belong to no suite are a run of their own beside the projects' runs, which keep their own verdicts.
    const isOwn = this.runPer === 'suite' || (this.runPer === 'project' && names.file === EXECUTION_FILE)
    if (isOwn)
      return { key: suite, isShared: false, source: { ...names, suites: [suite], namesFiles: false } }
    const project = this.runPer === 'project' ? names.project : ''
    const file = project || EXECUTION_FILE
    const source = this.#shared.get(project) ?? { project, file, suites: [], namesFiles: true }
    this.#shared.set(project, source)
    if (!source.suites.includes(suite)) source.suites.push(suite)
    return { key: source, isShared: true, source }
  }
}

/** True when the record has something to say: a test ran, or something went wrong. */
export function isOnRecord({ suites }: Pick<RunSource, 'suites'>): boolean {
  return suites.some(
    (suite) =>
      suite.outcome === 'failed' ||
      suite.problems.length > 0 ||
      suite.tests.some((test) => hasRun(test.outcome)),
  )
}

/** The run's verdict: the framework's own for each of its suites, and no error that belongs to no test. */
export function isPassed({ suites }: Pick<RunSource, 'suites'>): boolean {
  return suites.every((suite) => suite.outcome === 'passed' && suite.problems.length === 0)
}
