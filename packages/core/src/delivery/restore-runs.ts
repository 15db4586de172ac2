import { statSync } from 'node:fs'
import { formatTimestampMs } from '@runledger/protocol'
import { CorruptLogError, toSpoolError } from '../model/errors'
import { createProgress, type ProgressEvent, type Run } from '../model/run'
import { mapRun } from '../record/map-run'
import { isOnRecord } from '../record/run-source'
import type { ExecutionLog } from '../spool/execution-log'
import {
  type LoggedAttachment,
  type RunLine,
  RunLineSchema,
  type StoredFile,
  type SuiteLine,
  type UncopiedFile,
} from '../spool/log-lines'
import { findStored, keyOfUncopied, type LoggedExecution, type LoggedRun } from '../spool/read-log'
import type { Refusal } from './attachment-store'
import { listForSending, locateAttachments, type RecordedAttachment, toLogged } from './recorded-run'
import { restoreRun } from './suite-snapshot'

export interface LeasedLog {
  log: ExecutionLog
  content: LoggedExecution
  /** Others may have written it: it sends nothing but its own files. */
  isForeign?: boolean | undefined
}

/**
 * Makes the run of a log's lines. Joins the suites of a shared run, and copies the remaining files. Undefined if there
 * is nothing to record. @throws CorruptLogError, SpoolError
 */
export async function restoreLoggedRun(taken: LeasedLog, logged: LoggedRun): Promise<Run | undefined> {
  const { log, content } = taken
  const line = (logged.line ??= joinSuites(log, logged))
  if (line === undefined) return undefined
  const locate = async (attachment: LoggedAttachment): Promise<RecordedAttachment | Refusal> => {
    const { name, contentType } = attachment
    if ('text' in attachment) return { name, contentType, content: attachment.text }
    const found = 'path' in attachment ? await findCopy(taken, attachment) : attachment
    return 'refusal' in found ? found : { name, contentType, content: found }
  }
  const { createPath, updatePath } = content.head.service
  return {
    submissionId: logged.submissionId,
    request: line.request,
    ...(await listForSending(line.attachments, locate, (file) => log.files.pathOf(file))),
    progress: createProgress(logged.events.filter((event) => stillApplies(line, content, event))),
    hasWaited: true,
    // A foreign spool must not choose the operation that the key is used for.
    ...(taken.isForeign ? {} : { paths: { createPath, updatePath } }),
    journal: {
      isKept: () => true,
      note: (event) => appendQuietly(log, { kind: 'event', run: logged.submissionId, event }),
      done: () => appendQuietly(log, { kind: 'done', run: logged.submissionId }),
    },
  }
}

/** Sets the missing procedure, in the log too: a retry must send the same body. @throws SpoolError */
export function addProcedure(log: ExecutionLog, { line }: LoggedRun, procedureId: string): void {
  if (line === undefined) return
  line.request.procedure_id = procedureId
  log.append(line)
}

/** Facts that cannot be noted are found again by the next sender. */
function appendQuietly(log: ExecutionLog, line: Parameters<ExecutionLog['append']>[0]): void {
  try {
    log.append(line)
  } catch {
    // The disk is full.
  }
}

/** Undefined, and marked as done, if no test ran. @throws CorruptLogError, SpoolError */
function joinSuites(log: ExecutionLog, { submissionId: run, suites }: LoggedRun): RunLine | undefined {
  const joined = mapSuites(suites.filter((suite) => suite !== undefined))
  if (joined === undefined) {
    log.append({ kind: 'done', run })
    return undefined
  }
  const keepText = (text: string): StoredFile => log.files.keepBytes(Buffer.from(text), '.log')
  const attachments = locateAttachments(joined.attachments, joined.kept, keepText).map(toLogged)
  const finishedAt = formatTimestampMs(Date.now())
  const line = RunLineSchema.safeParse({
    kind: 'run',
    run,
    finishedAt,
    request: joined.request,
    attachments,
  }).data
  if (line === undefined) throw new CorruptLogError('the suites of a run cannot be joined')
  log.append(line)
  return line
}

/** Another version may have written another shape. @throws CorruptLogError */
function mapSuites(lines: SuiteLine[]) {
  try {
    const { source, context, kept } = restoreRun(lines)
    return isOnRecord(source) ? { ...mapRun(source, context, kept), kept } : undefined
  } catch (error) {
    throw new CorruptLogError('the suites of a run cannot be joined', { cause: error })
  }
}

/** Copies a file now if the execution was killed before. @throws SpoolError */
async function findCopy(taken: LeasedLog, named: UncopiedFile): Promise<StoredFile | Refusal> {
  const { log, content, isForeign } = taken
  const known = content.copies.get(keyOfUncopied(named))
  if (known !== undefined) return known
  if (isForeign) return { refusal: 'its spool may be from elsewhere, and does not hold it' }
  if (named.isUnmasked) return { refusal: 'the execution was killed before it was searched for secrets' }
  if (!isUnchanged(named)) return { refusal: 'the execution was killed before it was copied' }
  try {
    const { path, changedAtMs } = named
    const stored = await log.files.copy(path)
    content.copies.set(keyOfUncopied(named), stored)
    log.append({ kind: 'file', path, changedAtMs, ...stored })
    return stored
  } catch (error) {
    throw toSpoolError(error)
  }
}

function isUnchanged({ path, sizeBytes, changedAtMs }: UncopiedFile): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && stats.size === sizeBytes && stats.mtimeMs === changedAtMs
}

/** False for an early attachment that has changed since. */
function stillApplies({ attachments }: RunLine, { copies }: LoggedExecution, event: ProgressEvent): boolean {
  if (event.type !== 'received' || event.file === undefined) return true
  const sent = attachments.find(({ name }) => name === event.attachment)
  return sent !== undefined && findStored(sent, copies)?.file === event.file
}
