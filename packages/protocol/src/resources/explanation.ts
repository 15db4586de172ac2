import * as z from 'zod'
import { optional } from '../optional'
import { FilterTextSchema, QueryIntegerSchema } from './page'
import { TestErrorSchema } from './test-facts'
import { FailureVerdictSchema } from './verdict'
import { describedAs } from '../openapi'
import { BuildListItemSchema } from './build-list'
import { BuildReferenceSchema } from './build-reference'
import { RateSchema } from './rate'
import { FlakyEvidenceSchema, TestOutcomeSchema, TestReferenceSchema, TestStateSchema } from './test'

export const DEFAULT_EXPLAINED = 3
export const MAX_EXPLAINED = 10

const LimitSchema = QueryIntegerSchema.pipe(z.number().min(1).max(MAX_EXPLAINED))
  .default(DEFAULT_EXPLAINED)
  .meta(describedAs({ type: 'integer', minimum: 1, maximum: MAX_EXPLAINED, default: DEFAULT_EXPLAINED }))

/**
 * `GET /v2/explanation`: of a run, of a build by its group, of the last failure of a test, or, without these, of the last build (of a
 * branch).
 */
export const ExplainFailuresQuerySchema = z
  .object({
    run_id: optional(FilterTextSchema).meta({ description: 'Failures of this run' }),
    group: optional(FilterTextSchema).meta({ description: 'Failures of this build' }),
    test_id: optional(FilterTextSchema).meta({ description: 'The last failure of this test' }),
    branch: optional(FilterTextSchema).meta({
      description: 'Failures of the last build of this branch; with test_id only results of this branch',
    }),
    procedure_id: optional(FilterTextSchema).meta({ description: 'Only builds of this procedure' }),
    limit: LimitSchema.meta({ description: 'How many causes are explained, the most tests first' }),
  })
  .refine(
    ({ run_id: run, group, test_id: test }) =>
      [run, group, test].filter((one) => one !== undefined).length < 2,
    { path: ['run_id'], message: 'must not be sent with group or test_id: name one of the three' },
  )
export type ExplainFailuresQuery = z.output<typeof ExplainFailuresQuerySchema>

/** A build of the line in which a failure is traced. */
export const LineBuildSchema = BuildReferenceSchema.extend({ commit_subject: z.string().nullable() })
export type LineBuild = z.output<typeof LineBuildSchema>

/** Why a failure is taken for real or flaky (docs/statistics.md). */
export const REASON_CODES = [
  'passedOnCommit',
  'infrastructure',
  'failedOnCommit',
  'failuresInRow',
  'hoursSincePass',
  'recentExcess',
  'newError',
  'flakyError',
  'otherNewFailures',
  'repeats',
  'broken',
] as const
export type JudgementReasonCode = (typeof REASON_CODES)[number]

export const JudgementSchema = z.object({
  verdict: z.enum(['flaky', 'real', 'unknown']),
  probability_real: z.number().meta({
    description: 'That the test fails again on this commit, 0 to 1; 0 where it passed there',
  }),
  reasons: z
    .array(
      z.object({
        code: z.enum(REASON_CODES),
        value: z.number().nullable().meta({ description: 'The number behind it; null where there is none' }),
        weight: z.number().nullable().meta({
          description: 'Change of the logarithm of the odds, positive for real; null where it decides alone',
        }),
      }),
    )
    .meta({ description: 'The strongest first' }),
})
export type Judgement = z.output<typeof JudgementSchema>

/** Most builds, tests and pieces of evidence in one explanation. */
export const MAX_EXPLAINED_ITEMS = 5

/** What is known of a failure from the results of its test. */
export const TestPastSchema = z.object({
  last_passed: LineBuildSchema.nullable().meta({
    description:
      'The last build before the failure in which the test passed, on its branch, before that on the default branch',
  }),
  first_failed: LineBuildSchema.meta({
    description:
      'The first build of the unbroken row of failures: what broke it came after last_passed, up to this',
  }),
  failing_builds: z.int().meta({ description: 'Builds of this row up to the failure' }),
  unknown_between: z.int().meta({
    description:
      'Builds of its branch between last_passed and first_failed that say nothing of the test: it did not run, or they are infrastructure builds',
  }),
  fixed_by: LineBuildSchema.nullable().meta({ description: 'The next build in which it passed' }),
  is_first_seen: z.boolean().meta({ description: 'No earlier result of the test is on record' }),
  earlier_names: z.array(TestReferenceSchema),
  default_branch: z
    .object({ branch: z.string(), outcome: TestOutcomeSchema, build: LineBuildSchema })
    .nullable()
    .meta({ description: 'Of a failure on another branch: its last result on the default branch' }),
  results: z.int().meta({
    description:
      'The sample of the rates: the last 300 results of its branch, infrastructure builds left out',
  }),
  failures: RateSchema.meta({ description: 'First attempts that failed' }),
  flakes: RateSchema.meta({ description: 'Results that passed after a failed attempt' }),
  state: TestStateSchema,
  flaky_evidence: z
    .array(FlakyEvidenceSchema)
    .meta({ description: `The newest ${MAX_EXPLAINED_ITEMS}, of its last 100 builds or 14 days` }),
  flaky_evidence_count: z.int(),
  judgement: JudgementSchema,
})
export type TestPast = z.output<typeof TestPastSchema>

export const FailureExplanationSchema = z.object({
  name: z.string().meta({ description: 'Of the test; of a step where no test failed' }),
  test: TestReferenceSchema.nullable().meta({ description: 'Null where the history has no such test' }),
  owner: z.string().nullable(),
  run_id: z.string(),
  step: z.int().nullable().meta({ description: 'Index of what failed among the steps of the run' }),
  failed_in: z.string().nullable().meta({ description: 'The step within the test that failed' }),
  outcome: z.enum(['failed', 'flaky']),
  declared_at: z.string().nullable().meta({ description: '`file:line` of the test' }),
  error: TestErrorSchema.nullable().meta({
    description: 'Its first error; each text cut in its middle above 4,000 characters',
  }),
  tests_in_build: z.object({
    count: z.int().meta({ description: 'Tests of what is explained that failed with this error' }),
    others: z
      .array(TestReferenceSchema)
      .meta({ description: `Others than this, ${MAX_EXPLAINED_ITEMS} at most` }),
  }),
  same_error: z
    .object({
      count: z.int(),
      tests_count: z.int(),
      other_tests: z.array(z.object({ name: z.string(), file: z.string().nullable() })),
      branches: z.array(z.string()),
      first_seen_at: z.string(),
      last_seen_at: z.string(),
    })
    .nullable()
    .meta({ description: 'This error in the whole record' }),
  verdict: FailureVerdictSchema.nullable(),
  past: TestPastSchema.nullable().meta({ description: 'Null where the history has no such test' }),
  rerun: z.object({
    checkout: z.string().nullable().meta({ description: 'Command that brings its commit' }),
    command: z.string().nullable().meta({ description: 'Command that runs this test alone' }),
  }),
})
export type FailureExplanation = z.output<typeof FailureExplanationSchema>

export const ExplanationSchema = z.object({
  build: BuildListItemSchema.nullable().meta({ description: 'Of the failures; null for a run of no build' }),
  test: TestReferenceSchema.nullable().meta({ description: 'That was asked for' }),
  failures_count: z
    .int()
    .meta({ description: 'Tests that failed, and runs that failed without a failed test' }),
  causes_count: z.int(),
  failures: z
    .array(FailureExplanationSchema)
    .meta({ description: 'One for each cause, the most tests first' }),
})
export type Explanation = z.output<typeof ExplanationSchema>
