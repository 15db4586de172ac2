import * as z from 'zod'
import { AttachmentNameSchema } from './attachment'
import { MAX_INLINE_ATTACHMENTS, MAX_INLINE_TEXT_BYTES, MAX_INLINE_TOTAL_BYTES } from '../inline-limits'
import { listOf } from '../list-schema'
import { optional } from '../optional'

/**
 * A small text attachment that comes with its run's creation; `text` is kept in UTF-8. Our addition: a service that
 * does not know it passes over it, and its response has no `inline_attachments`.
 */
export const InlineAttachmentSchema = z.object({
  name: AttachmentNameSchema,
  content_type: optional(z.string()),
  text: z
    .string()
    .refine((text) => text.isWellFormed(), 'must not contain lone surrogates')
    .refine(
      (text) => measureText(text) <= MAX_INLINE_TEXT_BYTES,
      `must have at most ${MAX_INLINE_TEXT_BYTES} bytes in UTF-8`,
    ),
})
export type InlineAttachment = z.output<typeof InlineAttachmentSchema>

export const InlineAttachmentsSchema = listOf(InlineAttachmentSchema)
  .max(MAX_INLINE_ATTACHMENTS)
  .refine(
    (all) => all.reduce((sum, { text }) => sum + measureText(text), 0) <= MAX_INLINE_TOTAL_BYTES,
    `must have at most ${MAX_INLINE_TOTAL_BYTES} bytes in UTF-8 together`,
  )

function measureText(text: string): number {
  return new TextEncoder().encode(text).byteLength
}
