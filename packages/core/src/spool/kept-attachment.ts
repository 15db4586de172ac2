import type { Inspections } from '../attachment/inspect-attachments'
import type { PlannedAttachment } from '../attachment/plan-attachments'
import type { DeliverableAttachment } from '../delivery/deliverable-run'
import { fitsInEntry, keepInEntry, type KeptBytes, type OnCopied } from './keep-bytes'
import type { RunFiles } from './run-files'

/** An attachment whose bytes the spool has. */
export type KeptAttachment = PlannedAttachment & { kept: KeptBytes }

/** All of a run's attachments, when none needs a file; undefined when one does. */
export function keepAllInEntry(planned: readonly PlannedAttachment[]): KeptAttachment[] | undefined {
  const kept = planned.map(({ of, source, kept: known }) =>
    of === undefined && 'bytes' in source ? (known ?? keepInEntry(source.bytes)) : undefined,
  )
  if (kept.includes(undefined)) return undefined
  return planned.map((attachment, index) => ({ ...attachment, ...withKept(kept[index] as KeptBytes) }))
}

/** Keeps what was only looked at before; why it cannot go after all is noted. @throws SpoolError */
export async function keepPlanned(
  { of, source }: PlannedAttachment,
  { files, inspections, onCopied }: { files: RunFiles; inspections: Inspections; onCopied: OnCopied },
): Promise<KeptBytes | undefined> {
  if (of === undefined)
    return 'bytes' in source ? (keepInEntry(source.bytes) ?? files.keepBytes(source.bytes)) : undefined
  const inspection = await files.inspect(of, onCopied)
  inspections.set(of, inspection)
  return 'refusal' in inspection ? undefined : inspection.kept
}

export function withKept(kept: KeptBytes): Pick<KeptAttachment, 'source' | 'kept' | 'sizeBytes'> {
  return { source: kept, kept, sizeBytes: kept.sizeBytes }
}

export function describeDeliverable({
  name,
  contentType,
  sizeBytes,
  source,
  kept,
  of,
}: PlannedAttachment): DeliverableAttachment {
  const isInline = of === undefined && 'bytes' in source && fitsInEntry(sizeBytes)
  return { name, contentType, sizeBytes, source, sha256: kept?.sha256, isInline }
}
