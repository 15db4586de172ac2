import * as z from 'zod'
import { isStorable, UNSTORABLE_MESSAGE } from '../text'
import { MAX_SHORT_LENGTH } from '../text-limits'
import { IdentifierSchema } from '../text-schema'
import { ReturnedTimeSchema } from './common'

/** The limits of a plan: shards, files, characters of a path, and characters of all paths together. */
export const MAX_PLANNED_SHARDS = 1_000
export const MAX_PLANNED_FILES = 20_000
const MAX_PATH_LENGTH = 1_000
export const MAX_PATHS_LENGTH = 1_000_000

const TextSchema = z.string().min(1).max(MAX_SHORT_LENGTH).refine(isStorable, UNSTORABLE_MESSAGE)
const NumberSchema = z.int().min(1).max(MAX_PLANNED_SHARDS)
const FilesSchema = z
  .array(z.string().min(1).max(MAX_PATH_LENGTH).refine(isStorable, UNSTORABLE_MESSAGE))
  .max(MAX_PLANNED_FILES)

/**
 * `POST /v2/shards`: the files that one shard of a build runs. The first shard that asks creates the plan for all shards. A request may
 * be repeated.
 */
export const TakeShardRequestSchema = z
  .object({
    procedure_id: IdentifierSchema,
    build: TextSchema.meta({
      description: 'The same for all shards: the group of the build, else its commit',
    }),
    framework: TextSchema,
    name: TextSchema.optional().meta({ description: 'Distinguishes suites of one build' }),
    shard_index: NumberSchema.meta({ description: 'Counted from 1' }),
    shard_total: NumberSchema,
    by_count: z.boolean().default(false).meta({
      description: 'Whether this shard ran its part by count. If there is no plan, one is made by count',
    }),
    files: FilesSchema.refine(
      (files) => files.reduce((sum, { length }) => sum + length, 0) <= MAX_PATHS_LENGTH,
      `must have at most ${MAX_PATHS_LENGTH} characters together`,
    ).meta({
      description:
        'All test files that this shard finds, relative to the project root; none in a shard without files',
    }),
  })
  .refine(({ shard_index: index, shard_total: total }) => index <= total, {
    path: ['shard_index'],
    message: 'must not be greater than shard_total',
  })
export type TakeShardRequest = z.output<typeof TakeShardRequestSchema>

export const TakenShardSchema = z.object({
  files: z.array(z.string()).meta({ description: 'The files of the request that this shard runs' }),
  absent: z.array(z.string()).meta({
    description:
      'Files that this shard should run and did not find. Another shard found them and does not run them',
  }),
  planned_at: ReturnedTimeSchema,
  by_count: z.boolean().meta({ description: 'Whether the plan was made without durations' }),
})
export type TakenShard = z.output<typeof TakenShardSchema>
