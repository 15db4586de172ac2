import { parseDurationUs, parseTimestampUs } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'

export function isOneOf(
  column: string,
  values: readonly (string | number)[] | undefined,
): Expression<SqlBool>[] {
  return values?.length ? [sql<SqlBool>`${sql.ref(column)} IN (${sql.join(values)})`] : []
}

export function isAtLeast(column: string, value: number | undefined): Expression<SqlBool>[] {
  return value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} >= ${value}`]
}

export function isAtMost(column: string, value: number | undefined): Expression<SqlBool>[] {
  return value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} <= ${value}`]
}

/** Both bounds are inclusive, and optional. */
export function isBetween(
  column: string,
  low: number | undefined,
  high: number | undefined,
): Expression<SqlBool>[] {
  return [...isAtLeast(column, low), ...isAtMost(column, high)]
}

export function anyOf(conditions: readonly Expression<SqlBool>[]): Expression<SqlBool> {
  return sql<SqlBool>`(${sql.join(conditions, sql` OR `)})`
}

export function allOf(conditions: readonly Expression<SqlBool>[]): Expression<SqlBool> {
  return sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`
}

/** For a column that keeps its case. The database folds only ASCII: other letters are found as typed, and in lower case. */
export function containsTyped(column: string, text: string): Expression<SqlBool> {
  const typed = text.trim()
  const spellings = [...new Set([typed.toLowerCase(), foldAscii(typed)])]
  return anyOf(spellings.map((one) => isLike(sql`lower(${sql.ref(column)})`, likeContaining(one))))
}

export function foldAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** A time stamp that was checked, in microseconds. */
export function timeUs(timestamp: string | undefined): number | undefined {
  return timestamp === undefined ? undefined : parseTimestampUs(timestamp)
}

/** A duration that was checked, in microseconds. */
export function durationUs(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDurationUs(duration)
}

/** Escapes `%` and `_`; for use with `isLike`. */
export function likeContaining(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}

/** The escape character is the backslash, in SQLite as in PostgreSQL. */
export function isLike(expression: Expression<string | null>, pattern: string): Expression<SqlBool> {
  return sql<SqlBool>`${expression} LIKE ${pattern} ESCAPE '\\'`
}
