import { deliverRuns } from './delivery/deliver-runs'
import type { RunDelivery } from './delivery/deliver-run'
import { ConfigError, describeError } from './errors'
import type { Environment, Options } from './options/options'
import { readProcessEnvironment } from './options/process-environment'
import { findMissingOption, resolveOptions, type ResolvedOptions } from './options/resolve-options'
import { buildRecords } from './run/build-records'
import { EXECUTION_FILE } from './run/run-source'
import type { Problem, Suite } from './suite'
import { explainFailure } from './summary/explain-failure'
import { formatLine, writeToStderr } from './summary/tell-user'
import { findLink, formatDeliveryLine } from './summary/terminal-line'

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

/** What an execution touches beside the network; tests pass their own. */
export interface ExecutionSurface {
  env: Environment
  print: (text: string) => void
}

const PROCESS_SURFACE: ExecutionSurface = {
  env: readProcessEnvironment(),
  print: writeToStderr,
}

/** Never throws: options that do not resolve are told by `finish()`. */
export function createExecution(
  facts: ExecutionFacts,
  options: Options,
  surface: ExecutionSurface = PROCESS_SURFACE,
): Execution {
  return new RecordedExecution(facts, options, surface)
}

class RecordedExecution implements Execution {
  readonly #suites: Suite[] = []
  readonly #problems: Problem[] = []
  readonly #options: ResolvedOptions | Error

  constructor(
    private readonly facts: ExecutionFacts,
    options: Options,
    private readonly surface: ExecutionSurface,
  ) {
    this.#options = resolveOrError(options, surface.env, facts.rootDir)
  }

  addSuite(suite: Suite): void {
    this.#suites.push(suite)
  }

  addProblem(problem: Problem): void {
    this.#problems.push(problem)
  }

  async finish(): Promise<ExecutionResult> {
    try {
      return await this.#deliver()
    } catch (error) {
      return this.#fail(error)
    }
  }

  async #deliver(): Promise<ExecutionResult> {
    const options = this.#options
    if (options instanceof Error) throw options
    if (options.disabled) return { status: 'skipped', reason: 'disabled' }
    for (const warning of options.warnings) this.surface.print(formatLine(warning))
    if (options.apiKey === undefined) return this.#skip(NO_KEY)
    const missing = findMissingOption(options)
    if (missing) throw missing
    const { records, refused } = await buildRecords(this.#listSuites(), {
      facts: this.facts,
      options,
      env: this.surface.env,
    })
    if (records.length === 0 && refused[0]) throw refused[0].error
    if (records.length === 0) return { status: 'skipped', reason: 'no test ran' }
    const settings = { options, url: options.url as string, apiKey: options.apiKey, env: this.surface.env }
    return this.#conclude([...(await deliverRuns(records, settings)), ...refused], options)
  }

  #listSuites(): Suite[] {
    if (this.#problems.length === 0) return this.#suites
    return [...this.#suites, createExecutionSuite(this.facts, this.#problems)]
  }

  #conclude(deliveries: readonly RunDelivery[], options: ResolvedOptions): ExecutionResult {
    const undelivered = deliveries.find((delivery) => delivery.status === 'failed')
    const advice = undelivered ? explainFailure(undelivered.error) : ''
    const line = formatDeliveryLine(deliveries).trimEnd()
    this.surface.print(`${line}${advice ? `; ${advice}` : ''}\n`)
    const notUploaded = deliveries.flatMap((delivery) =>
      delivery.status === 'delivered' ? delivery.problems : [],
    )
    if (undelivered) return { status: 'failed', error: toError(undelivered.error), ...failurePolicy(options) }
    return {
      status: 'uploaded',
      runs: deliveries.length,
      failedRuns: deliveries.filter(({ passed }) => !passed).length,
      url: findLink(deliveries) ?? '',
      notUploaded,
    }
  }

  #skip(reason: string): ExecutionResult {
    this.surface.print(formatLine(reason))
    return { status: 'skipped', reason }
  }

  #fail(error: unknown): ExecutionResult {
    this.surface.print(formatLine(`nothing sent: ${describeError(error)}`))
    return { status: 'failed', error: toError(error), ...failurePolicy(this.#options) }
  }
}

const NO_KEY =
  'nothing sent: no API key. Set apiKey or RUNLEDGER_API_KEY, or start a service in this folder: npx runledger serve'

function resolveOrError(options: Options, env: Environment, rootDir: string): ResolvedOptions | Error {
  try {
    return resolveOptions(options, env, rootDir)
  } catch (error) {
    return toError(error)
  }
}

/** When the options do not resolve, the failure policy is unknown: then the build is left alone. */
function failurePolicy(options: ResolvedOptions | Error): { failOnUploadError: boolean } {
  return { failOnUploadError: !(options instanceof Error) && options.failOnUploadError }
}

/** The run of its own for errors that belong to no suite. */
function createExecutionSuite({ startedAtMs }: ExecutionFacts, problems: Problem[]): Suite {
  return {
    project: '',
    file: EXECUTION_FILE,
    startedAtMs,
    durationMs: Math.max(0, Date.now() - startedAtMs),
    outcome: 'failed',
    tests: [],
    problems,
    output: [],
    attachments: [],
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new ConfigError(describeError(error))
}
