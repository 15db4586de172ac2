import type { Options } from './options'
import type { Problem, Suite } from './suite'

/** What a reporter tells about itself and its framework when the execution begins. */
export interface ExecutionFacts {
  /** `jest`, `vitest` or `playwright`. */
  framework: string
  frameworkVersion: string
  /** Root of the project: file paths are relative to it, credentials and package.json are looked for from it upward. */
  rootDir: string
  startedAtMs: number
  /** `1/3`, when the execution is one shard of several. */
  shard?: string | undefined
}

/** How an execution ended for the record. `finish()` answers it and never throws. */
export type ExecutionResult =
  | { status: 'uploaded'; runs: number; failedRuns: number; url: string; notUploaded: string[] }
  | { status: 'skipped'; reason: string }
  | { status: 'failed'; error: Error; failOnUploadError: boolean }

/** What reporters hold: `addSuite` for each suite that finished, `finish` when the framework's last hook is called. */
export interface Execution {
  addSuite(suite: Suite): void
  /** An error that belongs to no suite; all of them together become a run with the file `(execution)`. */
  addProblem(problem: Problem): void
  /** Delivers everything, prints one line to stderr, never throws. */
  finish(): Promise<ExecutionResult>
}

/** Never throws: options that do not resolve are told by `finish()`. */
export declare function createExecution(facts: ExecutionFacts, options: Options): Execution
