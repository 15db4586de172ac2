import * as z from 'zod'
import { optional } from '../optional'
import { BatchNumberSchema } from '../text-schema'
import { TimestampSchema } from '../time-schema'
import { ReturnedTimeSchema, createdByFields, PartReferenceSchema } from './common'
import { pageOf, pageQueryFields, queryList, sortFields, FilterTextSchema } from './page'

/** `GET /v2/batches`; parts and revisions are those of the batch's units. */
export const ListBatchesQuerySchema = z.object({
  ...pageQueryFields,
  ...sortFields(['created_at', 'number']),
  ids: queryList(FilterTextSchema),
  numbers: queryList(FilterTextSchema),
  created_after: optional(TimestampSchema),
  created_before: optional(TimestampSchema),
  search_query: optional(FilterTextSchema),
  part_numbers: queryList(FilterTextSchema),
  revision_numbers: queryList(FilterTextSchema),
})
export type ListBatchesQuery = z.output<typeof ListBatchesQuerySchema>

const batchFields = { id: z.string(), number: z.string(), created_at: ReturnedTimeSchema, ...createdByFields }

const BatchUnitsSchema = z.array(
  z.object({
    id: z.string(),
    serial_number: z.string(),
    created_at: ReturnedTimeSchema,
    part: PartReferenceSchema,
  }),
)

/** `units` are the first hundred by serial number, for older clients; `unit_count` counts all. */
export const BatchListItemSchema = z.object({ ...batchFields, unit_count: z.int(), units: BatchUnitsSchema })
export type BatchListItem = z.output<typeof BatchListItemSchema>
export const BatchPageSchema = pageOf(BatchListItemSchema)

export const BatchDetailSchema = z.object({
  ...batchFields,
  units: BatchUnitsSchema,
})
export type BatchDetail = z.output<typeof BatchDetailSchema>

export const CreateBatchRequestSchema = z.object({ number: BatchNumberSchema })

export const UpdateBatchRequestSchema = z.object({ new_number: BatchNumberSchema })

export const DeleteBatchResponseSchema = z.object({ id: z.array(z.string()) })
