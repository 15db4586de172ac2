import * as z from 'zod'
import { listOf, MAX_NAMED } from '../list-schema'
import { AttachmentNameSchema } from './attachment'
import { optional } from '../optional'
import { refusing } from '../refused-members'
import { BatchNumberSchema, IdSchema, NumberTextSchema } from '../text-schema'
import { TimestampSchema } from '../time-schema'
import { SubUnitSchema } from '../unit-under-test'
import {
  ReturnedTimeSchema,
  BatchReferenceSchema,
  createdByFields,
  ImageIdSchema,
  MetadataChangeSchema,
  MetadataInputSchema,
  MetadataSchema,
  PartReferenceSchema,
  ProcedureReferenceSchema,
  runReferenceFields,
  SampleSchema,
  UnitReferenceSchema,
} from './common'
import { MetadataFilterSchema } from './metadata-filter'
import {
  pageOf,
  pageQueryFields,
  QueryBooleanSchema,
  QueryIntegerSchema,
  queryList,
  requiredQueryList,
  sortFields,
  FilterTextSchema,
} from './page'
import { RunOutcomeSchema } from './outcomes'

/** Procedures, outcomes and start times are those of any one run of the unit, or with `latest_only` of its last started run. */
export const ListUnitsQuerySchema = z.object({
  ...pageQueryFields,
  ...sortFields(['created_at', 'serial_number', 'last_run_at', 'part_number', 'last_run_procedure']),
  search_query: optional(FilterTextSchema),
  ids: queryList(FilterTextSchema),
  serial_numbers: queryList(FilterTextSchema),
  part_numbers: queryList(FilterTextSchema),
  revision_numbers: queryList(FilterTextSchema),
  batch_numbers: queryList(FilterTextSchema),
  procedure_ids: queryList(FilterTextSchema),
  outcomes: queryList(RunOutcomeSchema),
  started_after: optional(TimestampSchema),
  started_before: optional(TimestampSchema),
  latest_only: QueryBooleanSchema,
  run_count_min: optional(QueryIntegerSchema),
  run_count_max: optional(QueryIntegerSchema),
  created_after: optional(TimestampSchema),
  created_before: optional(TimestampSchema),
  created_by_user_ids: queryList(FilterTextSchema),
  created_by_station_ids: queryList(FilterTextSchema),
  exclude_units_with_parent: QueryBooleanSchema,
  samples: queryList(SampleSchema),
  metadata: MetadataFilterSchema,
  include_metadata: QueryBooleanSchema,
})
export type ListUnitsQuery = z.output<typeof ListUnitsQuerySchema>

const unitFields = {
  id: z.string(),
  serial_number: z.string(),
  created_at: ReturnedTimeSchema,
  sample: SampleSchema.nullable(),
  part: PartReferenceSchema,
  ...createdByFields,
  batch: BatchReferenceSchema.nullable(),
}

export const UnitListItemSchema = z.object({
  ...unitFields,
  children: z.array(UnitReferenceSchema),
  parent: UnitReferenceSchema.nullable(),
  last_run: z
    .object({
      id: z.string(),
      outcome: RunOutcomeSchema,
      started_at: ReturnedTimeSchema,
      ended_at: ReturnedTimeSchema,
      procedure: ProcedureReferenceSchema,
    })
    .nullable(),
  metadata: MetadataSchema.nullable(),
})
export type UnitListItem = z.output<typeof UnitListItemSchema>
export const UnitPageSchema = pageOf(UnitListItemSchema)

export const UnitAttachmentSchema = z.object({
  id: z.string(),
  name: z.string(),
  size: z.number().nullable(),
  content_type: z.string().nullable(),
  download_url: z.string().nullable(),
})

export const RelatedUnitSchema = UnitReferenceSchema.extend({ part: PartReferenceSchema })

/** `GET /v2/units/{serial_number}`; `created_during` is the run that it was created with. */
export const UnitDetailSchema = z.object({
  ...unitFields,
  parent: RelatedUnitSchema.nullable(),
  children: z.array(RelatedUnitSchema),
  created_during: z.object(runReferenceFields).nullable(),
  attachments: z.array(UnitAttachmentSchema),
  /** Our addition. */
  image_id: z.string().nullable(),
  metadata: MetadataSchema,
})
export type UnitDetail = z.output<typeof UnitDetailSchema>

const WITH_PATCH = 'send it with PATCH /v2/units/{serial_number}'

export const CreateUnitRequestSchema = refusing(
  {
    serial_number: NumberTextSchema,
    part_number: NumberTextSchema,
    revision_number: NumberTextSchema,
    sample: optional(SampleSchema),
    metadata: optional(MetadataInputSchema),
  },
  { batch_number: WITH_PATCH, attachments: WITH_PATCH, image_id: WITH_PATCH },
)
export type CreateUnitRequest = z.output<typeof CreateUnitRequestSchema>

export const UpdateUnitRequestSchema = z.object({
  new_serial_number: optional(NumberTextSchema),
  part_number: optional(NumberTextSchema),
  revision_number: optional(NumberTextSchema),
  batch_number: optional(BatchNumberSchema),
  attachments: optional(listOf(IdSchema).max(MAX_NAMED)),
  sample: optional(SampleSchema),
  image_id: optional(ImageIdSchema),
  metadata: optional(MetadataChangeSchema),
})
export type UpdateUnitRequest = z.output<typeof UpdateUnitRequestSchema>

export const DeleteUnitsQuerySchema = z.object({ serial_numbers: requiredQueryList(z.string()) })
/** Clients of different ages read the one key or the other. */
export const DeleteUnitsResponseSchema = z.object({ ids: z.array(z.string()), id: z.array(z.string()) })

export const CreateUnitAttachmentRequestSchema = z.object({ name: AttachmentNameSchema })
export const DeleteUnitAttachmentsQuerySchema = z.object({ ids: requiredQueryList(IdSchema) })
export const DeleteUnitAttachmentsResponseSchema = z.object({ ids: z.array(z.string()) })

export const AddUnitChildRequestSchema = z.object({ child_serial_number: NumberTextSchema })
export const RemoveUnitChildQuerySchema = z.object({ child_serial_number: NumberTextSchema })

/** `PATCH /v1/units/{serial_number}`: replaces the sub-units; without the key they stay. */
export const UpdateV1UnitRequestSchema = z.object({
  sub_units: optional(listOf(SubUnitSchema).max(MAX_NAMED)),
})
export const UpdateV1UnitByNumberRequestSchema = UpdateV1UnitRequestSchema.extend({
  serial_number: NumberTextSchema,
})
export const UpdateV1UnitResponseSchema = z.object({ message: z.string(), id: z.string() })
