import { checkSize, findUnreadable, statFile, type Inspection } from '../record/inspect-attachments'
import { createDeliverableRun, type DeliverableRun } from '../delivery/deliverable-run'
import { describeError } from '../model/errors'
import { mapRun } from '../record/map-suite'
import { isOnRecord } from '../record/run-source'
import type { EntryFolder } from './entry-folder'
import type { SpoolEntry } from './spool-entry'
import { SpoolError, StrangeEntryError, toSpoolErrors } from './spool-error'
import {
  describeKept,
  restoreSource,
  type RawAttachment,
  type RestoredSource,
  type SuitePart,
} from './suite-part'
import type { Attachment } from '../model/suite'

/**
 * Reads a claimed entry; an execution that was cut short left the suites of a run in parts, which are joined now.
 * Undefined when there is nothing to put on record. @throws StrangeEntryError, SpoolError
 */
export async function loadEntry(folder: EntryFolder): Promise<SpoolEntry | undefined> {
  const content = await folder.read()
  if (!Array.isArray(content)) return content
  try {
    return await joinParts(folder, content)
  } catch (error) {
    if (error instanceof SpoolError) throw error
    throw new StrangeEntryError(`its parts make no run: ${describeError(error)}`, { cause: error })
  }
}

/** The run of an entry, with what came of it in other processes. */
export async function toDeliverableRun(folder: EntryFolder, entry: SpoolEntry): Promise<DeliverableRun> {
  const { submissionId, request, service, attachments } = entry
  return createDeliverableRun({
    submissionId,
    passed: request.run_passed,
    // As it was written, by whatever version, and may have been sent: members in their order, known here or not.
    requestJson: Buffer.from(JSON.stringify(request)),
    entry: folder,
    paths: { createPath: service.createPath, updatePath: service.updatePath },
    attachments: attachments.map((attachment) => {
      const { name, contentType, sizeBytes, sha256 } = attachment
      const source =
        'text' in attachment
          ? { bytes: Buffer.from(attachment.text) }
          : { path: folder.pathOf(attachment.file) }
      const isInline = 'text' in attachment && attachment.inline
      return { name, contentType, sizeBytes, sha256, source, isInline }
    }),
    events: await folder.readEvents(),
  })
}

/** What is on record must not be lost: nothing that is still to be sent may be in memory alone when its run is created. @throws SpoolError */
export async function syncUnsent(
  folder: EntryFolder,
  { attachments, progress }: DeliverableRun,
): Promise<void> {
  if (progress.answer !== undefined) return
  const files = attachments.filter(({ source }) => 'path' in source)
  if (files.length === 0) return
  const unsent = files.filter(({ name }) => !progress.ids.has(name))
  await folder.syncLeft(unsent.map(({ source }) => (source as { path: string }).path))
}

async function joinParts(folder: EntryFolder, parts: SuitePart[]): Promise<SpoolEntry | undefined> {
  const restored = restoreSource(parts, (file) => folder.pathOf(file))
  const { source, inspections } = restored
  if (!isOnRecord(source)) return undefined
  const { version, submissionId, createdAt, service, projectRoot, context } = parts.at(-1) as SuitePart
  await inspectUnread(restored, folder, context.maxAttachmentBytes)
  const { request, attachments } = mapRun(source, { ...context, inspections })
  const described: SpoolEntry['attachments'] = []
  for (const { name, contentType, kept: known, source: from } of attachments) {
    const kept = known ?? (await toSpoolErrors(() => folder.keep(from)))
    described.push(describeKept({ name, contentType, kept }))
  }
  const entry = { version, submissionId, createdAt, service, projectRoot, request, attachments: described }
  await folder.syncFiles()
  await folder.write(`${JSON.stringify(entry)}\n`)
  await folder.removeParts()
  return entry
}

/** Does what the execution had no time for; what cannot be had any more is said of each attachment. @throws SpoolError */
async function inspectUnread(
  { inspections, unread }: RestoredSource,
  folder: EntryFolder,
  maxBytes: number,
): Promise<void> {
  for (const { attachment, raw } of unread)
    inspections.set(attachment, await readRaw(attachment, { raw, folder, maxBytes }))
}

async function readRaw(
  attachment: Attachment & { path: string },
  { raw, folder, maxBytes }: { raw: RawAttachment; folder: EntryFolder; maxBytes: number },
): Promise<Inspection> {
  const found = await statFile(attachment.path)
  if ('refusal' in found) return found
  const isSame = found.size === raw.sizeBytes && ('file' in raw || found.mtimeMs === raw.mtimeMs)
  if (!isSame) return { refusal: 'the file was changed before it could be read' }
  const size = checkSize(found.size, maxBytes)
  if ('refusal' in size) return size
  const unreadable = await findUnreadable(attachment.path)
  if (unreadable) return unreadable
  const { path } = attachment
  return {
    ...size,
    kept: await toSpoolErrors(() => ('file' in raw ? folder.adopt({ path }) : folder.keep({ path }))),
  }
}
