import { rm } from 'node:fs/promises'
import { CorruptLogError } from '../model/errors'
import { ExecutionLog, removeIdleExecution } from './execution-log'
import type { StoredFile } from './log-lines'
import { findStored, type LoggedExecution, type LoggedRun } from './read-log'
import type { ListedExecution, SpoolFolder } from './spool-folder'

export interface SpoolBounds {
  maxAgeMs: number
  maxBytes: number
}

export const SPOOL_BOUNDS: SpoolBounds = { maxAgeMs: 30 * 24 * 60 * 60 * 1000, maxBytes: 2 * 1024 ** 3 }

export interface DroppedRuns {
  executionId: string
  createdAtMs: number
  runs: 'all' | number
  reason: 'age' | 'size'
}

/**
 * Drops executions that are too old, then the oldest until the rest fits; the newest loses only as many runs as needed. Skips
 * executions in use. Quarantined executions count.
 */
export async function enforceBounds(spool: SpoolFolder, bounds: SpoolBounds): Promise<DroppedRuns[]> {
  const all = [...(await spool.listQuarantined()), ...(await spool.list())]
  let excessBytes = all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) - bounds.maxBytes
  const dropped: DroppedRuns[] = []
  const idle = await listIdle(spool, all)
  for (const [index, execution] of idle.entries()) {
    const isOld = Date.now() - execution.createdAtMs > bounds.maxAgeMs
    if (!isOld && excessBytes <= 0) continue
    const { executionId, createdAtMs } = execution
    const isLast = index === idle.length - 1
    const drop = isOld || !isLast ? dropAll(execution) : dropOldestRuns(execution, excessBytes)
    // A failure to drop one does not stop the others.
    const runs = await drop
      .catch((error: unknown) => (error instanceof CorruptLogError ? dropAll(execution) : 0))
      .catch(() => 0)
    if (runs === 'all') excessBytes -= execution.sizeBytes
    if (runs !== 0) dropped.push({ executionId, createdAtMs, runs, reason: isOld ? 'age' : 'size' })
  }
  return dropped
}

async function listIdle(spool: SpoolFolder, all: readonly ListedExecution[]): Promise<ListedExecution[]> {
  const busy = await Promise.all(all.map((execution) => spool.isBusy(execution)))
  return all.filter((_, index) => !busy[index]).sort((a, b) => a.createdAtMs - b.createdAtMs)
}

async function dropAll({ dir }: ListedExecution): Promise<DroppedRuns['runs']> {
  return (await removeIdleExecution(dir)) ? 'all' : 0
}

/** Returns the number dropped. @throws CorruptLogError, SpoolError */
async function dropOldestRuns({ dir }: ListedExecution, excessBytes: number): Promise<number> {
  const opened = await ExecutionLog.open(dir)
  if (opened === undefined) return 0
  const { log, content } = opened
  let left = excessBytes
  let count = 0
  try {
    for (const run of content.waiting) {
      if (left <= 0) break
      left -= await dropRun(log, content, run)
      count += 1
    }
  } catch {
    // Reports what was dropped so far.
  } finally {
    await leaveLog(log, content)
  }
  return count
}

/** Releases a log, or removes it if nothing waits. Never rejects. */
export async function leaveLog(log: ExecutionLog, { waiting }: LoggedExecution): Promise<void> {
  if (waiting.length > 0) await log.release()
  else await log.remove()
}

/** Drops a run and the files that only it needs; returns the bytes freed. @throws SpoolError */
export async function dropRun(log: ExecutionLog, content: LoggedExecution, run: LoggedRun): Promise<number> {
  const others = content.waiting.filter((each) => each !== run)
  // Files first: on a full disk they make room for the line.
  const files = listUnneeded({ ...content, waiting: others }, run)
  for (const { file } of files) await rm(log.files.pathOf(file), { force: true })
  log.append({ kind: 'done', run: run.submissionId })
  content.waiting = others
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

/** A run of several suites (`runPer`) has no line, and so no known files, until it is sent: while one waits, all files stay. */
function listUnneeded({ waiting, copies }: LoggedExecution, run: LoggedRun): StoredFile[] {
  if (waiting.some(({ line }) => line === undefined)) return []
  const listFiles = ({ line }: LoggedRun): StoredFile[] =>
    (line?.attachments ?? []).flatMap((attachment) => findStored(attachment, copies) ?? [])
  const needed = new Set(waiting.flatMap(listFiles).map(({ file }) => file))
  return listFiles(run).filter(({ file }) => !needed.has(file))
}
