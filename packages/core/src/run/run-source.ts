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

/** Sorts suites into runs as the option `runPer` says; the order of first sight is kept. */
export function collectRunSources(suites: readonly Suite[], runPer: RunPer): RunSource[] {
  if (runPer === 'suite') return suites.map((suite) => sourceOfSuite(suite))
  const sources = new Map<string, RunSource>()
  for (const suite of suites) {
    const project = runPer === 'project' ? suite.project : ''
    const source = sources.get(project)
    if (source) source.suites.push(suite)
    else sources.set(project, { project, file: project || EXECUTION_FILE, suites: [suite], namesFiles: true })
  }
  return [...sources.values()]
}

function sourceOfSuite(suite: Suite): RunSource {
  return { project: suite.project, file: suite.file, suites: [suite], namesFiles: false }
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

export function hasRun(outcome: string): boolean {
  return outcome === 'passed' || outcome === 'failed'
}
