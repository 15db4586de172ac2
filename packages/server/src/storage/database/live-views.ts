const REFERENCES: Readonly<Record<string, readonly [kind: string, column: string][]>> = {
  procedures: [['procedure', 'id']],
  batches: [['batch', 'id']],
  units: [['unit', 'id']],
  runs: [
    ['run', 'id'],
    ['procedure', 'procedure_id'],
    ['unit', 'unit_id'],
  ],
}

/** Migrations run without the views, which would prevent recreating their tables. */
export const DROP_LIVE_VIEWS = Object.keys(REFERENCES).map((table) => `DROP VIEW IF EXISTS live_${table}`)

/**
 * Records that are not being deleted. Not NOT EXISTS: PostgreSQL makes it a join, expects no rows from `deletions` while nothing
 * is being deleted, and then reads all of it for each row.
 */
export const CREATE_LIVE_VIEWS = Object.entries(REFERENCES).map(([table, references]) => {
  const conditions = references.map(
    ([kind, column]) => `(SELECT 1 FROM deletions
      WHERE deletions.kind = '${kind}' AND deletions.record_id = ${table}.${column}) IS DISTINCT FROM 1`,
  )
  return `CREATE VIEW live_${table} AS SELECT * FROM ${table} WHERE ${conditions.join(' AND ')}`
})
