import * as z from 'zod'
import { describedAs } from '../openapi'
import { optional } from '../optional'
import { recordOf } from '../text-schema'
import { queryList, FilterTextSchema } from './page'

// In a URL everything is text.
const NumberSchema = z.union([
  z.number(),
  z
    .string()
    .transform((text) => (text.trim() === '' ? Number.NaN : Number(text)))
    .pipe(z.number('must be a number')),
])

const EqualSchema = z.union([
  z.boolean(),
  z.enum(['true', 'false']).transform((text) => text === 'true'),
  NumberSchema,
])

const TextSchema = z.union([z.string(), z.number(), z.boolean()]).transform(String)

const ConditionSchema = z
  .object({
    eq: optional(EqualSchema),
    in: queryList(TextSchema),
    contains: optional(TextSchema.pipe(FilterTextSchema)),
    gte: optional(NumberSchema),
    lte: optional(NumberSchema),
    gt: optional(NumberSchema),
    lt: optional(NumberSchema),
  })
  .refine(
    (condition) => Object.values(condition).some((value) => value !== undefined),
    'must have one of eq, in, contains, gte, lte, gt, lt',
  )

/** Conditions on one metadata key; all must hold. */
export type MetadataCondition = z.output<typeof ConditionSchema>

function parseJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON, such as {"group":{"in":["build-7"]}}' })
    return z.NEVER
  }
}

const MAX_NAMES = 100

const FilterSchema = recordOf(
  z.union([ConditionSchema, z.string().transform(parseJson).pipe(ConditionSchema)]),
).refine((filter) => Object.keys(filter).length <= MAX_NAMES, `must have at most ${MAX_NAMES} names`)

/**
 * The `metadata` filter of runs and units: conditions by name, as JSON text or as one query key for each value
 * (`metadata[group][in]=build-7`).
 */
export const MetadataFilterSchema = optional(
  z.union([FilterSchema, z.string().transform(parseJson).pipe(FilterSchema)]),
).meta(
  describedAs({
    type: 'string',
    contentMediaType: 'application/json',
    description:
      'Conditions by name as JSON, each with some of eq, in, contains, gte, lte, gt and lt; or one key for each of them: `metadata[group][in]=build-7`',
    examples: ['{"group":{"in":["build-7"]}}'],
  }),
)
export type MetadataFilter = NonNullable<z.output<typeof MetadataFilterSchema>>
