import * as z from 'zod'
import { TEST_OUTCOMES, TEST_STATES } from './choices'
import { FINGERPRINT } from './test-facts'
import { optional } from '../optional'
import { IdSchema } from '../text-schema'
import { TimestampSchema } from '../time-schema'
import { ProcedureReferenceSchema, ReturnedTimeSchema } from './common'
import { FilterTextSchema, pageOf, pageQueryFields, QueryIntegerSchema, queryList, sortFields } from './page'
import { describedAs } from '../openapi'
import { BuildReferenceSchema } from './build-reference'
import { RateSchema } from './rate'

export const TestOutcomeSchema = z.enum(TEST_OUTCOMES)
export type TestOutcome = z.output<typeof TestOutcomeSchema>

export const TestStateSchema = z.enum(TEST_STATES)
export type TestState = z.output<typeof TestStateSchema>

/** Most days that a list of tests looks back. */
export const MAX_TEST_DAYS = 365
export const DEFAULT_TEST_DAYS = 14
/** How many of the last results a listed test has. */
export const RECENT_RESULTS = 60

const DaysSchema = QueryIntegerSchema.pipe(z.number().min(1).max(MAX_TEST_DAYS))
  .default(DEFAULT_TEST_DAYS)
  .meta(describedAs({ type: 'integer', minimum: 1, maximum: MAX_TEST_DAYS, default: DEFAULT_TEST_DAYS }))

const testWindowFields = {
  branch: optional(FilterTextSchema).meta({
    description: 'Only results of this branch; all branches without it',
  }),
  days: DaysSchema,
}

export const ListTestsQuerySchema = z.object({
  limit: pageQueryFields.limit,
  cursor: optional(FilterTextSchema).meta({ description: 'The `meta.next_cursor` of the page before' }),
  ...testWindowFields,
  procedure_ids: queryList(FilterTextSchema),
  projects: queryList(FilterTextSchema).meta({ description: 'Report variable `project` of the runs' }),
  files: queryList(FilterTextSchema),
  owners: queryList(FilterTextSchema),
  tags: queryList(FilterTextSchema),
  states: queryList(TestStateSchema),
  search_query: optional(FilterTextSchema).meta({ description: 'A text within the name or the file' }),
  first_seen_since: optional(TimestampSchema).meta({
    description: 'Only tests that were first seen since then, under any of their names',
  }),
  ...sortFields(['flaky', 'failing', 'slow', 'slower', 'cost', 'name']),
})
export type ListTestsQuery = z.output<typeof ListTestsQuerySchema>

const testReferenceFields = {
  id: z.string(),
  name: z.string(),
  file: z.string().nullable(),
  project: z.string().nullable(),
  procedure: ProcedureReferenceSchema,
}

export const TestReferenceSchema = z.object(testReferenceFields)
export type TestReference = z.output<typeof TestReferenceSchema>

/** How much slower or faster a test got, and since which build. */
export const DurationChangeSchema = z.object({
  build: BuildReferenceSchema.nullable().meta({ description: 'Where it began' }),
  before_ms: z.number().meta({ description: 'Mean before' }),
  after_ms: z.number().meta({ description: 'Mean since then' }),
  ratio: z.number().meta({ description: 'after_ms ÷ before_ms − 1: 0.2 is 20 % slower' }),
  p_value: z.number(),
})
export type DurationChange = z.output<typeof DurationChangeSchema>

const statisticsFields = {
  results: z
    .int()
    .meta({ description: 'Results in the period, infrastructure builds and skipped ones left out' }),
  failures: RateSchema.meta({ description: 'First attempts that failed' }),
  flakes: RateSchema.meta({ description: 'Results that passed after a failed attempt' }),
  state: TestStateSchema,
  mean_ms: z.number().nullable().meta({ description: 'Mean duration of passed first attempts' }),
  cost_minutes: z.number().meta({
    description: 'Minutes of failed builds in which flaky results of this test alone were the failures',
  }),
}

export const TestListItemSchema = z.object({
  ...testReferenceFields,
  owner: z.string().nullable(),
  first_seen_at: ReturnedTimeSchema,
  last_seen_at: ReturnedTimeSchema.meta({
    format: 'date-time',
    description: 'The start of that day, by UTC',
  }),
  ...statisticsFields,
  p50_ms: z
    .number()
    .nullable()
    .meta({ description: `Median of passed first attempts among the last ${RECENT_RESULTS} results` }),
  recent: z.string().meta({
    description: `The last ${RECENT_RESULTS} results, the oldest first, a letter each: p passed, r passed on a retry, f failed, s skipped, i failed in an infrastructure build`,
  }),
  change: DurationChangeSchema.nullable().meta({
    description: 'The last change of its duration in the period, from 20 % and 100 ms',
  }),
})
export type TestListItem = z.output<typeof TestListItemSchema>

const TextCursorMetaSchema = z.object({ has_more: z.boolean(), next_cursor: z.string().nullable() })

export const TestPageSchema = z.object({
  data: z.array(TestListItemSchema),
  meta: TextCursorMetaSchema.extend({ total: z.int().meta({ description: 'Tests that match' }) }),
})
export type TestPage = z.output<typeof TestPageSchema>

/** Most results in one response. */
export const MAX_TEST_RESULTS = 500

export const GetTestQuerySchema = z.object({
  branch: testWindowFields.branch,
  environment: optional(FilterTextSchema).meta({ description: 'Only results of this environment' }),
})
export type GetTestQuery = z.output<typeof GetTestQuerySchema>

export const TestResultSchema = z.object({
  run_id: z.string(),
  build: BuildReferenceSchema,
  environment: z.string().nullable(),
  outcome: TestOutcomeSchema,
  duration_ms: z.number().meta({ description: 'Sum of its attempts' }),
  fingerprint: z.string().nullable().meta({ description: 'Of its first error' }),
  is_infrastructure: z.boolean().meta({ description: 'Its build is an infrastructure build' }),
})
export type TestResult = z.output<typeof TestResultSchema>

/** A stretch of builds over which a test failed at one rate. */
export const TestSegmentSchema = z.object({
  state: TestStateSchema,
  first_build: BuildReferenceSchema,
  last_build: BuildReferenceSchema,
  earliest_first_build: BuildReferenceSchema.nullable().meta({
    description: 'With latest_first_build the 99 % interval of where it began; null for the oldest segment',
  }),
  latest_first_build: BuildReferenceSchema.nullable(),
  builds: z.int(),
  failures: RateSchema.meta({ description: 'Builds whose first attempt failed' }),
})
export type TestSegment = z.output<typeof TestSegmentSchema>

/** A single failed build between two that passed is no row. */
export const LEAST_FAILING_ROW = 2

/** Consecutive builds in which a test failed. */
export const FailingRowSchema = z.object({
  first_build: BuildReferenceSchema.meta({ description: 'The first that failed' }),
  last_build: BuildReferenceSchema.meta({ description: 'The last that failed' }),
  builds: z.int(),
  passed_before: BuildReferenceSchema.nullable().meta({
    description: 'The build before; null where none is on record',
  }),
  fixed_by: BuildReferenceSchema.nullable().meta({
    description: 'The next build, which passed; null where it still fails',
  }),
})
export type FailingRow = z.output<typeof FailingRowSchema>

export const FlakyEvidenceSchema = z.object({
  kind: z.enum(['passed-on-retry', 'both-verdicts']),
  build: BuildReferenceSchema,
  run_id: z.string(),
  commit: z.string().nullable(),
})
export type FlakyEvidence = z.output<typeof FlakyEvidenceSchema>

export const TestDetailSchema = z.object({
  ...testReferenceFields,
  line: z.int().nullable(),
  owner: z.string().nullable(),
  tags: z.array(z.string()),
  first_seen_at: ReturnedTimeSchema,
  last_seen_at: ReturnedTimeSchema.meta({
    format: 'date-time',
    description: 'The start of that day, by UTC',
  }),
  branch: z.string().nullable().meta({ description: 'Whose results these are; null for all branches' }),
  branches: z.array(z.string()).meta({ description: 'Branches with results, the last one first' }),
  environments: z.array(z.string()),
  ...statisticsFields,
  p50_ms: z.number().nullable(),
  results_list: z
    .array(TestResultSchema)
    .meta({ description: `The last ${MAX_TEST_RESULTS}, the oldest build first` }),
  segments: z.array(TestSegmentSchema).meta({ description: 'The oldest first' }),
  failing_rows: z.array(FailingRowSchema).meta({
    description: `Rows of at least ${LEAST_FAILING_ROW} builds without a pass, infrastructure builds left out; the oldest first. Segments say how sure a change is, these name the builds`,
  }),
  changes: z.array(DurationChangeSchema).meta({ description: 'The oldest first' }),
  flaky_evidence: z.array(FlakyEvidenceSchema).meta({ description: 'The newest first' }),
  errors: z.array(
    z.object({
      fingerprint: z.string().meta({ description: FINGERPRINT }),
      message: z.string(),
      count: z.int(),
      last_build: BuildReferenceSchema,
    }),
  ),
  aliases: z.array(TestReferenceSchema).meta({ description: 'Earlier names and files of this test' }),
})
export type TestDetail = z.output<typeof TestDetailSchema>

/** `POST /v2/tests/{id}/aliases`: the other test is an earlier name of this one. */
export const AddTestAliasRequestSchema = z.object({ test_id: IdSchema })
export type AddTestAliasRequest = z.output<typeof AddTestAliasRequestSchema>

export const ListBuildTestsQuerySchema = z.object({
  ...pageQueryFields,
  outcomes: queryList(TestOutcomeSchema),
  search_query: optional(FilterTextSchema).meta({ description: 'A text within the name or the file' }),
  ...sortFields(['outcome', 'duration', 'name']),
})
export type ListBuildTestsQuery = z.output<typeof ListBuildTestsQuerySchema>

export const BuildTestSchema = z.object({
  test: TestReferenceSchema,
  run_id: z.string(),
  outcome: TestOutcomeSchema,
  duration_ms: z.number(),
  owner: z.string().nullable(),
  error: z
    .object({ fingerprint: z.string().meta({ description: FINGERPRINT }), message: z.string() })
    .nullable(),
})
export type BuildTest = z.output<typeof BuildTestSchema>
export const BuildTestPageSchema = pageOf(BuildTestSchema)
