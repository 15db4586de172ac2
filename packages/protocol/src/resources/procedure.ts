import * as z from 'zod'
import { listOf } from '../list-schema'
import { optional } from '../optional'
import { refusing } from '../refused-members'
import { IdentifierSchema, NumberTextSchema, TextSchema } from '../text-schema'
import { TimestampSchema } from '../time-schema'
import { ReturnedTimeSchema, createdByFields, PersonSchema, StationReferenceSchema } from './common'
import { pageOf, pageQueryFields, FilterTextSchema } from './page'
import { RunOutcomeSchema } from './outcomes'
import { RunListItemSchema } from './run'

const ProcedureNameSchema = TextSchema.trim().min(1).max(255)

export const ListProceduresQuerySchema = z.object({
  ...pageQueryFields,
  search_query: optional(FilterTextSchema),
  created_after: optional(TimestampSchema),
  created_before: optional(TimestampSchema),
})
export type ListProceduresQuery = z.output<typeof ListProceduresQuerySchema>

export const ProcedureListItemSchema = z.object({
  id: z.string(),
  identifier: z.string(),
  name: z.string(),
  created_at: ReturnedTimeSchema,
  /** The last five, newest first. This and `fpy`, which nothing computes yet, are for older clients. */
  runs: z.array(RunListItemSchema),
  fpy: z.null(),
  // Preview clients insist on the e-mail address here: empty for a user without one.
  created_by_user: PersonSchema.extend({ email: z.string() }).nullable(),
  linkedRepository: z.null(),
})
export type ProcedureListItem = z.output<typeof ProcedureListItemSchema>
export const ProcedurePageSchema = pageOf(ProcedureListItemSchema)

/** A client's account of a procedure's repository: only stored and returned. */
export const RepositorySettingsSchema = z.object({
  productionBranch: optional(TextSchema),
  autoPushEnabled: optional(z.boolean()),
  excludedBranchPatterns: optional(listOf(TextSchema).max(1000)),
  rootDirectory: optional(TextSchema),
  entryPoint: optional(TextSchema),
})
export type RepositorySettings = z.output<typeof RepositorySettingsSchema>

/** `POST /v2/procedures`; `identifier`, such as `FVT1`, is our addition. */
export const CreateProcedureRequestSchema = refusing(
  { name: ProcedureNameSchema, identifier: optional(IdentifierSchema) },
  Object.fromEntries(
    Object.keys(RepositorySettingsSchema.shape).map((name) => [
      name,
      'send it with PATCH /v2/procedures/{id}',
    ]),
  ),
)

export type CreateProcedureRequest = z.output<typeof CreateProcedureRequestSchema>

export const CreateProcedureResponseSchema = z.object({ id: z.string() })

export const UpdateProcedureRequestSchema = refusing(
  { ...RepositorySettingsSchema.shape, name: optional(ProcedureNameSchema) },
  { identifier: 'it stays as it was created' },
)
export type UpdateProcedureRequest = z.output<typeof UpdateProcedureRequestSchema>

/** `GET /v2/procedures/{id}`; what `PATCH` sets of its repository is our addition, null where it was never set. */
export const ProcedureDetailSchema = z.object({
  id: z.string(),
  identifier: z.string(),
  name: z.string(),
  created_at: ReturnedTimeSchema,
  created_by_user: PersonSchema.nullable(),
  linkedRepository: z.null(),
  runs_count: z.int(),
  /** The last ten, newest first. */
  recent_runs: z.array(
    z.object({
      id: z.string(),
      started_at: ReturnedTimeSchema,
      outcome: RunOutcomeSchema,
      unit: z.object({ serial_number: z.string() }).nullable(),
    }),
  ),
  stations: z.array(StationReferenceSchema),
  productionBranch: z.string().nullable(),
  autoPushEnabled: z.boolean().nullable(),
  excludedBranchPatterns: z.array(z.string()).nullable(),
  rootDirectory: z.string().nullable(),
  entryPoint: z.string().nullable(),
})
export type ProcedureDetail = z.output<typeof ProcedureDetailSchema>

/** `POST /v2/procedures/{procedure_id}/versions`; a tag is unique for its procedure, without regard to case. */
export const CreateVersionRequestSchema = z.object({ tag: NumberTextSchema })

export const VersionSchema = z.object({
  id: z.string(),
  tag: z.string(),
  created_at: ReturnedTimeSchema,
  procedure: z.object({ id: z.string(), name: z.string() }),
  run_count: z.int(),
  ...createdByFields,
})
export type Version = z.output<typeof VersionSchema>
