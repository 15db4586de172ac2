import * as z from 'zod'
import { listOf, MAX_NAMED } from '../list-schema'
import { createdByFields, ProcedureReferenceSchema, ReturnedTimeSchema } from './common'
import { pageOf, pageQueryFields, requiredQueryList } from './page'
import { MAX_ATTACHMENT_NAME_LENGTH } from '../text-limits'
import { optional } from '../optional'
import { refusing } from '../refused-members'
import { IdSchema, TextSchema } from '../text-schema'

/** An attachment's display name; never a path on any disk (docs/interface.md#attachments). */
export const AttachmentNameSchema = TextSchema.min(1).max(MAX_ATTACHMENT_NAME_LENGTH)

/** Initialisation of an upload (docs/interface.md#attachments). */
export const InitializeAttachmentRequestSchema = z.object({ name: AttachmentNameSchema })
export type InitializeAttachmentRequest = z.output<typeof InitializeAttachmentRequestSchema>

/** Update Run: links attachments by id; ids are added, never removed (docs/interface.md#attachments). */
export const UpdateRunRequestSchema = refusing(
  { attachments: optional(listOf(IdSchema).max(MAX_NAMED)) },
  {
    metadata: 'send it with PATCH /v2/runs/{id}/metadata',
    ...Object.fromEntries(
      [
        'outcome',
        'started_at',
        'ended_at',
        'docstring',
        'phases',
        'logs',
        'operated_by',
        'deployment_id',
      ].map((name) => [name, 'a run stays as it was created']),
    ),
  },
)
export type UpdateRunRequest = z.output<typeof UpdateRunRequestSchema>

export const UpdateRunResponseSchema = z.object({ id: z.string() })
export type UpdateRunResponse = z.output<typeof UpdateRunResponseSchema>

/** Initialisation as clients of the v1 era send it; the response is `{id, uploadUrl}`. */
export const V1InitializeUploadRequestSchema = z.object({
  name: AttachmentNameSchema,
  mimeType: optional(z.string()),
  sizeBytes: optional(z.number()),
})

export const V1InitializeUploadResponseSchema = z.object({ id: z.string(), uploadUrl: z.string() })

/** Links one uploaded file to a run, as clients of the v1 era do. */
export const SyncUploadRequestSchema = z.object({ upload_id: IdSchema, run_id: IdSchema })

export const SyncUploadResponseSchema = z.object({ id: z.string() })

export const FinalizeAttachmentResponseSchema = z.object({ url: z.string() })

export const ListUnlinkedQuerySchema = z.object(pageQueryFields)
export type ListUnlinkedQuery = z.output<typeof ListUnlinkedQuerySchema>

/** An attachment that belongs to nothing; one that stays so is deleted after some hours. */
export const UnlinkedAttachmentSchema = z.object({
  id: z.string(),
  name: z.string(),
  content_type: z.string().nullable(),
  /** Bytes; null until they are received. */
  size: z.number().nullable(),
  created_at: ReturnedTimeSchema,
  ...createdByFields,
  /** The procedure of the project key that uploaded it. */
  created_by_procedure: ProcedureReferenceSchema.nullable(),
})
export type UnlinkedAttachment = z.output<typeof UnlinkedAttachmentSchema>
export const UnlinkedPageSchema = pageOf(UnlinkedAttachmentSchema)

export const DeleteAttachmentsQuerySchema = z.object({ ids: requiredQueryList(IdSchema) })

/** The ids that were deleted; clients in the field read `id`. */
export const DeleteAttachmentsResponseSchema = z.object({ ids: z.array(z.string()), id: z.array(z.string()) })
