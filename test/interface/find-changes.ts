import type { Dump } from './dump-tables'

interface Changes {
  /** Changed columns as `<table>.<column>`, and `<table>` for a deleted row. */
  ofKnown: string[]
  /** Tables with rows that were not there. */
  added: string[]
}

/** What the service writes by itself: when a key was last used, and which tests it has compared for renames. */
const IGNORED = ['last_used_at_us', 'rename_checked']

export function findChanges(before: Dump, after: Dump): Changes {
  const changes = { ofKnown: new Set<string>(), added: new Set<string>() }
  for (const [table, rows] of Object.entries(before)) {
    const now = new Map((after[table] ?? []).map((row) => [keyOf(row), row]))
    for (const row of rows) {
      const found = now.get(keyOf(row))
      if (!found) changes.ofKnown.add(table)
      for (const [column, value] of Object.entries(found ? row : {}))
        if (found?.[column] !== value && !IGNORED.includes(column) && !isSameBytes(found?.[column], value))
          changes.ofKnown.add(`${table}.${column}`)
      now.delete(keyOf(row))
    }
    if (now.size > 0) changes.added.add(table)
  }
  return { ofKnown: [...changes.ofKnown], added: [...changes.added] }
}

/** A row by its key, or where it has none by all that it says. */
function keyOf(row: Readonly<Record<string, unknown>>): string {
  if (row['id'] !== undefined) return String(row['id'])
  if (row['month'] !== undefined) return String(row['month'])
  return JSON.stringify(row)
}

function isSameBytes(one: unknown, other: unknown): boolean {
  return one instanceof Uint8Array && other instanceof Uint8Array && Buffer.compare(one, other) === 0
}
