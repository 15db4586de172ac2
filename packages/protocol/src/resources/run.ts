import * as z from 'zod'
import { IdSchema } from '../text-schema'
import { optional } from '../optional'
import { TimestampSchema } from '../time-schema'
import {
  ReturnedDurationSchema,
  ReturnedTimeSchema,
  BatchReferenceSchema,
  LogLevelSchema,
  MetadataChangeSchema,
  MetadataSchema,
  PartReferenceSchema,
  PersonSchema,
  ProcedureReferenceSchema,
  SampleSchema,
  createdByFields,
  runReferenceFields,
} from './common'
import { MeasurementSchema } from './measurement'
import { PhaseOutcomeSchema, RunOutcomeSchema } from './outcomes'
import {
  pageOf,
  pageQueryFields,
  QueryBooleanSchema,
  queryList,
  requiredQueryList,
  sortFields,
  FilterTextSchema,
} from './page'
import { MetadataFilterSchema } from './metadata-filter'
import { ReturnedLocationSchema, returnedFactFields, SkippedTestSchema } from './test-facts'
import { operatorFilterFields, periodFilterFields, runFilterFields } from './run-filter'

const RUN_SORT_KEYS = [
  'started_at',
  'created_at',
  'duration',
  'outcome',
  'serial_number',
  'part_number',
  'revision_number',
] as const

/** Most failures of a run that a list has. */
export const MAX_LISTED_FAILURES = 10

export const ListRunsQuerySchema = z.object({
  ...pageQueryFields,
  ...runFilterFields,
  ...operatorFilterFields,
  ...periodFilterFields,
  search_query: optional(FilterTextSchema),
  error_fingerprints: queryList(FilterTextSchema).meta({
    description: 'Runs that had an error with one of these fingerprints',
  }),
  ids: queryList(FilterTextSchema),
  outcomes: queryList(RunOutcomeSchema),
  procedure_ids: queryList(FilterTextSchema),
  ended_after: optional(TimestampSchema),
  ended_before: optional(TimestampSchema),
  created_after: optional(TimestampSchema),
  created_before: optional(TimestampSchema),
  ...sortFields(RUN_SORT_KEYS),
  metadata: MetadataFilterSchema,
  include_metadata: QueryBooleanSchema,
  include_failures: QueryBooleanSchema.meta({
    description: `Ours: with the first ${MAX_LISTED_FAILURES} \`failures\` of each run`,
  }),
})
export type ListRunsQuery = z.output<typeof ListRunsQuerySchema>

const runHeadFields = {
  ...runReferenceFields,
  procedure: ProcedureReferenceSchema.extend({
    version: z.object({ id: z.string(), tag: z.string() }).nullable(),
  }),
  unit: z.object({
    id: z.string(),
    serial_number: z.string(),
    sample: SampleSchema.nullable(),
    part: PartReferenceSchema,
    batch: BatchReferenceSchema.nullable(),
  }),
  docstring: z.string().nullable(),
  ...createdByFields,
  operated_by: PersonSchema.nullable(),
  /** Ours. */
  measurements_outside_limits: z.int().optional().meta({
    description:
      'Measurements of the last attempts whose outcome is FAIL or whose value is outside its limits: a run that passed may have some',
  }),
  /** Ours. */
  first_error: z.string().optional().meta({
    description: 'Message of the first error of a failed step, its first 1,000 characters',
  }),
}

/** A step that says why its run failed. */
export const RunFailureSchema = z.object({
  step: z.int().meta({ description: 'Index in the phases of the run' }),
  name: z.string(),
  location: ReturnedLocationSchema.optional(),
  message: z.string().optional().meta({
    description:
      'Of its first error, its first 1,000 characters; without one the measurement that failed, with its limits',
  }),
})
export type RunFailure = z.output<typeof RunFailureSchema>

export const RunListItemSchema = z.object({
  ...runHeadFields,
  metadata: MetadataSchema.optional(),
  /** Ours; absent for runs that passed. */
  failures: z.array(RunFailureSchema).optional(),
})
export type RunListItem = z.output<typeof RunListItemSchema>
export const RunPageSchema = pageOf(RunListItemSchema)

/** A phase; a v1 step is one (docs/interface.md#runs-of-v2), with docs/interface.md#facts-of-a-test. */
export const PhaseSchema = z.object({
  id: z.string(),
  name: z.string(),
  outcome: PhaseOutcomeSchema,
  started_at: ReturnedTimeSchema,
  ended_at: ReturnedTimeSchema,
  duration: ReturnedDurationSchema,
  retry_count: z.int(),
  measurements: z.array(MeasurementSchema),
  docstring: z.string().nullable(),
  ...returnedFactFields,
})
export type Phase = z.output<typeof PhaseSchema>

export const RunAttachmentSchema = z.object({
  id: z.string(),
  name: z.string(),
  size: z.number().nullable(),
  content_type: z.string().nullable(),
  is_report: z.boolean(),
  download_url: z.string().nullable(),
  open_url: z.string().nullable().optional().meta({
    description:
      'Where a browser opens a trace of Playwright, or a page (HTML, SVG) in a sandbox, without a key, until the address expires; null for other attachments, and where the service has no origin for files',
  }),
})
export type RunAttachment = z.output<typeof RunAttachmentSchema>

export const RunLogSchema = z.object({
  id: z.string(),
  level: LogLevelSchema,
  timestamp: ReturnedTimeSchema,
  message: z.string(),
  source_file: z.string(),
  line_number: z.int(),
})
export type RunLog = z.output<typeof RunLogSchema>

/**
 * Our additions: `declared_attachments`, the names that the client declared, and `skipped`, its tests that did not run.
 */
export const RunDetailSchema = z.object({
  ...runHeadFields,
  phases: z.array(PhaseSchema),
  skipped: z.array(SkippedTestSchema).optional(),
  attachments: z.array(RunAttachmentSchema),
  declared_attachments: z.array(z.string()),
  logs: z.array(RunLogSchema),
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

/** The list of runs as a page shows it: `GET /runs.md`. */
export const RunListPageQuerySchema = z.object({
  ...pageQueryFields,
  group: optional(FilterTextSchema).meta({ description: 'Runs with this report variable `group`' }),
  outcome: queryList(z.string().toUpperCase().pipe(RunOutcomeSchema)).meta({
    description: 'Runs with one of these outcomes',
  }),
  q: optional(FilterTextSchema).meta({ description: 'The `search_query` of `GET /v2/runs`' }),
  procedure: optional(FilterTextSchema).meta({ description: 'Id of the procedure' }),
  branch: optional(FilterTextSchema).meta({ description: 'Report variable `git_branch`' }),
  commit: optional(FilterTextSchema).meta({ description: 'Report variable `git_commit`, whole' }),
  unit: optional(FilterTextSchema).meta({ description: 'Serial number of the unit' }),
  part: optional(FilterTextSchema).meta({ description: 'Part number of the unit' }),
  batch: optional(FilterTextSchema).meta({ description: 'Batch number of the unit' }),
  station: optional(FilterTextSchema).meta({ description: 'Id of the station that created the run' }),
  operator: optional(FilterTextSchema).meta({ description: 'Id of the user who operated' }),
  error: optional(FilterTextSchema).meta({ description: 'Fingerprint of an error that the run had' }),
  after: optional(TimestampSchema).meta({ description: 'Runs that started then or later' }),
  before: optional(TimestampSchema).meta({ description: 'Runs that started then or earlier' }),
})
export type RunListPageQuery = z.output<typeof RunListPageQuerySchema>

export const DeleteRunsQuerySchema = z.object({ ids: requiredQueryList(IdSchema) })

/** Old clients read `id`, new ones `ids`. */
export const DeleteRunsResponseSchema = z.object({ ids: z.array(z.string()), id: z.array(z.string()) })
export const ListV1RunsQuerySchema = z.object({
  ...pageQueryFields,
  serial_number: optional(FilterTextSchema),
})
export type ListV1RunsQuery = z.output<typeof ListV1RunsQuerySchema>

/** The runs twice: clients of different ages read the one key or the other. */
export const ListV1RunsResponseSchema = z.object({
  message: z.string(),
  data: z.array(RunDetailSchema),
  result: z.array(RunDetailSchema),
})

/** `PATCH /v2/runs/{id}/metadata`: sets entries, and removes those whose value is null. */
export const UpdateMetadataRequestSchema = z.object({
  metadata: optional(MetadataChangeSchema),
})
