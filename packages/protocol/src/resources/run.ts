import * as z from 'zod'
import { DurationSchema } from '../duration-schema'
import { optional } from '../optional'
import { TimestampSchema } from '../time-schema'
import { MetadataSchema, PersonSchema, SampleSchema, createdByFields } from './common'
import { MetadataFilterSchema } from './metadata-filter'
import { pageOf, pageQueryFields, QueryBooleanSchema, queryList, requiredQueryList } from './page'

export const RUN_OUTCOMES = ['PASS', 'FAIL', 'ERROR', 'TIMEOUT', 'ABORTED'] as const
export const RunOutcomeSchema = z.enum(RUN_OUTCOMES)
export type RunOutcome = z.output<typeof RunOutcomeSchema>

export const PhaseOutcomeSchema = z.enum(['PASS', 'FAIL', 'SKIP', 'ERROR'])
export const MeasurementOutcomeSchema = z.enum(['PASS', 'FAIL', 'UNSET'])

const RUN_SORT_KEYS = [
  'started_at',
  'created_at',
  'duration',
  'outcome',
  'serial_number',
  'part_number',
  'revision_number',
] as const

/** `GET /v2/runs`, newest first unless told otherwise. */
export const ListRunsQuerySchema = z.object({
  ...pageQueryFields,
  search_query: optional(z.string()),
  ids: queryList(z.string()),
  outcomes: queryList(RunOutcomeSchema),
  procedure_ids: queryList(z.string()),
  serial_numbers: queryList(z.string()),
  part_numbers: queryList(z.string()),
  revision_numbers: queryList(z.string()),
  duration_min: optional(DurationSchema),
  duration_max: optional(DurationSchema),
  started_after: optional(TimestampSchema),
  started_before: optional(TimestampSchema),
  ended_after: optional(TimestampSchema),
  ended_before: optional(TimestampSchema),
  created_after: optional(TimestampSchema),
  created_before: optional(TimestampSchema),
  sort_by: z.enum(RUN_SORT_KEYS).default('started_at'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
  metadata: MetadataFilterSchema,
  include_metadata: QueryBooleanSchema,
})
export type ListRunsQuery = z.output<typeof ListRunsQuerySchema>

const runHeadFields = {
  id: z.string(),
  created_at: z.string(),
  started_at: z.string(),
  ended_at: z.string(),
  duration: z.string(),
  outcome: RunOutcomeSchema,
  procedure: z.object({
    id: z.string(),
    name: z.string(),
    version: z.object({ id: z.string(), tag: z.string() }).nullable(),
  }),
  unit: z.object({
    id: z.string(),
    serial_number: z.string(),
    sample: SampleSchema.nullable(),
    part: z.object({
      id: z.string(),
      number: z.string(),
      name: z.string(),
      revision: z.object({ id: z.string(), number: z.string() }),
    }),
    batch: z.object({ id: z.string(), number: z.string() }).nullable(),
  }),
  docstring: z.string().nullable(),
  ...createdByFields,
  operated_by: PersonSchema.nullable(),
}

export const RunListItemSchema = z.object({ ...runHeadFields, metadata: MetadataSchema.optional() })
export type RunListItem = z.output<typeof RunListItemSchema>
export const RunPageSchema = pageOf(RunListItemSchema)

export const ValidatorSchema = z.object({
  outcome: MeasurementOutcomeSchema,
  operator: z.string().nullable(),
  expected_value: z
    .union([z.boolean(), z.number(), z.string(), z.array(z.number()), z.array(z.string())])
    .nullable(),
  expression: z.string(),
  is_decisive: z.boolean().nullable(),
  is_expression_only: z.boolean(),
  analytics_expression: z.string().nullable(),
  has_custom_expression: z.boolean(),
})
export type Validator = z.output<typeof ValidatorSchema>

/** A measurement; a v1 step's limits are its validators, `>=` the low one and `<=` the high one. */
export const MeasurementSchema = z.object({
  id: z.string(),
  name: z.string(),
  outcome: MeasurementOutcomeSchema,
  validators: z.array(ValidatorSchema).nullable(),
  units: z.string().nullable(),
  aggregations: z.null(),
  measured_value: z.union([z.number(), z.string(), z.boolean()]).nullable(),
  data_series: z.null(),
  docstring: z.string().nullable(),
})
export type Measurement = z.output<typeof MeasurementSchema>

/** A phase; a v1 step is one (contract decisions, v2 runs). */
export const PhaseSchema = z.object({
  id: z.string(),
  name: z.string(),
  outcome: PhaseOutcomeSchema,
  started_at: z.string(),
  ended_at: z.string(),
  duration: z.string(),
  retry_count: z.int(),
  measurements: z.array(MeasurementSchema),
  docstring: z.string().nullable(),
})
export type Phase = z.output<typeof PhaseSchema>

export const RunAttachmentSchema = z.object({
  id: z.string(),
  name: z.string(),
  size: z.number().nullable(),
  content_type: z.string().nullable(),
  is_report: z.boolean(),
  download_url: z.string().nullable(),
})
export type RunAttachment = z.output<typeof RunAttachmentSchema>

/** `GET /v2/runs/{id}`; `declared_attachments`, the names that the client said belong to the run, is our addition. */
export const RunDetailSchema = z.object({
  ...runHeadFields,
  phases: z.array(PhaseSchema),
  attachments: z.array(RunAttachmentSchema),
  declared_attachments: z.array(z.string()),
  logs: z.array(z.never()),
  sub_units: z.array(
    z.object({
      id: z.string(),
      serial_number: z.string(),
      part_number: z.string(),
      part_name: z.string().nullable(),
    }),
  ),
  metadata: MetadataSchema,
})
export type RunDetail = z.output<typeof RunDetailSchema>

/** `DELETE /v2/runs`. */
export const DeleteRunsQuerySchema = z.object({ ids: requiredQueryList(z.string()) })

/** Clients of different ages read the one key or the other. */
export const DeleteRunsAnswerSchema = z.object({ ids: z.array(z.string()), id: z.array(z.string()) })
