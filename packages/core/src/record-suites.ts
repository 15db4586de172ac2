import type { Environment, Options } from './config/options'
import { NO_PROCEDURE, requireService, resolveOptions, type SendingOptions } from './config/resolve-options'
import type { RunResult } from './delivery/deliver-run'
import { finishExecution } from './delivery/finish-execution'
import { openSender } from './delivery/sender'
import { ConfigError, describeError, explainFailure } from './model/errors'
import type { ExecutionFacts, Suite } from './model/suite'
import { openPipeline, type Pipeline } from './pipeline'
import { isOnRecord } from './record/run-source'
import { openConnection } from './transport/connection'

export interface RecordSettings {
  facts: ExecutionFacts
  options: Options
  env: Environment
}

/** What became of a suite. */
export interface SuiteRecord {
  suite: Suite
  /** `empty`: none of its tests ran, so there is nothing to put on record. */
  status: 'recorded' | 'failed' | 'empty'
  /** Address of its run. */
  url?: string | undefined
  /** Why it is not on record, or which attachments of it are not. */
  problems: string[]
}

export interface RecordedSuites {
  records: SuiteRecord[]
  /** How many runs wait in the spool, as a whole or in part. */
  keptCount: number
}

/**
 * Puts suites that another tool has recorded on record, one run for each, as a reporter would: masked, through the spool.
 * @throws ConfigError when there is no address, key or procedure; then nothing is recorded
 */
export async function recordSuites(
  suites: readonly Suite[],
  { facts, options, env }: RecordSettings,
): Promise<RecordedSuites> {
  const resolved = resolveForImport({ facts, options, env })
  const pipeline = openPipeline(resolved, facts, env) as Pipeline
  for (const suite of suites) pipeline.recorder.addSuite(suite)
  const { runs, requests, keptCount } = await finishExecution(pipeline)
  const results = new Map(
    requests.map(({ report_variables }, index) => [report_variables?.['submission_id'], runs[index]]),
  )
  // Runs of which no record could be made come last, and have no request.
  const unmade = runs[requests.length]
  const records = suites.map((suite): SuiteRecord => {
    if (!isOnRecord({ suites: [suite] })) return { suite, status: 'empty', problems: [] }
    return { suite, ...describeResult(results.get(suite.submissionId) ?? unmade) }
  })
  return { records, keptCount }
}

/** @throws ConfigError */
function resolveForImport({ facts, options, env }: RecordSettings): SendingOptions {
  const all: Options = { ...options, runPer: 'suite' }
  const resolved = requireService(resolveOptions(all, env, facts.rootDir), 'send to')
  if (resolved.procedureId === undefined) throw new ConfigError(NO_PROCEDURE)
  return resolved
}

function describeResult(result: RunResult | undefined): Omit<SuiteRecord, 'suite'> {
  if (result?.status === 'delivered') {
    const { response, problems } = result
    return { status: 'recorded', url: response.url, problems }
  }
  const reason = [describeError(result?.error), explainFailure(result?.error)].filter(Boolean).join('; ')
  return { status: 'failed', problems: [reason] }
}

/** The service is asked for so many runs in one request. */
const ASKED_AT_ONCE = 40

/**
 * The ids of the runs that are on record under these submission ids. @throws ConfigError without address or key,
 * NetworkError when there is no response
 */
export async function findOnRecord(
  submissionIds: readonly string[],
  { facts, options, env }: RecordSettings,
): Promise<Map<string, string>> {
  const resolved = requireService(resolveOptions(options, env, facts.rootDir), 'ask')
  const { deadlineMs } = resolved
  const connection = await openConnection(resolved, env)
  const deadlineAtMs = Date.now() + deadlineMs
  const sender = openSender(connection, { options: resolved, deadlineAtMs, transferTimeoutMs: deadlineMs })
  const found = new Map<string, string>()
  try {
    for (let at = 0; at < submissionIds.length; at += ASKED_AT_ONCE) {
      const ids = await sender.findRunIds(submissionIds.slice(at, at + ASKED_AT_ONCE))
      for (const [submissionId, runId] of ids) found.set(submissionId, runId)
    }
    return found
  } finally {
    sender.close()
    await connection.transport.close()
  }
}
