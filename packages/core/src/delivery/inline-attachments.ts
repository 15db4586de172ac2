import {
  MAX_INLINE_ATTACHMENTS,
  MAX_INLINE_TOTAL_BYTES,
  type InlineAttachment,
  type TakenAttachment,
} from '@runledger/protocol'
import { formatList, formatWithText, quoteText } from '../format-json'
import type { Pieces } from '../pieces'
import type { DeliverableAttachment, DeliverableRun } from './deliverable-run'

/**
 * The attachments that go with the creation of their run, in `inline_attachments`: always the same ones, since the same
 * idempotency key must go with the same body, in whatever process. None once that has been given up for the run.
 */
export function listInline({ attachments, progress }: DeliverableRun): DeliverableAttachment[] {
  if (progress.isApart) return []
  let leftBytes = MAX_INLINE_TOTAL_BYTES
  const inline = attachments.filter(({ isInline, sizeBytes }) => {
    if (!isInline || sizeBytes > leftBytes) return false
    leftBytes -= sizeBytes
    return true
  })
  return inline.slice(0, MAX_INLINE_ATTACHMENTS)
}

/** The creation request with the texts in it, as JSON in UTF-8. */
export function formatCreation(requestJson: Uint8Array, inline: readonly DeliverableAttachment[]): Pieces {
  if (inline.length === 0) return [requestJson]
  const before = Buffer.from(',"inline_attachments":')
  return [requestJson.subarray(0, -1), before, ...formatList(inline.map(formatInline)), Buffer.from('}')]
}

function formatInline({ name, contentType, source }: DeliverableAttachment): Pieces {
  const members: Omit<InlineAttachment, 'text'> = { name, content_type: contentType }
  const bytes = 'bytes' in source ? source : { bytes: new Uint8Array(0) }
  return formatWithText(members, bytes.quoted ?? quoteText(bytes.bytes))
}

/** Of what a service says that it has taken, what it was given. */
export function findTaken(
  inline: readonly DeliverableAttachment[],
  taken: readonly TakenAttachment[] | undefined,
): TakenAttachment[] | undefined {
  if (inline.length === 0) return undefined
  return taken?.filter(({ name }) => inline.some((given) => given.name === name))
}
