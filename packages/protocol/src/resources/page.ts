import * as z from 'zod'
import { listOf } from '../list-schema'
import { describedAs } from '../openapi'

export const DEFAULT_PAGE_LIMIT = 50
export const MAX_PAGE_LIMIT = 100

/** A text that is searched for, or that a filter compares. */
export const FilterTextSchema = z.string().max(255)

/** Most values of one filter. */
const MAX_FILTER_VALUES = 500

/** A query value sent once or several times, as a list. */
export function queryList<Schema extends z.ZodType>(item: Schema) {
  return z
    .union([listOf(item).max(MAX_FILTER_VALUES), item.transform((value) => [value])])
    .nullish()
    .transform((value) => value ?? undefined)
}

/** At least one value is required. */
export function requiredQueryList<Schema extends z.ZodType>(item: Schema) {
  return z.union([listOf(item).min(1), item.transform((value) => [value])])
}

/** `true` and `false` in a query, as clients of several languages write them; absent is false. */
export const QueryBooleanSchema = z
  .union([z.boolean(), z.enum(['true', 'false', 'True', 'False', '1', '0', ''])])
  .nullish()
  .transform((value) => value === true || value === 'true' || value === 'True' || value === '1')
  .meta(describedAs({ type: 'boolean', default: false }))

/** Absent is `fallback`. */
export function queryBooleanOr(fallback: boolean) {
  return z.preprocess((value) => value ?? fallback, QueryBooleanSchema)
}

/** Sorted by one of `keys`, by default the first; by default the greatest first. */
export function sortFields<const Keys extends readonly [string, ...string[]]>(keys: Keys) {
  return {
    sort_by: z
      .enum(keys)
      .nullish()
      .transform((key) => key ?? (keys[0] as (typeof keys)[number]))
      .meta(describedAs({ type: 'string', enum: keys, default: keys[0] })),
    sort_order: z
      .enum(['asc', 'desc'])
      .nullish()
      .transform((order) => order ?? ('desc' as const))
      .meta(describedAs({ type: 'string', enum: ['asc', 'desc'], default: 'desc' })),
  }
}

/** A whole number in a query, `50.0` included (docs/interface.md#lists). */
export const QueryIntegerSchema = z.coerce
  .number()
  .pipe(z.int())
  .meta(describedAs({ type: 'integer' }))

const LIMIT_DESCRIPTION = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_PAGE_LIMIT,
  default: DEFAULT_PAGE_LIMIT,
}
const CURSOR_DESCRIPTION = {
  type: 'integer',
  minimum: 0,
  description: 'The `meta.next_cursor` of the page before',
}

/** Some clients send a query value empty when they have none. */
function absentWhenEmpty<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema)
}

/** `limit` 1 to 100 (default 50) and the `cursor` of the page before. */
export const pageQueryFields = {
  limit: absentWhenEmpty(
    QueryIntegerSchema.pipe(z.number().min(1).max(MAX_PAGE_LIMIT)).default(DEFAULT_PAGE_LIMIT),
  ).meta(describedAs(LIMIT_DESCRIPTION)),
  // No record has the key 0: clients that count from 0 mean the first page.
  cursor: absentWhenEmpty(
    QueryIntegerSchema.pipe(z.number().min(0))
      .optional()
      .transform((cursor) => cursor || undefined),
  ).meta(describedAs(CURSOR_DESCRIPTION)),
}

export const PageMetaSchema = z.object({ has_more: z.boolean(), next_cursor: z.int().nullable() })

/** A list's answer: `{data, meta}`. */
export function pageOf<Schema extends z.ZodType>(item: Schema) {
  return z.object({ data: z.array(item), meta: PageMetaSchema })
}

export interface Page<Item> {
  data: Item[]
  meta: z.output<typeof PageMetaSchema>
}
