import { CorruptLogError, describeError } from '../model/errors'
import { createProgress, type Progress } from '../model/run'
import { ExecutionLog, removeIdleExecution } from './execution-log'
import type { ExecutionLine } from './log-lines'
import { type LoggedRun, readLog } from './read-log'
import { dropRun, leaveLog } from './retention'
import { codeOf } from '../util/files'
import type { ListedExecution, SpoolFolder } from './spool-folder'

/** A run in the spool as a person looks at it. */
export interface WaitingRun {
  /** The run's submission id; of an execution that cannot be read, the execution's id. */
  id: string
  /** It stands for all runs of an execution that cannot be read. */
  isExecution: boolean
  /** Its execution's folder. */
  dir: string
  /**
   * - `waits`: the next execution or `upload` sends it;
   * - `refused`: the service will not take it as it is;
   * - `busy`: a process that runs has it;
   * - `quarantined`: it cannot be read.
   */
  state: 'waits' | 'refused' | 'busy' | 'quarantined'
  /** ISO 8601; when the suite had finished. */
  finishedAt: string
  /** Of its lines in the log and its files; of an execution that cannot be read, all bytes on the disk. */
  sizeBytes: number
  /** Why it is still here, where that is known. */
  reason: string | undefined
  /** The rest is unknown for an execution that cannot be read. */
  file?: string | undefined
  passed?: boolean
  service?: string
  projectRoot?: string
  attachments?: number | undefined
  /** Address of the run, when it is on record and only attachments are missing. */
  url?: string | undefined
}

/** Everything in a spool, oldest first, what cannot be read last. */
export async function listWaitingRuns(spool: SpoolFolder): Promise<WaitingRun[]> {
  const waiting: WaitingRun[] = []
  // One after the other: logs may be large.
  for (const execution of await spool.list()) waiting.push(...(await listRunsOf(spool, execution)))
  const quarantined = (await spool.listQuarantined()).map((execution) =>
    describeUnreadable(execution, 'quarantined'),
  )
  return [...waiting, ...quarantined]
}

/** What the log has of a run, with what came of it. @throws CorruptLogError */
export async function readWaitingRun({
  id,
  dir,
}: Pick<WaitingRun, 'id' | 'dir'>): Promise<{ run: LoggedRun; progress: Progress } | undefined> {
  const run = (await readLog(dir)).waiting.find(({ submissionId }) => submissionId === id)
  return run && { run, progress: createProgress(run.events) }
}

/** Removes a run from the spool for good; false when a process that runs has it, or it is gone. */
export async function dropWaitingRun({ id, dir, isExecution }: WaitingRun): Promise<boolean> {
  if (isExecution) return removeIdleExecution(dir)
  const opened = await ExecutionLog.open(dir)
  if (opened === undefined) return false
  const { log, content } = opened
  const run = content.waiting.find(({ submissionId }) => submissionId === id)
  try {
    if (run !== undefined) await dropRun(log, content, run)
  } finally {
    await leaveLog(log, content)
  }
  return run !== undefined
}

async function listRunsOf(spool: SpoolFolder, execution: ListedExecution): Promise<WaitingRun[]> {
  const isBusy = await spool.isBusy(execution)
  try {
    const { head, waiting } = await readLog(execution.dir)
    return waiting.map((run) => describeRun(run, { dir: execution.dir, head, isBusy }))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    const state = error instanceof CorruptLogError ? 'quarantined' : isBusy ? 'busy' : 'waits'
    return [describeUnreadable(execution, state, describeError(error))]
  }
}

function describeRun(
  run: LoggedRun,
  { dir, head, isBusy }: { dir: string; head: ExecutionLine; isBusy: boolean },
): WaitingRun {
  const { submissionId, finishedAt, line, suites, events } = run
  const { problem, response } = createProgress(events)
  const request = line?.request
  const { file } = suites[0]?.snapshot ?? {}
  const files = line?.attachments.map((attachment) => ('text' in attachment ? 0 : attachment.sizeBytes)) ?? []
  const sizes = [...files, Buffer.byteLength(JSON.stringify([line, suites, events]))]
  return {
    id: submissionId,
    isExecution: false,
    dir,
    state: isBusy ? 'busy' : problem?.isRefused ? 'refused' : 'waits',
    finishedAt,
    sizeBytes: sizes.reduce((sum, size) => sum + size, 0),
    reason: problem?.message,
    file: request?.report_variables?.['file'] ?? (typeof file === 'string' ? file : undefined),
    passed: request?.run_passed ?? suites.every(({ snapshot }) => snapshot['passed'] === true),
    service: head.service.url,
    projectRoot: head.projectRoot,
    attachments: line?.attachments.length,
    url: response?.url,
  }
}

function describeUnreadable(
  { executionId, dir, createdAtMs, sizeBytes }: ListedExecution,
  state: WaitingRun['state'],
  reason?: string,
): WaitingRun {
  return {
    id: executionId,
    isExecution: true,
    dir,
    state,
    finishedAt: new Date(createdAtMs).toISOString(),
    sizeBytes,
    reason,
  }
}
