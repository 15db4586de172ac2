import * as z from 'zod'
import { optional } from '../optional'
import { IdentifierSchema, TextSchema } from '../text-schema'
import { TimestampSchema } from '../time-schema'
import { pageOf, pageQueryFields } from './page'

/** `POST /v2/procedures`; `identifier`, such as `FVT1`, is our addition. */
export const CreateProcedureRequestSchema = z.object({
  name: TextSchema.trim().min(1).max(255),
  identifier: optional(IdentifierSchema),
})
export type CreateProcedureRequest = z.output<typeof CreateProcedureRequestSchema>

export const CreateProcedureAnswerSchema = z.object({ id: z.string() })

/** `GET /v2/procedures`, newest first. */
export const ListProceduresQuerySchema = z.object({
  ...pageQueryFields,
  search_query: optional(z.string()),
  created_after: optional(TimestampSchema),
  created_before: optional(TimestampSchema),
})
export type ListProceduresQuery = z.output<typeof ListProceduresQuerySchema>

export const ProcedureListItemSchema = z.object({
  id: z.string(),
  identifier: z.string().nullable(),
  name: z.string(),
  created_at: z.string(),
  created_by_user: z
    .object({ id: z.string(), name: z.string().nullable(), email: z.string().nullable() })
    .nullable(),
  linkedRepository: z.null(),
})
export type ProcedureListItem = z.output<typeof ProcedureListItemSchema>
export const ProcedurePageSchema = pageOf(ProcedureListItemSchema)
