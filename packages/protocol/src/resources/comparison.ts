import * as z from 'zod'
import { FINGERPRINT } from './test-facts'
import { optional } from '../optional'
import { ResultCountsSchema } from './build-facts'
import { BuildReferenceSchema } from './build-reference'
import { FilterTextSchema } from './page'
import { TestOutcomeSchema, TestReferenceSchema } from './test'

/** `GET /v2/comparison`: each side is a build by its group, or the last ended build of a branch. */
export const CompareBuildsQuerySchema = z
  .object({
    base: optional(FilterTextSchema).meta({ description: 'Group of the build that is compared with' }),
    base_branch: optional(FilterTextSchema).meta({
      description: 'In its place, the last build of this branch',
    }),
    head: optional(FilterTextSchema).meta({ description: 'Group of the build that is looked at' }),
    head_branch: optional(FilterTextSchema).meta({
      description: 'In its place, the last build of this branch',
    }),
    procedure_id: optional(FilterTextSchema).meta({ description: 'Only tests of this procedure' }),
  })
  .refine(({ base, base_branch: branch }) => (base === undefined) !== (branch === undefined), {
    path: ['base'],
    message: 'must be sent, or base_branch in its place',
  })
  .refine(({ head, head_branch: branch }) => (head === undefined) !== (branch === undefined), {
    path: ['head'],
    message: 'must be sent, or head_branch in its place',
  })
export type CompareBuildsQuery = z.output<typeof CompareBuildsQuerySchema>

/** Most tests in each list of a comparison. */
export const MAX_COMPARED_TESTS = 200

const ComparedResultSchema = z.object({
  outcome: TestOutcomeSchema,
  duration_ms: z.number(),
  run_id: z.string(),
})

export const ComparedTestSchema = z.object({
  test: TestReferenceSchema,
  base: ComparedResultSchema.nullable(),
  head: ComparedResultSchema.nullable(),
})
export type ComparedTest = z.output<typeof ComparedTestSchema>

const ComparedListSchema = z.object({
  total: z.int(),
  data: z.array(ComparedTestSchema).meta({ description: `The first ${MAX_COMPARED_TESTS}` }),
})

export const ComparisonSchema = z.object({
  base: BuildReferenceSchema,
  head: BuildReferenceSchema,
  counts: z.object({ base: ResultCountsSchema, head: ResultCountsSchema }),
  newly_failing: ComparedListSchema.meta({ description: 'Failed in head, passed in base' }),
  still_failing: ComparedListSchema.meta({ description: 'Failed in both' }),
  fixed: ComparedListSchema.meta({ description: 'Failed in base, passed in head' }),
  slower: ComparedListSchema.meta({
    description:
      'Passed in both and took at least 20 % and 100 ms longer in head: one result against one, not a trend',
  }),
  new: ComparedListSchema.meta({ description: 'Not in base' }),
  gone: ComparedListSchema.meta({ description: 'Not in head' }),
  new_errors: z
    .array(
      z.object({
        fingerprint: z.string().meta({ description: FINGERPRINT }),
        message: z.string(),
        tests_count: z.int(),
      }),
    )
    .meta({ description: 'Errors of head that base does not have' }),
})
export type Comparison = z.output<typeof ComparisonSchema>
