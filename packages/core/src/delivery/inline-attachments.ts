import {
  MAX_INLINE_ATTACHMENTS,
  MAX_INLINE_TOTAL_BYTES,
  type InlineAttachment,
  type TakenAttachment,
} from '@runledger/protocol'
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
export function formatCreation(
  requestJson: Uint8Array,
  inline: readonly DeliverableAttachment[],
): Uint8Array {
  if (inline.length === 0) return requestJson
  const rest = `,"inline_attachments":${JSON.stringify(inline.map(describe))}}`
  return Buffer.concat([requestJson.subarray(0, -1), Buffer.from(rest)])
}

function describe({ name, contentType, source }: DeliverableAttachment): InlineAttachment {
  const text = 'bytes' in source ? Buffer.from(source.bytes).toString('utf8') : ''
  return { name, content_type: contentType, text }
}

/** Of what a service says that it has taken, what it was given. */
export function findTaken(
  inline: readonly DeliverableAttachment[],
  taken: readonly TakenAttachment[] | undefined,
): TakenAttachment[] | undefined {
  if (inline.length === 0) return undefined
  return taken?.filter(({ name }) => inline.some((given) => given.name === name))
}
