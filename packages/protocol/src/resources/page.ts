import * as z from 'zod'

export const DEFAULT_PAGE_LIMIT = 50
export const MAX_PAGE_LIMIT = 100

/** A query value sent once or several times, as a list. */
export function queryList<Schema extends z.ZodType>(item: Schema) {
  return z
    .union([z.array(item), item.transform((value) => [value])])
    .nullish()
    .transform((value) => value ?? undefined)
}

/** A whole number in a query, `50.0` included (contract decisions, v2 runs). */
const QueryIntegerSchema = z.coerce.number().pipe(z.int())

/** A query value that some clients send empty when they have none. */
function absentWhenEmpty<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema)
}

/** `limit` 1 to 100 (default 50) and the `cursor` of the page before. */
export const pageQueryFields = {
  limit: absentWhenEmpty(
    QueryIntegerSchema.pipe(z.number().min(1).max(MAX_PAGE_LIMIT)).default(DEFAULT_PAGE_LIMIT),
  ),
  cursor: absentWhenEmpty(QueryIntegerSchema.pipe(z.number().min(0)).optional()),
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
