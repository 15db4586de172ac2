import * as z from 'zod'
import { optional } from '../optional'
import { refusing } from '../refused-members'
import { NumberTextSchema } from '../text-schema'
import {
  ReturnedTimeSchema,
  createdByFields,
  ImageIdSchema,
  NameSchema,
  RevisionReferenceSchema,
  UnitReferenceSchema,
} from './common'
import { pageOf, pageQueryFields, queryList, sortFields, FilterTextSchema } from './page'

export const ListPartsQuerySchema = z.object({
  ...pageQueryFields,
  ...sortFields(['created_at', 'name', 'number']),
  search_query: optional(FilterTextSchema),
  procedure_ids: queryList(FilterTextSchema),
})
export type ListPartsQuery = z.output<typeof ListPartsQuerySchema>

const partFields = { id: z.string(), number: z.string(), name: z.string(), created_at: ReturnedTimeSchema }

export const PartListItemSchema = z.object({
  ...partFields,
  revisions: z.array(RevisionReferenceSchema),
  ...createdByFields,
})
export type PartListItem = z.output<typeof PartListItemSchema>
export const PartPageSchema = pageOf(PartListItemSchema)

/** `image_id` is our addition. */
export const PartDetailSchema = z.object({
  ...partFields,
  image_id: z.string().nullable(),
  revisions: z.array(RevisionReferenceSchema.extend({ created_at: ReturnedTimeSchema })),
  ...createdByFields,
})
export type PartDetail = z.output<typeof PartDetailSchema>

/** A part is named after its number and has the default revision unless told otherwise. */
export const CreatePartRequestSchema = refusing(
  {
    number: NumberTextSchema,
    name: optional(NameSchema),
    revision_number: optional(NumberTextSchema),
  },
  { image_id: 'send it with PATCH /v2/parts/{number}' },
)
export type CreatePartRequest = z.output<typeof CreatePartRequestSchema>

/** A request that would change nothing is a mistake. */
export const UpdatePartRequestSchema = z
  .object({
    new_number: optional(NumberTextSchema),
    name: optional(NameSchema),
    image_id: optional(ImageIdSchema),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    message: 'must have one of new_number, name and image_id',
  })
export type UpdatePartRequest = z.output<typeof UpdatePartRequestSchema>

export const UpdatePartResponseSchema = z.object({
  id: z.string(),
  number: z.string(),
  name: z.string(),
  updated_at: ReturnedTimeSchema,
})
export type UpdatePartResponse = z.output<typeof UpdatePartResponseSchema>

export const DeletePartResponseSchema = z.object({ id: z.string(), deletedRevisionIds: z.array(z.string()) })
export type DeletePartResponse = z.output<typeof DeletePartResponseSchema>

export const CreateRevisionRequestSchema = refusing(
  { number: NumberTextSchema },
  { image_id: 'send it with PATCH /v2/parts/{part_number}/revisions/{revision_number}' },
)
export type CreateRevisionRequest = z.output<typeof CreateRevisionRequestSchema>

export const UpdateRevisionRequestSchema = z.object({
  number: optional(NumberTextSchema),
  image_id: optional(ImageIdSchema),
})
export type UpdateRevisionRequest = z.output<typeof UpdateRevisionRequestSchema>

/** `image_id` is our addition. */
export const RevisionDetailSchema = RevisionReferenceSchema.extend({
  image_id: z.string().nullable(),
  created_at: ReturnedTimeSchema,
  ...createdByFields,
  part: z.object({ id: z.string(), number: z.string(), name: z.string() }),
  units: z.array(UnitReferenceSchema),
})
export type RevisionDetail = z.output<typeof RevisionDetailSchema>
