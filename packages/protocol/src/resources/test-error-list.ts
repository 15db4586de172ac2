import * as z from 'zod'
import { optional } from '../optional'
import { TimestampSchema } from '../time-schema'
import { ProcedureReferenceSchema, runReferenceFields } from './common'
import { MetadataFilterSchema } from './metadata-filter'
import { RunOutcomeSchema } from './outcomes'
import { FilterTextSchema, pageOf, pageQueryFields, queryList, sortFields } from './page'
import { operatorFilterFields, periodFilterFields, runFilterFields } from './run-filter'

/** `GET /v2/errors`: errors of tests by fingerprint; filters are of the runs that had them, and only those are counted. */
export const ListErrorsQuerySchema = z.object({
  ...pageQueryFields,
  ...runFilterFields,
  ...operatorFilterFields,
  ...periodFilterFields,
  search_query: optional(FilterTextSchema).meta({ description: 'A text within the message' }),
  fingerprints: queryList(FilterTextSchema),
  outcomes: queryList(RunOutcomeSchema),
  procedure_ids: queryList(FilterTextSchema),
  created_after: optional(TimestampSchema),
  created_before: optional(TimestampSchema),
  metadata: MetadataFilterSchema,
  ...sortFields(['last_run', 'first_run', 'count', 'tests']),
})
export type ListErrorsQuery = z.output<typeof ListErrorsQuerySchema>

/** Most tests, and branches, that an error is answered with. */
export const MAX_ERROR_TESTS = 10
export const MAX_ERROR_BRANCHES = 20

const RunReferenceSchema = z.object(runReferenceFields)

export const ErrorListItemSchema = z.object({
  fingerprint: z.string(),
  /** As it was the last time. */
  message: z.string(),
  /** How often it happened, earlier attempts included. */
  count: z.int(),
  tests_count: z.int(),
  /** Those that had it most often. */
  tests: z.array(
    z.object({
      procedure: ProcedureReferenceSchema,
      file: z.string().nullable(),
      project: z.string().nullable(),
      name: z.string(),
      count: z.int(),
    }),
  ),
  /** In the order in which runs were received. */
  first_run: RunReferenceSchema,
  last_run: RunReferenceSchema,
  /** `git_branch` of the last runs that had it, the last one first. */
  branches: z.array(z.string()),
})
export type ErrorListItem = z.output<typeof ErrorListItemSchema>
export const ErrorPageSchema = pageOf(ErrorListItemSchema)
