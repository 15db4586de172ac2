import { randomUUID } from 'node:crypto'
import { formatTimestampMs, type CreateRunRequest } from '@runledger/protocol'
import type { AttachmentContent, RunAttachment } from '../model/run'
import type { Attachment } from '../model/suite'
import type { RunRecord } from '../record/map-run'
import type { PlannedAttachment } from '../record/plan-attachments'
import type { RunSource } from '../record/run-source'
import type { LoggedAttachment, RunLine } from '../spool/log-lines'
import type { KeptAttachment } from './attachment-store'

/** A longer text is an attachment like others, in bytes: short ones are held in memory until they are sent. */
const SHORT_TEXT_BYTES = 32 * 1024

/** A short text in memory, or where an attachment's bytes are. */
export type KeptContent = { text: string; sizeBytes: number } | Exclude<KeptAttachment, { refusal: string }>

/** An attachment of a run, and where its bytes are. */
export interface RecordedAttachment extends Pick<PlannedAttachment, 'name' | 'contentType'> {
  content: KeptContent
}

/** One run of this execution, from its first suite to its delivery. */
export class RecordedRun {
  readonly submissionId = randomUUID()
  /** Of a run that several suites share, where the bytes of their attachments are. */
  readonly kept = new Map<Attachment, KeptAttachment>()
  /** The framework's verdict on what was recorded last. */
  isPassed = true
  /** Why no record could be made of it. */
  error: unknown
  /** The run as it was recorded last. */
  request: CreateRunRequest | undefined
  attachments: RecordedAttachment[] = []
  /** The verdict of the run in the log; undefined when the log has nothing of it. */
  writtenVerdict: boolean | undefined

  constructor(
    /** Several suites share the run. */
    readonly isShared: boolean,
    public source: RunSource,
  ) {}

  take(
    { request, attachments }: RunRecord,
    kept: ReadonlyMap<Attachment, KeptAttachment>,
    keepText: KeepText,
  ): void {
    this.request = request
    this.attachments = locateAttachments(attachments, kept, keepText)
  }

  toLine(): RunLine {
    const { submissionId: run, request, attachments } = this
    if (request === undefined) throw new Error('the run has no record')
    const finishedAt = formatTimestampMs(Date.now())
    return { kind: 'run', run, finishedAt, request, attachments: attachments.map(toLogged) }
  }
}

/** Keeps a text that core made. */
export type KeepText = (text: string) => KeptAttachment

/** Finds the bytes of planned attachments. */
export function locateAttachments(
  planned: readonly PlannedAttachment[],
  kept: ReadonlyMap<Attachment, KeptAttachment>,
  keepText: KeepText,
): RecordedAttachment[] {
  return planned.flatMap(({ name, contentType, content }): RecordedAttachment[] => {
    const found = typeof content === 'string' ? placeText(content, keepText) : kept.get(content)
    return found === undefined || 'refusal' in found ? [] : [{ name, contentType, content: found }]
  })
}

function placeText(text: string, keepText: KeepText): KeptContent | { refusal: string } {
  const sizeBytes = Buffer.byteLength(text)
  return sizeBytes <= SHORT_TEXT_BYTES ? { text, sizeBytes } : keepText(text)
}

export function toLogged({ name, contentType, content }: RecordedAttachment): LoggedAttachment {
  if ('text' in content) return { name, contentType, text: content.text }
  if ('bytes' in content) throw new Error('bytes of memory have no place in the log')
  return { name, contentType, ...content }
}

/** An attachment as it is sent; `pathOf` finds a file of the spool. */
export function toRunAttachment(
  { name, contentType, content }: RecordedAttachment,
  pathOf: (file: string) => string,
): RunAttachment {
  return { name, contentType, sizeBytes: content.sizeBytes, content: toContent(content, pathOf) }
}

function toContent(content: KeptContent, pathOf: (file: string) => string): AttachmentContent {
  if ('text' in content) return { text: content.text }
  if ('bytes' in content) return { bytes: content.bytes }
  if ('file' in content) return { path: pathOf(content.file), sha256: content.sha256 }
  return { path: content.path }
}
