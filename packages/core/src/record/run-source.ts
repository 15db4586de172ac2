import type { RunPer } from '../config/options'
import { hasRun, type Suite } from '../model/suite'

/** The file of errors that belong to no file, and of a run of a whole execution. */
export const EXECUTION_FILE = '(execution)'

export interface RunSource {
  project: string
  /** The suite's file; for a shared run the project's name or `(execution)`. */
  file: string
  suites: Suite[]
  /** With several suites in a run, step names begin with the file's path. */
  namesFiles: boolean
}

export class RunSources {
  /** By the project's name; empty for the whole execution. */
  readonly #shared = new Map<string, RunSource>()
  /** Names as first added: masking them later must not move a suite or reach the user's functions. */
  readonly #names = new WeakMap<Suite, Pick<Suite, 'project' | 'file'>>()

  constructor(private readonly runPer: RunPer) {}

  /** The suite's run, and an object that identifies it. */
  add(suite: Suite): { key: object; isShared: boolean; source: RunSource } {
    const names = this.#names.get(suite) ?? { project: suite.project, file: suite.file }
    this.#names.set(suite, names)
    // Errors that belong to no suite have their own run, so that projects keep their verdicts.
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

/** True if a test ran or something went wrong. */
export function isOnRecord({ suites }: Pick<RunSource, 'suites'>): boolean {
  return suites.some(
    (suite) =>
      suite.outcome === 'failed' ||
      suite.problems.length > 0 ||
      suite.tests.some((test) => hasRun(test.outcome)),
  )
}

/** Passed if the framework passed each suite and no error belongs to no test. */
export function isPassed({ suites }: Pick<RunSource, 'suites'>): boolean {
  return suites.every((suite) => suite.outcome === 'passed' && suite.problems.length === 0)
}
