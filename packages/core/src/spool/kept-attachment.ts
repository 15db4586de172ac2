import type { Inspections } from '../record/inspect-attachments'
import type { PlannedAttachment } from '../record/plan-attachments'
import type { DeliverableAttachment } from '../delivery/deliverable-run'
import { doFew } from '../util/map-concurrent'
import type { EarlyReceipts } from './early-receipts'
import type { EntryFolder } from './entry-folder'
import { fitsInEntry, keepInEntry, type FreshCopy, type KeptBytes, type OnCopied } from './keep-bytes'
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

/** Where a run's attachments are kept, and who sends them early. */
export interface KeepingPlace {
  files: RunFiles
  inspections: Inspections
  receipts: EarlyReceipts
  entry: EntryFolder
}

/**
 * Keeps what was only looked at before, and has each sent early as soon as it can be. Undefined when some cannot be kept
 * after all, which is noted: then the run is another. @throws SpoolError
 */
export async function keepAllPlanned(
  planned: readonly PlannedAttachment[],
  place: KeepingPlace,
): Promise<KeptAttachment[] | undefined> {
  const { receipts, entry } = place
  const keptOf = new Map<PlannedAttachment, KeptAttachment>()
  await doFew(planned, async (attachment) => {
    const onCopied = ({ path, sizeBytes, digest }: FreshCopy): void =>
      receipts.offerCopy(describeDeliverable({ ...attachment, source: { path }, sizeBytes }), digest, entry)
    const bytes = attachment.kept ?? (await keepPlanned(attachment, place, onCopied))
    if (bytes === undefined) return
    const kept = { ...attachment, ...withKept(bytes) }
    keptOf.set(attachment, kept)
    receipts.offer([describeDeliverable(kept)], entry)
  })
  if (keptOf.size < planned.length) return undefined
  return planned.map((attachment) => keptOf.get(attachment) as KeptAttachment)
}

async function keepPlanned(
  { of, source }: PlannedAttachment,
  { files, inspections }: KeepingPlace,
  onCopied: OnCopied,
): Promise<KeptBytes | undefined> {
  if (of === undefined)
    return 'bytes' in source ? (keepInEntry(source.bytes) ?? files.keepBytes(source.bytes)) : undefined
  const inspection = await files.inspect(of, onCopied)
  inspections.set(of, inspection)
  return 'refusal' in inspection ? undefined : inspection.kept
}

function withKept(kept: KeptBytes): Pick<KeptAttachment, 'source' | 'kept' | 'sizeBytes'> {
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
