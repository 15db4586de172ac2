import { AheadDelivery } from './delivery/ahead-delivery'
import { deliverOrLeave, prepareDelivery } from './delivery/deliver-or-leave'
import type { ExecutionDelivery } from './delivery/execution-delivery'
import type { RunDelivery } from './delivery/run-delivery'
import { ConfigError, describeError } from './model/errors'
import type { Environment, Options } from './config/options'
import { readProcessEnvironment } from './config/process-environment'
import { findMissingOption, resolveOptions, type ResolvedOptions } from './config/resolve-options'
import { openOutlet, type Outlet } from './outlet'
import { EXECUTION_FILE } from './record/run-source'
import type { Problem, Suite } from './model/suite'
import { hasPages } from './report/ci-surface'
import { explainFailure } from './model/explain-failure'
import { formatSpoolLines, formatWaiting } from './report/spool-lines'
import { formatLine, writeToStderr } from './util/tell-user'
import { linkAddress } from './report/terminal-link'
import { findLink, formatDeliveryLine, joinClauses } from './report/terminal-line'

/** What a reporter tells about itself and its framework when the execution begins. */
export interface ExecutionFacts {
  /** `jest`, `vitest` or `playwright`. */
  framework: string
  frameworkVersion: string
  /** Root of the project: file paths are relative to it, credentials and package.json are looked for from it upward. */
  rootDir: string
  startedAtMs: number
  /** The framework goes on without waiting for its reporters: a suite is on the disk when `addSuite` returns. */
  waitsForNobody?: boolean | undefined
  /** `1/3`, when the execution is one shard of several. */
  shard?: string | undefined
}

/** How an execution ended for the record. `finish()` answers it and never throws. */
export type ExecutionResult =
  | { status: 'uploaded'; runs: number; failedRuns: number; url: string; notUploaded: string[] }
  | { status: 'skipped'; reason: string }
  | { status: 'failed'; error: Error; failOnUploadError: boolean; savedTo?: string | undefined }

/** What reporters hold: `addSuite` for each suite that finished, `finish` when the framework's last hook is called. */
export interface Execution {
  /** The suite is on the disk soon after. When it changes before `finish`, the same object is added again and written over. */
  addSuite(suite: Suite): void
  /** An error that belongs to no suite; all of them together become a run with the file `(execution)`. */
  addProblem(problem: Problem): void
  /**
   * All suites have been added, though some may still change: what the end needs is loaded, and what is written is synced,
   * while the framework tidies up. Sends nothing, prints nothing, never throws.
   */
  prepareEnd(): void
  /**
   * No test runs any more: what is whole on the disk is sent while the framework tidies up. Suites that were added before
   * change no more. Prints nothing, never throws; only where the framework says so before its end.
   */
  testsEnded(): void
  /** Delivers everything, prints one line to stderr, never throws. */
  finish(): Promise<ExecutionResult>
  /** Waits until every suite added so far is on the disk, or cannot be put there. Never rejects. */
  settled(): Promise<void>
}

/** What an execution touches beside the network; tests pass their own. */
export interface ExecutionSurface {
  env: Environment
  print: (text: string) => void
  /** Where it prints, an address can be made a link. */
  knowsLinks?: (() => Promise<boolean>) | undefined
}

const PROCESS_SURFACE: ExecutionSurface = {
  env: readProcessEnvironment(),
  print: writeToStderr,
  knowsLinks: async () => {
    const isAsked = process.stderr.isTTY || readProcessEnvironment()['FORCE_HYPERLINK'] !== undefined
    return isAsked && (await import('./report/link-support')).knowsLinks()
  },
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
  readonly #problems: Problem[] = []
  /** What is told in the code once more, at the end; others are let go of. */
  readonly #toAnnotate = new Set<Suite>()
  readonly #options: ResolvedOptions | Error
  readonly #outlet: Outlet | undefined
  #ahead: AheadDelivery | undefined
  #isEnding = false

  constructor(
    private readonly facts: ExecutionFacts,
    options: Options,
    private readonly surface: ExecutionSurface,
  ) {
    this.#options = resolveOrError(options, surface.env, facts.rootDir)
    this.#outlet = openOutlet(this.#options, facts, surface.env)
    void this.#outlet?.keeper.prepare().catch(() => undefined)
  }

  addSuite(suite: Suite): void {
    if (this.#annotates) this.#toAnnotate.add(suite)
    if (this.facts.waitsForNobody) this.#outlet?.keeper.keepAtOnce(suite)
    this.#outlet?.keeper.add(suite)
  }

  async settled(): Promise<void> {
    await this.#outlet?.keeper.settled()
  }

  addProblem(problem: Problem): void {
    this.#problems.push(problem)
  }

  prepareEnd(): void {
    const outlet = this.#outlet
    // Whatever the framework does next comes first.
    if (outlet !== undefined) setImmediate(() => void prepareDelivery(outlet))
  }

  testsEnded(): void {
    const options = this.#options
    if (options instanceof Error || this.#outlet === undefined || this.#isEnding) return
    this.#ahead ??= new AheadDelivery({ ...this.#outlet, options, env: this.surface.env })
  }

  async finish(): Promise<ExecutionResult> {
    this.#isEnding = true
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
    const outlet = this.#outlet as Outlet
    if (this.#problems.length > 0) {
      const suite = createExecutionSuite(this.facts, this.#problems)
      if (this.#annotates) this.#toAnnotate.add(suite)
      outlet.keeper.add(suite)
    }
    const delivery = await deliverOrLeave({ ...outlet, options, env: this.surface.env, ahead: this.#ahead })
    return await this.#conclude(delivery, options)
  }

  async #conclude(delivery: ExecutionDelivery, options: ResolvedOptions): Promise<ExecutionResult> {
    const { deliveries, keptCount } = delivery
    const { keeper, spool, redactor } = this.#outlet as Outlet
    if (deliveries.length === 0) return { status: 'skipped', reason: 'no test ran' }
    const undelivered = deliveries.find((result) => result.status === 'failed')
    const advice = undelivered ? explainFailure(undelivered.error) : ''
    const parts = [formatDeliveryLine(deliveries), advice, formatWaiting(delivery)]
    const url = findLink(deliveries)
    const summary = formatLine(joinClauses(parts))
    const knowsLinks = await this.surface.knowsLinks?.().catch(() => false)
    this.surface.print(knowsLinks ? linkAddress(summary, url) : summary)
    for (const line of formatSpoolLines(delivery, keeper.failure, spool.dir))
      this.surface.print(formatLine(line))
    if (redactor.hasTired) this.surface.print(formatLine(TIRED))
    try {
      await this.#tellCi(delivery, options)
    } catch {
      // What is on record is on record, whatever a page has of it.
    }
    if (undelivered) {
      const savedTo = keptCount > 0 ? spool.dir : undefined
      return { status: 'failed', error: toError(undelivered.error), savedTo, ...failurePolicy(options) }
    }
    const delivered = deliveries.filter((result) => result.status === 'delivered')
    return {
      status: 'uploaded',
      runs: deliveries.length,
      failedRuns: deliveries.filter(({ passed }) => !passed).length,
      url: url ?? '',
      notUploaded: delivered.flatMap(({ problems }) => problems),
    }
  }

  async #tellCi({ requests, deliveries }: ExecutionDelivery, options: ResolvedOptions): Promise<void> {
    const { facts, surface } = this
    const ci = { env: surface.env, print: surface.print, options }
    if (!hasPages(ci)) return
    const { reportRun, tellCi } = await import('./report/ci-pages')
    const { redactor } = this.#outlet as Outlet
    const failure = deliveries.find((result) => result.status === 'failed')
    const trouble = failure ? `not everything is on record: ${describeError(failure.error)}` : ''
    const suites = [...this.#toAnnotate]
    redactor.maskTexts(suites)
    const account = {
      framework: `${facts.framework} ${facts.frameworkVersion}`,
      verdicts: deliveries.map(({ passed }) => passed),
      reports: requests.map((json, index) => reportRun(json, deliveries[index] as RunDelivery)),
      url: findLink(deliveries),
      trouble: redactor.maskText(trouble),
      suites,
      rootDir: facts.rootDir,
    }
    tellCi(account, ci)
  }

  get #annotates(): boolean {
    return !(this.#options instanceof Error) && this.#options.annotations
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

const TIRED =
  'a pattern of redact (RUNLEDGER_REDACT) took too long: texts that it could not be looked for in are masked whole'

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
