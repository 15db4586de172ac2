import type { Environment, Options } from './config/options'
import { appendLines } from './config/handed-file'
import { NO_PROCEDURE, requireService, type ResolvedOptions, resolveOptions } from './config/resolve-options'
import type { RunResult } from './delivery/deliver-run'
import { completeWithoutSending, finishExecution } from './delivery/finish-execution'
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

export interface SuiteRecord {
  suite: Suite
  /** `empty`: none of its tests ran, so nothing is recorded. */
  status: 'recorded' | 'failed' | 'empty'
  url?: string | undefined
  /** Why it is not recorded, or which attachments are missing. */
  problems: string[]
}

export interface RecordedSuites {
  records: SuiteRecord[]
  keptCount: number
}

/**
 * Records suites of another tool, one run each, masked and through the spool like a reporter's. @throws ConfigError
 * without address, key or procedure. Returns no records if they go to the file of a repeated test.
 */
export async function recordSuites(
  suites: readonly Suite[],
  { facts, options, env }: RecordSettings,
): Promise<RecordedSuites> {
  const resolved = resolveForImport({ facts, options, env })
  const pipeline = openPipeline(resolved, facts, env) as Pipeline
  for (const suite of suites) pipeline.recorder.addSuite(suite)
  if (resolved.repeatFile !== undefined) {
    await appendLines(resolved.repeatFile, await completeWithoutSending(pipeline))
    return { records: [], keptCount: 0 }
  }
  const { runs, requests, keptCount } = await finishExecution(pipeline)
  const results = new Map(
    requests.map(({ report_variables }, index) => [report_variables?.['submission_id'], runs[index]]),
  )
  // Runs without a record come last, and have no request.
  const unmade = runs[requests.length]
  const records = suites.map((suite): SuiteRecord => {
    if (!isOnRecord({ suites: [suite] })) return { suite, status: 'empty', problems: [] }
    return { suite, ...describeResult(results.get(suite.submissionId) ?? unmade) }
  })
  return { records, keptCount }
}

function resolveForImport({ facts, options, env }: RecordSettings): ResolvedOptions {
  const given = resolveOptions({ ...options, runPer: 'suite' }, env, facts.rootDir)
  if (given.repeatFile !== undefined) return given
  const resolved = requireService(given, 'send to')
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

/** The number of runs in one request. */
const ASKED_AT_ONCE = 40

/** Ids of the runs with these submission ids. @throws ConfigError, NetworkError */
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
