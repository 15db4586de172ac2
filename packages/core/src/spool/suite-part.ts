import type { Inspections } from '../record/inspect-attachments'
import type { RunContext } from '../record/map-suite'
import type { RunSource } from '../record/run-source'
import type { Attachment, Suite } from '../model/suite'
import type { KeptBytes } from './keep-bytes'
import type { SpooledAttachment, SuitePart } from './spool-schemas'

/** Bytes that were kept and not read yet, or where a file lay that was this one: length in bytes, time of its last change. */
export type RawAttachment =
  { file: string; sizeBytes: number } | { path: string; sizeBytes: number; mtimeMs: number }

/** An attachment of a suite in the spool: where its bytes are kept, or why it cannot go. */
interface StoredAttachment {
  name: string
  contentType?: string | undefined
  kept?: { file: string; sizeBytes: number; sha256: string } | undefined
  /** Written down at once, for somebody to read later. */
  raw?: RawAttachment | undefined
  refusal?: string | undefined
}

/** A suite whose attachments are stored ones, in their places. */
export type StoredSuite = Record<string, unknown> & { attachments: StoredAttachment[] }

/** What mapping needs beside suites, as it can be written down. */
export type StoredContext = Omit<RunContext, 'inspections'>

/** One suite of a run that several suites share, with all that is needed to make the run of those there are. */
export type { SuitePart } from './spool-schemas'

/** What is written down of an attachment's bytes. */
type StoredBytes = Pick<StoredAttachment, 'kept' | 'raw' | 'refusal'>

/** A suite as it is written down: plain data, its attachments by their kept files. */
export function storeSuite(suite: Suite, store: (attachment: Attachment) => StoredBytes): StoredSuite {
  return replaceAttachments(suite, (attachment) => {
    const { name, contentType } = attachment
    return { name, contentType, ...store(attachment) }
  }) as unknown as StoredSuite
}

/** Attachments as they were inspected, for `storeSuite`. */
export function storeInspected(inspections: Inspections): (attachment: Attachment) => StoredBytes {
  return (attachment) => {
    const inspection = inspections.get(attachment)
    if (inspection === undefined) return {}
    if ('refusal' in inspection) return { refusal: inspection.refusal }
    const { kept } = inspection
    return kept && 'path' in kept ? { kept: { ...kept, file: nameOf(kept.path) } } : {}
  }
}

export interface NamedKept {
  name: string
  contentType: string
  kept: KeptBytes
}

/** An attachment as its entry has it. */
export function describeKept(attachment: NamedKept): SpooledAttachment {
  const { kept } = attachment
  const facts = describeFacts(attachment)
  if ('path' in kept) return { ...facts, file: nameOf(kept.path) }
  return { ...facts, text: Buffer.from(kept.bytes).toString('utf8'), inline: true }
}

/** All but the bytes. */
export function describeFacts({
  name,
  contentType,
  kept,
}: NamedKept): Omit<SpooledAttachment, 'file' | 'text'> {
  const { sizeBytes, sha256 } = kept
  return { name, contentType, sizeBytes, sha256 }
}

/** Name of a kept file in its entry. */
export function nameOf(keptPath: string): string {
  return keptPath.split(/[/\\]/).at(-1) as string
}

export interface RestoredSource {
  source: RunSource
  inspections: Inspections
  /** Attachments that nobody has read yet. */
  unread: { attachment: Attachment & { path: string }; raw: RawAttachment }[]
}

/** The run's suites as they were, their attachments' bytes in the spool; `pathOf` finds a kept file. */
export function restoreSource(parts: readonly SuitePart[], pathOf: (file: string) => string): RestoredSource {
  const inspections: Inspections = new Map()
  const unread: RestoredSource['unread'] = []
  const restore = ({ name, contentType, kept, raw, refusal }: StoredAttachment): Attachment => {
    const file = kept?.file ?? (raw && 'file' in raw ? raw.file : undefined)
    const path = file === undefined ? (raw && 'path' in raw ? raw.path : '') : pathOf(file)
    const attachment = { name, contentType, path }
    if (kept) inspections.set(attachment, { sizeBytes: kept.sizeBytes, kept: { ...kept, path } })
    else if (raw) unread.push({ attachment, raw })
    else if (refusal !== undefined) inspections.set(attachment, { refusal })
    return attachment
  }
  const suites = parts.map(({ suite }) => replaceAttachments(suite as never, restore as never))
  const { source } = parts.at(-1) as SuitePart
  return { source: { ...source, suites }, inspections, unread }
}

function replaceAttachments(suite: Suite, replace: (attachment: Attachment) => unknown): Suite {
  const replaceIn = <Holder extends { attachments: Attachment[] }>(holder: Holder): Holder => ({
    ...holder,
    attachments: holder.attachments.map(replace),
  })
  return {
    ...replaceIn(suite),
    tests: suite.tests.map((test) => ({ ...test, attempts: test.attempts.map(replaceIn) })),
  }
}
