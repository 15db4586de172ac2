/** What a run's creation may carry of small text attachments (`inline_attachments`): how many, and bytes of UTF-8. */
export const MAX_INLINE_ATTACHMENTS = 16
export const MAX_INLINE_TEXT_BYTES = 64 * 1024
export const MAX_INLINE_TOTAL_BYTES = 256 * 1024
