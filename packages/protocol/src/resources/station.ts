import * as z from 'zod'
import { ImageIdSchema, ProcedureReferenceSchema, ReturnedTimeSchema } from './common'
import { optional } from '../optional'
import { refusing } from '../refused-members'
import { IdentifierSchema, TextSchema } from '../text-schema'
import { pageOf, pageQueryFields, queryList, FilterTextSchema } from './page'

export const StationNameSchema = TextSchema.trim().min(1).max(255)

/** `GET /v2/stations`, newest first. A station matches if any of `procedure_ids` (UUIDs or identifiers) is linked to it. */
export const ListStationsQuerySchema = z.object({
  ...pageQueryFields,
  search_query: optional(FilterTextSchema),
  procedure_ids: queryList(FilterTextSchema),
})
export type ListStationsQuery = z.output<typeof ListStationsQuerySchema>

// Preview clients require these keys. They are always null.
const previewFields = { image: z.null(), team: z.null(), connection_status: z.null() }

export const StationListItemSchema = z.object({
  id: z.string(),
  name: z.string(),
  identifier: z.string(),
  ...previewFields,
  procedures: z.array(ProcedureReferenceSchema),
  procedures_count: z.int(),
})
export type StationListItem = z.output<typeof StationListItemSchema>
export const StationPageSchema = pageOf(StationListItemSchema)

/** `POST /v2/stations`; `procedure_id`, a UUID or an identifier, is linked to it. Names need not be unique. */
export const CreateStationRequestSchema = refusing(
  {
    name: StationNameSchema,
    /** Made from the name when it is left out. */
    identifier: optional(IdentifierSchema).optional(),
    procedure_id: optional(z.string()),
  },
  { image_id: 'send it with PATCH /v2/stations/{id}', team_id: 'there are no teams' },
)
export type CreateStationRequest = z.output<typeof CreateStationRequestSchema>

/** `GET /v2/stations/{id}`; `api_key` is always null: a key is shown once, when it is issued. */
export const StationDetailSchema = z.object({
  id: z.string(),
  name: z.string(),
  identifier: z.string(),
  ...previewFields,
  created_at: ReturnedTimeSchema,
  api_key: z.null(),
  image_id: z.string().nullable(),
  procedures: z.array(
    ProcedureReferenceSchema.extend({
      /** Runs of the procedure that this station created. */
      runs_count: z.int(),
      deployment: z.null(),
    }),
  ),
  organization_slug: z.string(),
})
export type StationDetail = z.output<typeof StationDetailSchema>

/** `PATCH /v2/stations/{id}`. An empty `image_id` removes the image. There are no teams: any `team_id` is unknown. */
export const UpdateStationRequestSchema = refusing(
  {
    name: optional(StationNameSchema),
    image_id: optional(ImageIdSchema),
    team_id: optional(z.string()),
  },
  {
    identifier: 'it stays as it was created',
    procedure_id: 'link one with PUT /v2/stations/{id}/procedures/{procedure_id}',
  },
)
export type UpdateStationRequest = z.output<typeof UpdateStationRequestSchema>

export const StationResponseSchema = z.object({ id: z.string(), name: z.string(), identifier: z.string() })
export type StationResponse = z.output<typeof StationResponseSchema>
