import { type RawBuilder, sql } from 'kysely'

/** Characters of a name in lists of tests, errors and builds: a response has thousands of names, of up to 10,000 characters each. */
const MAX_LISTED = 500

/** The first characters of a text, as lists have it. */
export function beginning<Text extends string | null = string>(column: string): RawBuilder<Text> {
  return sql<Text>`substr(${sql.ref(column)}, 1, ${sql.lit(MAX_LISTED)})`
}
