import { type Expression, sql, type SqlBool } from 'kysely'

/** A LIKE pattern that finds `text` anywhere, its own `%` and `_` meaning themselves; for use with `isLike`. */
export function likeContaining(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}

/** `expression LIKE pattern` with the backslash as escape, the same in SQLite and PostgreSQL. */
export function isLike(expression: Expression<string | null>, pattern: string): Expression<SqlBool> {
  return sql<SqlBool>`${expression} LIKE ${pattern} ESCAPE '\\'`
}
