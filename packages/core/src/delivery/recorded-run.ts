import { randomUUID } from 'node:crypto'
import { formatTimestampMs, type CreateRunRequest } from '@runledger/protocol'
import type { Run, RunAttachment } from '../model/run'
import type { Attachment } from '../model/suite'
import type { RunRecord } from '../record/map-run'
import type { PlannedAttachment } from '../record/plan-attachments'
import type { RunSource } from '../record/run-source'
import type { LoggedAttachment, RunLine } from '../spool/log-lines'
import type { KeptAttachment, Refusal } from './attachment-store'

/** Longer texts become attachments with bytes; short ones stay in memory until they are sent. */
const SHORT_TEXT_BYTES = 32 * 1024

export interface RecordedAttachment extends Pick<PlannedAttachment, 'name' | 'contentType'> {
  content: string | Exclude<KeptAttachment, Refusal>
}

export class RecordedRun {
  /** The bytes of attachments, for a run that several suites share. */
  readonly kept = new Map<Attachment, KeptAttachment>()
  /** The framework's verdict on the last state. */
  isPassed = true
  error: unknown
  request: CreateRunRequest | undefined
  attachments: RecordedAttachment[] = []
  /** The run's verdict in the log; undefined if the log does not have it. */
  writtenVerdict: boolean | undefined

  constructor(
    readonly isShared: boolean,
    public source: RunSource,
    readonly submissionId: string = randomUUID(),
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

export type KeepText = (text: string) => KeptAttachment

export function locateAttachments(
  planned: readonly PlannedAttachment[],
  kept: ReadonlyMap<Attachment, KeptAttachment>,
  keepText: KeepText,
): RecordedAttachment[] {
  return planned.flatMap(({ name, contentType, content }): RecordedAttachment[] => {
    const isShort = typeof content === 'string' && Buffer.byteLength(content) <= SHORT_TEXT_BYTES
    if (isShort) return [{ name, contentType, content }]
    const found = typeof content === 'string' ? keepText(content) : kept.get(content)
    return found === undefined || 'refusal' in found ? [] : [{ name, contentType, content: found }]
  })
}

export function toLogged({ name, contentType, content }: RecordedAttachment): LoggedAttachment {
  if (typeof content === 'string') return { name, contentType, text: content }
  if ('bytes' in content) throw new Error('bytes of memory have no place in the log')
  return { name, contentType, ...content }
}

type PathOf = (file: string) => string

export function toRunAttachment(attachment: RecordedAttachment, pathOf: PathOf): RunAttachment {
  const { name, contentType, content } = attachment
  if (typeof content === 'string') return { name, contentType, content }
  if ('bytes' in content) return { name, contentType, content: content.bytes }
  if ('path' in content) return { name, contentType, content }
  return { name, contentType, content: { ...content, path: pathOf(content.file) } }
}

/** `locate` finds where the bytes finally are, or why they are lost. */
export async function listForSending<Named extends { name: string }>(
  attachments: readonly Named[],
  locate: (attachment: Named) => Promise<RecordedAttachment | Refusal>,
  pathOf: PathOf,
): Promise<Pick<Run, 'attachments' | 'lostAttachments'>> {
  const found: RunAttachment[] = []
  const lostAttachments: string[] = []
  for (const attachment of attachments) {
    const located = await locate(attachment)
    if ('refusal' in located) lostAttachments.push(`attachment "${attachment.name}": ${located.refusal}`)
    else found.push(toRunAttachment(located, pathOf))
  }
  return { attachments: found, lostAttachments }
}
