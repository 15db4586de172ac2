import * as z from 'zod'
import { optional } from '../optional'
import { TimestampSchema } from '../time-schema'
import { ProcedureReferenceSchema, runReferenceFields } from './common'
import { MetadataFilterSchema } from './metadata-filter'
import { RunOutcomeSchema } from './outcomes'
import { RunListItemSchema } from './run'
import { FINGERPRINT, StepKindSchema, TestErrorSchema } from './test-facts'
import { FilterTextSchema, pageOf, pageQueryFields, queryList, sortFields } from './page'
import { operatorFilterFields, periodFilterFields, runFilterFields } from './run-filter'

// Select the runs and tests in which errors are counted.
const errorFilterFields = {
  ...runFilterFields,
  ...operatorFilterFields,
  ...periodFilterFields,
  outcomes: queryList(RunOutcomeSchema),
  procedure_ids: queryList(FilterTextSchema),
  created_after: optional(TimestampSchema),
  created_before: optional(TimestampSchema),
  metadata: MetadataFilterSchema,
  branches: queryList(FilterTextSchema).meta({ description: '`git_branch` of the run' }),
  tags: queryList(FilterTextSchema).meta({ description: 'Of the test, at least one of these' }),
  owners: queryList(FilterTextSchema).meta({ description: 'Of the test' }),
  kinds: queryList(StepKindSchema).meta({ description: 'What failed' }),
}

export const ListErrorsQuerySchema = z.object({
  ...pageQueryFields,
  ...errorFilterFields,
  search_query: optional(FilterTextSchema).meta({
    description: 'A text within the first 2,000 characters of the message',
  }),
  fingerprints: queryList(FilterTextSchema),
  ...sortFields(['last_run', 'first_run', 'count', 'tests']),
})
export type ListErrorsQuery = z.output<typeof ListErrorsQuerySchema>

export const GetErrorQuerySchema = z.object(errorFilterFields)
export type GetErrorQuery = z.output<typeof GetErrorQuerySchema>

/** Most tests, branches and runs of an error in a response, and of how many days. */
export const MAX_ERROR_TESTS = 10
export const MAX_ERROR_BRANCHES = 20
export const MAX_ERROR_RUNS = 20
export const MAX_ERROR_DAYS = 30

const RunReferenceSchema = z.object(runReferenceFields)

export const ErrorListItemSchema = z.object({
  fingerprint: z.string().meta({ description: FINGERPRINT }),
  message: z.string().meta({ description: 'As it was the last time' }),
  count: z.int().meta({ description: 'How often it happened, earlier attempts included' }),
  tests_count: z.int().meta({ description: 'How many different tests had it' }),
  /** The tests that had it most often. */
  tests: z.array(
    z.object({
      procedure: ProcedureReferenceSchema,
      file: z.string().nullable(),
      project: z.string().nullable(),
      name: z.string(),
      count: z.int().meta({ description: 'How often this test had it' }),
    }),
  ),
  first_run: RunReferenceSchema.meta({ description: 'The first that had it, as runs were received' }),
  last_run: RunReferenceSchema.meta({ description: 'The last that had it' }),
  branches: z
    .array(z.string())
    .meta({ description: '`git_branch` of the last runs that had it, the last one first' }),
})
export type ErrorListItem = z.output<typeof ErrorListItemSchema>
export const ErrorPageSchema = pageOf(ErrorListItemSchema)

export const ErrorDetailSchema = z.object({
  ...ErrorListItemSchema.shape,
  /** Its last occurrence. */
  error: TestErrorSchema,
  /** The last days, by receipt in UTC, the last one first. */
  days: z.array(z.object({ date: z.iso.date(), count: z.int(), runs_count: z.int() })),
  /** The last runs that had it, the last one first. */
  runs: z.array(RunListItemSchema),
})
export type ErrorDetail = z.output<typeof ErrorDetailSchema>
