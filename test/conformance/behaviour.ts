import type { RunDetail } from '@runledger/protocol'
import type { CommandResult, Framework, Project } from '../support/project'
import type { Service } from '../support/service'
import type { Span } from './clocks'
import type { Dialect } from './dialect'
import type { Target } from './target'

export type Verdict = 'PASS' | 'FAIL'

/** What must be on record of one run. */
export interface ExpectedRun {
  file: string
  /** Empty or absent: the run names no project. */
  project?: string
  outcome: Verdict
  /** All steps in their order; `unordered` compares them without it. */
  steps: [name: string, verdict: Verdict][]
  unordered?: boolean
  /**
   * Report variables that must have these values, such as `tests_failed: '1'`. Absent, `tests_passed` must be the number of
   * passed steps, `tests_flaky` and `retries` 0.
   */
  variables?: Record<string, string>
  /** What the suite's log must contain. */
  log?: (string | RegExp)[]
  /** Names of attachments beside the log, in any order; not compared when absent. */
  attachments?: string[]
}

/** One execution of a behaviour: a project, and all that must be on record afterwards. */
export interface Scenario {
  files: Record<string, string | Uint8Array>
  args?: string[]
  env?: Record<string, string>
  /** How long one command may take; five minutes by default. */
  timeoutMs?: number
  /** Exit code of the framework's command; it must be the same without our reporter. */
  exitCode: number | null
  /** Every run that the execution leaves, in any order; none for `[]`. */
  runs: ExpectedRun[]
  /**
   * Why this execution may break the invariant (a failed execution has a failed run, a passed one has none):
   * the framework tells reporters nothing, or a decision of ours; with the upstream reason. One that does not is a failure.
   */
  invariantException?: string
  /** Does what one plain command cannot (signals, shards that are merged). Default: runs the command once. */
  drive?: (execution: Execution) => Promise<CommandResult>
  /** Looks at what the other fields cannot express; throws what does not hold. */
  check?: (outcome: Observation) => Promise<void> | void
}

export interface Execution {
  project: Project
  target: Target
  /** Runs the framework's command once, sending to the service. */
  run: (args?: string[], env?: Record<string, string>) => Promise<CommandResult>
  /** Runs another command of an installed package in the project, sending to the service. */
  command: (command: PackageCommand) => Promise<CommandResult>
  /** Sends what the spool still holds, with `runledger upload`. */
  upload: () => Promise<CommandResult>
}

export interface PackageCommand {
  /** Path of its file inside node_modules. */
  bin: string
  args?: string[]
  env?: Record<string, string>
  /** Ends the command with SIGTERM a moment after its output matches. */
  until?: RegExp
  /** File that the command's stderr goes to; it is empty in the result. */
  stderr?: string
}

export interface Observation {
  result: CommandResult
  /** When the scenario's commands ran, on our clock. */
  span: Span
  runs: RunDetail[]
  service: Service
  project: Project
  target: Target
}

/** Something a framework cannot do or never tells, with the reason upstream. */
export interface NotPossible {
  notPossible: string
}

/** A behaviour of every reporter, written once; a scenario may differ by framework and version. */
export interface Behaviour {
  /** A sentence about what is on record, present tense. */
  name: string
  /** One of the behaviours that CI runs for every version, not only the newest. */
  isCore?: boolean
  /** What it needs: tags of `test/support/requirements.ts`. */
  tags?: string[]
  scenario: (dialect: Dialect, target: Target) => Scenario | NotPossible
}

export interface Chapter {
  title: string
  behaviours: Behaviour[]
}

export function isPossible(scenario: Scenario | NotPossible): scenario is Scenario {
  return !('notPossible' in scenario)
}

/** Picks by framework, for the parts of a scenario in which they really differ. */
export function pick<Value>(dialect: Dialect, choices: Record<Framework, Value>): Value {
  return choices[dialect.framework]
}
