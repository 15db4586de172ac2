import * as z from 'zod'
import { optional } from './optional'

// Separate from the request schemas: reporters load these without those.

/** Attachments of the creation that are stored and linked; those that are missing here have to be uploaded. */
export const TakenAttachmentsSchema = z.array(z.object({ name: z.string(), id: z.string().min(1) }))
export type TakenAttachment = z.output<typeof TakenAttachmentsSchema>[number]

/** Response to the initialisation of an upload (docs/interface.md#attachments). */
export const InitializeAttachmentResponseSchema = z.object({
  id: z.string().min(1),
  upload_url: z.string().min(1),
})
export type InitializeAttachmentResponse = z.output<typeof InitializeAttachmentResponseSchema>

/**
 * Other services may return only `url` (docs/interface.md#run-creation-in-v1). A member of ours in another form counts as
 * absent: the run is on record.
 */
export const CreateRunResponseSchema = z.object({
  url: z.string(),
  id: optional(z.string()).catch(undefined),
  message: optional(z.string()).catch(undefined),
  warnings: optional(z.array(z.string())).catch(undefined),
  group_url: optional(z.string()).catch(undefined),
  inline_attachments: optional(TakenAttachmentsSchema).catch(undefined),
})
export type CreateRunResponse = z.output<typeof CreateRunResponseSchema>
