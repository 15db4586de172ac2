import * as z from 'zod'
import { BUILD_STATES } from './choices'
import { optional } from '../optional'
import { isStorable, UNSTORABLE_MESSAGE } from '../text'
import { MAX_ADDRESS_LENGTH, MAX_SHORT_LENGTH } from '../text-limits'
import { IdentifierSchema } from '../text-schema'
import { TimestampSchema } from '../time-schema'
import { ProcedureReferenceSchema, ReturnedTimeSchema } from './common'
import { buildFactFields, CauseSchema, InfrastructureSchema, ResultCountsSchema } from './build-facts'

export const BuildStateSchema = z.enum(BUILD_STATES)
export type BuildState = z.output<typeof BuildStateSchema>

const CountSchema = z.int().min(0)

/** Most causes in a response. */
export const MAX_CAUSES = 20

export const BuildSummarySchema = z.object({
  group: z.string(),
  url: z.string().meta({ description: 'Its page' }),
  state: BuildStateSchema,
  missing: z.array(z.string()).meta({
    description: 'What is not on record, each as a clause: `shard 3 of 4 has not reported`',
  }),
})
export type BuildSummary = z.output<typeof BuildSummarySchema>

/** The state in words: `incomplete: shard 3 of 4 has not reported`. */
export function describeBuild({ state, missing }: Pick<BuildSummary, 'state' | 'missing'>): string {
  return missing.length === 0 ? state : `${state}: ${missing.join('; ')}`
}

export const BuildSchema = BuildSummarySchema.extend({
  ...buildFactFields,
  procedures: z.array(ProcedureReferenceSchema),
  started_at: ReturnedTimeSchema.meta({ description: 'When the first of its runs or executions began' }),
  last_reported_at: ReturnedTimeSchema.meta({
    description: 'When the service last received something of it',
  }),
  ended_at: ReturnedTimeSchema.meta({ description: 'When the last of its runs ended' }),
  runs: z.object({ total: CountSchema, failed: CountSchema }),
  tests: ResultCountsSchema,
  is_infrastructure: InfrastructureSchema,
  causes: z.array(CauseSchema).meta({
    description: `Why its tests failed, the most tests first; ${MAX_CAUSES} at most`,
  }),
  causes_count: CountSchema,
  default_branch: z
    .string()
    .nullable()
    .meta({ description: 'Of its repository, as this or another build of its procedure names it' }),
  previous_group: z
    .string()
    .nullable()
    .meta({ description: 'The build before it on its branch, with one of its procedures' }),
  shards: z.object({ reported: CountSchema, expected: CountSchema }),
  executions: z
    .object({ begun: CountSchema, ended: CountSchema })
    .meta({ description: 'Those that said so; outside of a CI they do not' }),
})
export type Build = z.output<typeof BuildSchema>

const ShortTextSchema = z.string().min(1).max(MAX_SHORT_LENGTH).refine(isStorable, UNSTORABLE_MESSAGE)
const MAX_SHARDS = 100_000
const ShardNumberSchema = z.int().min(1).max(MAX_SHARDS)

/**
 * `PUT /v2/executions/{id}`, the id a UUID that its sender makes: an execution has begun, or, with `ended_at`, has ended.
 * The same may be sent again; an execution that has ended stays so.
 */
export const PutExecutionRequestSchema = z
  .object({
    procedure_id: IdentifierSchema,
    group: ShortTextSchema.meta({ description: 'Report variable `group` of its runs' }),
    started_at: TimestampSchema,
    ended_at: optional(TimestampSchema).optional(),
    missing_runs: optional(CountSchema.max(1_000_000))
      .optional()
      .meta({ description: 'With ended_at: how many of its runs the service has not taken' }),
    framework: optional(ShortTextSchema).optional(),
    host: optional(ShortTextSchema).optional(),
    shard_index: optional(ShardNumberSchema).optional().meta({ description: 'Counted from 1' }),
    shard_total: optional(ShardNumberSchema).optional(),
    environment: optional(ShortTextSchema)
      .optional()
      .meta({ description: 'What tells jobs of a matrix apart, such as `linux node 22`' }),
    ci_job: optional(ShortTextSchema).optional(),
    ci_attempt: optional(z.int().min(0).max(Number.MAX_SAFE_INTEGER)).optional().meta({
      description: 'Higher for a later attempt at the job, which takes the place of an earlier one',
    }),
    ci_build_url: optional(z.string().max(MAX_ADDRESS_LENGTH)).optional(),
    git_branch: optional(ShortTextSchema).optional(),
    git_commit: optional(ShortTextSchema).optional(),
    repository: optional(z.string().max(MAX_ADDRESS_LENGTH)).optional(),
  })
  .refine(({ shard_index: index, shard_total: total }) => (index ?? 1) <= (total ?? MAX_SHARDS), {
    path: ['shard_index'],
    message: 'must not be greater than shard_total',
  })
export type PutExecutionRequest = z.output<typeof PutExecutionRequestSchema>
export type PutExecutionInput = z.input<typeof PutExecutionRequestSchema>

export const PutExecutionResponseSchema = z.object({ id: z.string(), build: BuildSummarySchema })
export type PutExecutionResponse = z.output<typeof PutExecutionResponseSchema>
