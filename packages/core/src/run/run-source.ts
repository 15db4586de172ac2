import type { RunPer } from '../options/options'
import type { Suite } from '../suite'

/** File name on record of the run for errors that belong to no suite (`product.md`, From a suite to a run). */
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

/**
 * Sorts suites into runs as the option `runPer` says; the order of first sight is kept. Errors that belong to no suite
 * stay a run of their own beside the projects': these keep their own verdicts.
 */
export function collectRunSources(suites: readonly Suite[], runPer: RunPer): RunSource[] {
  const sources = new Map<Suite | string, RunSource>()
  for (const suite of suites) {
    const key = deriveRunKey(suite, runPer)
    const source = sources.get(key)
    if (source) source.suites.push(suite)
    else sources.set(key, createRunSource(key, suite))
  }
  return [...sources.values()]
}

/** What tells a run from others: the project's name where suites share it (empty: all of the execution), else the suite. */
export function deriveRunKey(suite: Suite, runPer: RunPer): Suite | string {
  if (runPer === 'execution') return ''
  return runPer === 'suite' || suite.file === EXECUTION_FILE ? suite : suite.project
}

/** A run's source with its first suite. */
export function createRunSource(key: Suite | string, first: Suite): RunSource {
  if (typeof key !== 'string')
    return { project: first.project, file: first.file, suites: [first], namesFiles: false }
  return { project: key, file: key || EXECUTION_FILE, suites: [first], namesFiles: true }
}

/** True when the record has something to say: a test ran, or something went wrong. */
export function isOnRecord(source: RunSource): boolean {
  return source.suites.some(
    (suite) =>
      suite.outcome === 'failed' ||
      suite.problems.length > 0 ||
      suite.tests.some((test) => hasRun(test.outcome)),
  )
}

/** The run's verdict: the framework's own for each of its suites, and no error that belongs to no test. */
export function isPassed({ suites }: RunSource): boolean {
  return suites.every((suite) => suite.outcome === 'passed' && suite.problems.length === 0)
}

export function hasRun(outcome: string): boolean {
  return outcome === 'passed' || outcome === 'failed'
}
