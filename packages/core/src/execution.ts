import type { CreateRunResponse } from '@runledger/protocol'
import type { Environment, Options } from './config/options'
import { appendLines, REPEATED } from './config/handed-file'
import {
  readFailurePolicy,
  readProcessEnvironment,
  type ResolvedOptions,
  resolveOptions,
} from './config/resolve-options'
import { type RunResult, selectDelivered } from './delivery/deliver-run'
import { completeWithoutSending, type ExecutionResults, finishExecution } from './delivery/finish-execution'
import { isForkedPullRequest } from './environment/fork'
import { ConfigError, describeError, explainFailure } from './model/errors'
import type { FrameworkEnd } from './model/framework-end'
import { type ExecutionFacts, nameFramework, type Problem, type Suite } from './model/suite'
import { EXECUTION_FILE } from './record/run-source'
import { openPipeline, type Pipeline } from './pipeline'
import { describeJudgement } from './quarantine/describe-judgement'
import { Quarantine } from './quarantine/quarantine'
import type { Redactor } from './redact/redactor'
import { writeCiPages } from './report/ci-pages'
import { reportRun } from './report/run-report'
import {
  findLink,
  formatBuildLine,
  formatDeliveryLine,
  formatFlakyLine,
  formatSpoolLines,
  formatUnknownBranch,
  formatVerdicts,
  formatWaiting,
  joinClauses,
  knowsLinks,
  linkAddress,
} from './report/terminal-line'
import { describeIgnoredHomes } from './spool/spool-place'
import { formatLine, writeAtExit } from './util/print-warning'
import { rememberConnect } from './util/original-connect'

export type ExecutionResult = (
  | { status: 'uploaded'; runs: number; failedRuns: number; url: string; notUploaded: string[] }
  | { status: 'skipped'; reason: string }
  | { status: 'failed'; error: Error; failOnUploadError: boolean; savedTo?: string | undefined }
) & {
  /** All failures are quarantined: the execution passes. */
  isExcused?: true
}

/** The interface for reporters: `addSuite` for each finished suite, `finish` at the framework's last hook. */
export interface Execution {
  /**
   * Records a suite. Once the log is open and git has answered (about 0.1 s), it is on disk when this returns, except
   * attachments over 4 MiB, which are copied in the background. A suite that changes before `finish` is added again as
   * the same object.
   */
  addSuite(suite: Suite): void
  /** An error that belongs to no suite; all of them together become a run with the file `(execution)`. */
  addProblem(problem: Problem): void
  /** Waits until every suite added so far is on disk with its attachments, or cannot be stored. Never rejects. */
  settled(): Promise<void>
  /**
   * Delivers everything and prints lines to stderr at process exit. With `end`, and the option `quarantine`, it decides whether a
   * failed execution passes. Never throws.
   */
  finish(end?: FrameworkEnd): Promise<ExecutionResult>
}

/** Replaceable by tests. */
export interface ExecutionSurface {
  env: Environment
  print: (text: string) => void
  /** Whether the terminal shows links. */
  knowsLinks?: (() => boolean) | undefined
}

const PROCESS_SURFACE: ExecutionSurface = { env: readProcessEnvironment(), print: writeAtExit, knowsLinks }

/** Never throws: `finish()` reports options that cannot be resolved. */
export function createExecution(
  facts: ExecutionFacts,
  options: Options,
  surface: ExecutionSurface = PROCESS_SURFACE,
): Execution {
  rememberConnect()
  return new RecordedExecution(facts, options, surface)
}

class RecordedExecution implements Execution {
  readonly #problems: Problem[] = []
  /** Suites whose failures the CI's pages annotate at the end. */
  readonly #toAnnotate = new Set<Suite>()
  readonly #options: ResolvedOptions | Error
  readonly #failOnUploadError: boolean
  /** A pull request from a fork has no key, and the spool of its machine is discarded. */
  readonly #isKeylessFork: boolean
  readonly #pipeline: Pipeline | undefined
  readonly #quarantine: Quarantine | undefined

  constructor(
    private readonly facts: ExecutionFacts,
    options: Options,
    private readonly surface: ExecutionSurface,
  ) {
    this.#options = resolveOrError(options, surface.env, facts.rootDir)
    this.#failOnUploadError = readFailurePolicy(options, surface.env)
    const isKeyless = !(this.#options instanceof Error) && lacksKey(this.#options)
    this.#isKeylessFork = isKeyless && isForkedPullRequest(surface.env)
    this.#pipeline = this.#isKeylessFork ? undefined : openPipeline(this.#options, facts, surface.env)
    this.#quarantine = this.#openQuarantine()
  }

  addSuite(suite: Suite): void {
    const options = this.#options
    if (!(options instanceof Error) && options.annotations) this.#toAnnotate.add(suite)
    this.#pipeline?.recorder.addSuite(suite)
    this.#quarantine?.addSuite(suite)
  }

  addProblem(problem: Problem): void {
    this.#problems.push(problem)
  }

  async settled(): Promise<void> {
    await this.#pipeline?.recorder.settled()
  }

  async finish(end?: FrameworkEnd): Promise<ExecutionResult> {
    try {
      return await this.#deliver(end)
    } catch (error) {
      this.surface.print(formatLine(`nothing is on record: ${describeError(error)}`))
      return this.#failure(error)
    }
  }

  #openQuarantine(): Quarantine | undefined {
    const { facts, surface } = this
    const pipeline = this.#pipeline
    const isWanted = pipeline?.options.quarantine && pipeline.options.repeatFile === undefined
    return isWanted ? new Quarantine({ ...pipeline, facts, env: surface.env }) : undefined
  }

  async #deliver(end: FrameworkEnd | undefined): Promise<ExecutionResult> {
    const options = this.#options
    if (options instanceof Error) throw options
    if (options.disabled) return { status: 'skipped', reason: 'disabled' }
    if (this.#isKeylessFork) {
      this.surface.print(formatLine(KEYLESS_FORK))
      return { status: 'skipped', reason: KEYLESS_FORK }
    }
    const homes = options.spoolDir === undefined ? describeIgnoredHomes(this.surface.env) : []
    for (const warning of [...options.warnings, ...options.ignored, ...homes])
      this.surface.print(formatLine(warning))
    const pipeline = this.#pipeline as Pipeline
    if (this.#problems.length > 0) this.addSuite(createExecutionSuite(this.facts, this.#problems))
    if (options.repeatFile !== undefined) return this.#leaveRuns(pipeline, options.repeatFile)
    await this.#quarantine?.settle(end?.hasFailed === true)
    const results = await finishExecution(pipeline)
    const conclusion = this.#conclude(results, pipeline)
    return (await this.#excuses(end, results, conclusion)) ? { ...conclusion, isExcused: true } : conclusion
  }

  /** Whether all failures are quarantined, and the execution can pass. */
  async #excuses(
    end: FrameworkEnd | undefined,
    { requests, lostCount }: ExecutionResults,
    conclusion: ExecutionResult,
  ): Promise<boolean> {
    if (this.#quarantine === undefined || !end?.hasFailed) return false
    const { reasons, quarantined } = this.#quarantine.judge(end, requests, lostCount)
    if (conclusion.status === 'failed' && conclusion.failOnUploadError)
      reasons.push('not everything was delivered (failOnUploadError)')
    const { verdictFile } = this.#options as ResolvedOptions
    const canPass = end.decides === true || verdictFile !== undefined
    const verdict = { is_excused: canPass && reasons.length === 0, quarantined, reasons }
    if (verdictFile !== undefined)
      await appendLines(verdictFile, [verdict]).catch((error: unknown) => reasons.push(describeError(error)))
    this.surface.print(formatLine(describeJudgement({ reasons, quarantined }, canPass)))
    return canPass && reasons.length === 0
  }

  async #leaveRuns(pipeline: Pipeline, file: string): Promise<ExecutionResult> {
    await appendLines(file, await completeWithoutSending(pipeline))
    this.surface.print(formatLine(REPEATED))
    return { status: 'skipped', reason: REPEATED }
  }

  #conclude(
    results: ExecutionResults,
    { recorder, spool, redactor, options, contexts }: Pipeline,
  ): ExecutionResult {
    const { runs, keptCount } = results
    const build = formatBuildLine(results.build)
    if (runs.length === 0) {
      if (build !== '') this.surface.print(formatLine(build))
      return { status: 'skipped', reason: 'no test ran' }
    }
    if (contexts.ignored !== undefined) this.surface.print(formatLine(contexts.ignored))
    const undelivered = runs.find((result) => result.status === 'failed')
    const url = findLink(results)
    const advice = undelivered ? explainFailure(undelivered.error, options.credentialsFile) : ''
    const clauses = [formatDeliveryLine(results), advice, formatWaiting(results)]
    for (const line of formatFlakyLine(results.requests)) this.surface.print(formatLine(line))
    const last = formatLine(joinClauses(clauses))
    this.surface.print(this.surface.knowsLinks?.() ? linkAddress(last, url) : last)
    if (build !== '') this.surface.print(formatLine(build))
    const lines = [
      ...formatUnknownBranch(results.verdicts),
      ...formatSpoolLines(results, recorder.failure, spool.dir),
    ]
    for (const line of lines) this.surface.print(formatLine(line))
    if (redactor.hasTimedOut) this.surface.print(formatLine(PATTERN_TIMED_OUT))
    this.#writeCiPages(results, redactor, options)
    if (undelivered) {
      const savedTo = keptCount > 0 ? spool.dir : undefined
      return { ...this.#failure(undelivered.error), savedTo }
    }
    return {
      status: 'uploaded',
      runs: runs.length,
      failedRuns: runs.filter(({ passed }) => !passed).length,
      url: url ?? '',
      notUploaded: selectDelivered(runs).flatMap(({ problems }) => problems),
    }
  }

  #writeCiPages(results: ExecutionResults, redactor: Redactor, options: ResolvedOptions): void {
    const { requests, runs, verdicts } = results
    const { facts, surface } = this
    const ci = { env: surface.env, print: surface.print, options }
    try {
      const failure = runs.find((result) => result.status === 'failed')
      const trouble = failure ? `not everything is on record: ${describeError(failure.error)}` : ''
      const suites = [...this.#toAnnotate]
      redactor.maskTexts(suites)
      const account = {
        framework: nameFramework(facts),
        verdicts: runs.map(({ passed }) => passed),
        reports: requests.map((request, index) => reportRun(request, responseOf(runs[index]), verdicts)),
        url: findLink(results),
        trouble: redactor.maskText(trouble),
        build: results.build,
        failures: [formatVerdicts(verdicts), ...formatUnknownBranch(verdicts)],
        suites,
        rootDir: facts.rootDir,
      }
      writeCiPages(account, ci)
    } catch {
      // A failed job summary must not fail the upload.
    }
  }

  #failure(error: unknown): ExecutionResult & { status: 'failed' } {
    return { status: 'failed', error: toError(error), failOnUploadError: this.#failOnUploadError }
  }
}

const KEYLESS_FORK = 'pull requests from forks have no key: nothing is recorded'
const PATTERN_TIMED_OUT =
  'a pattern of redact (RUNLEDGER_REDACT) took too long: texts that could not be searched are masked whole'

function lacksKey({ apiKey, repeatFile }: ResolvedOptions): boolean {
  return apiKey === undefined && repeatFile === undefined
}

function resolveOrError(options: Options, env: Environment, rootDir: string): ResolvedOptions | Error {
  try {
    return resolveOptions(options, env, rootDir)
  } catch (error) {
    return toError(error)
  }
}

function responseOf(result: RunResult | undefined): CreateRunResponse | undefined {
  return result?.status === 'delivered' ? result.response : undefined
}

/** Errors that belong to no suite have a run of their own. */
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
