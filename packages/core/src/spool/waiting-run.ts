import path from 'node:path'
import { describeError } from '../model/errors'
import { readEntryFolder, readJournal } from './entry-files'
import type { FolderSpool, ListedEntry } from './folder-spool'
import { applyEvent, createProgress, type Progress } from './progress'
import type { SpoolEntry, SpoolHead } from './spool-entry'
import type { SuitePart } from './suite-part'

/** A run in the spool as a person looks at it. */
export interface WaitingRun {
  submissionId: string
  /** Its folder. */
  dir: string
  /**
   * - `waits`: the next execution or `upload` sends it;
   * - `refused`: the service will not take it as it is;
   * - `busy`: an execution that runs has it;
   * - `set-aside`: it cannot be read.
   */
  state: 'waits' | 'refused' | 'busy' | 'set-aside'
  /** ISO 8601; when the suite had finished. */
  createdAt: string
  /** All bytes of it on the disk. */
  sizeBytes: number
  /** Why it is still here, where that is known. */
  reason: string | undefined
  /** The rest is not known of an entry that cannot be read. */
  file: string | undefined
  passed: boolean | undefined
  service: string | undefined
  projectRoot: string | undefined
  attachments: number | undefined
  /** Address of the run, when it is on record and only attachments are missing. */
  url: string | undefined
}

/** Everything in a spool, oldest first, what was set aside last. */
export async function listWaitingRuns(spool: FolderSpool): Promise<WaitingRun[]> {
  const waiting = await Promise.all((await spool.list()).map((entry) => describeListed(spool, entry)))
  const setAside = (await spool.listSetAside()).map((entry) => ({
    ...describeStrange(entry),
    reason: undefined,
  }))
  return [...waiting, ...setAside]
}

/** The entry itself with what came of it, as it is on the disk. @throws StrangeEntryError */
export async function readWaitingRun({
  dir,
}: Pick<WaitingRun, 'dir'>): Promise<{ content: SpoolEntry | SuitePart[]; progress: Progress }> {
  return { content: await readEntryFolder(dir), progress: await readProgress(dir) }
}

/** Removes a run from the spool for good; false when an execution has it. */
export async function dropWaitingRun(
  spool: FolderSpool,
  { submissionId, dir }: WaitingRun,
): Promise<boolean> {
  if (path.dirname(dir) === path.resolve(spool.dir)) {
    const folder = await spool.open(submissionId)
    await folder?.remove()
    return folder !== undefined
  }
  await spool.drop(dir)
  return true
}

async function describeListed(spool: FolderSpool, entry: ListedEntry): Promise<WaitingRun> {
  const isBusy = await spool.isClaimed(entry.submissionId).catch(() => false)
  try {
    const { content, progress } = await readWaitingRun(entry)
    const { problem, answer } = progress
    return {
      ...describeContent(content),
      submissionId: entry.submissionId,
      dir: entry.dir,
      sizeBytes: entry.sizeBytes,
      state: isBusy ? 'busy' : problem?.isRefused ? 'refused' : 'waits',
      reason: problem?.message,
      url: answer?.url,
    }
  } catch (error) {
    return { ...describeStrange(entry), state: isBusy ? 'busy' : 'set-aside', reason: describeError(error) }
  }
}

function describeContent(content: SpoolEntry | SuitePart[]) {
  const head = (Array.isArray(content) ? content.at(-1) : content) as SpoolHead
  const facts = { createdAt: head.createdAt, service: head.service.url, projectRoot: head.projectRoot }
  if (Array.isArray(content)) {
    const isPassed = content.every(({ suite }) => suite['outcome'] === 'passed')
    return { ...facts, file: content[0]?.source.file, passed: isPassed, attachments: undefined }
  }
  const { request, attachments } = content
  return {
    ...facts,
    file: request.report_variables?.['file'],
    passed: request.run_passed,
    attachments: attachments.length,
  }
}

function describeStrange({ submissionId, dir, writtenAtMs, sizeBytes }: ListedEntry): WaitingRun {
  return {
    submissionId,
    dir,
    state: 'set-aside',
    createdAt: new Date(writtenAtMs).toISOString(),
    sizeBytes,
    reason: undefined,
    file: undefined,
    passed: undefined,
    service: undefined,
    projectRoot: undefined,
    attachments: undefined,
    url: undefined,
  }
}

async function readProgress(dir: string): Promise<Progress> {
  const progress = createProgress()
  for (const event of await readJournal(dir)) applyEvent(progress, event)
  return progress
}
