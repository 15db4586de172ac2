import { CorruptLogError, describeError } from '../model/errors'
import { createProgress, type Progress } from '../model/run'
import { ExecutionLog, removeIdleExecution } from './execution-log'
import type { ExecutionLine } from './log-lines'
import { type LoggedRun, readLog } from './read-log'
import { dropRun, leaveLog } from './retention'
import { codeOf } from '../util/files'
import type { ListedExecution, SpoolFolder } from './spool-folder'

export interface WaitingRun {
  /** The run's submission id; the execution's if it cannot be read. */
  id: string
  /** It stands for all runs of an unreadable execution. */
  isExecution: boolean
  dir: string
  /**
   * - `waits`: the next execution or `upload` sends it;
   * - `refused`: the service will not take it as it is;
   * - `busy`: a process that runs has it;
   * - `quarantined`: it cannot be read.
   */
  state: 'waits' | 'refused' | 'busy' | 'quarantined'
  /** When the suite had finished, ISO 8601. */
  finishedAt: string
  /** Bytes of its lines and files; all bytes of an unreadable execution. */
  sizeBytes: number
  reason: string | undefined
  /** The rest is unknown for an unreadable execution. */
  file?: string | undefined
  passed?: boolean
  service?: string
  projectRoot?: string
  attachments?: number | undefined
  /** Set if the run is on record and only attachments are missing. */
  url?: string | undefined
}

/** Oldest first, unreadable ones last. */
export async function listWaitingRuns(spool: SpoolFolder): Promise<WaitingRun[]> {
  const waiting: WaitingRun[] = []
  // Sequential, because logs may be large.
  for (const execution of await spool.list()) waiting.push(...(await listRunsOf(spool, execution)))
  const quarantined = (await spool.listQuarantined()).map((execution) =>
    describeUnreadable(execution, 'quarantined'),
  )
  return [...waiting, ...quarantined]
}

/** @throws CorruptLogError */
export async function readWaitingRun({
  id,
  dir,
}: Pick<WaitingRun, 'id' | 'dir'>): Promise<{ run: LoggedRun; progress: Progress } | undefined> {
  const run = (await readLog(dir)).waiting.find(({ submissionId }) => submissionId === id)
  return run && { run, progress: createProgress(run.events) }
}

/** False if a process has it, or it is gone. */
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
