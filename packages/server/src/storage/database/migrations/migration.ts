/** Never change a released migration: add another. */
export interface Migration {
  name: string
  /**
   * For both databases: use the types text, smallint, bigint, double precision, and `integer PRIMARY KEY` (the row
   * itself on SQLite, bigint on PostgreSQL). PostgreSQL's get byte-wise collation, and lose
   * what only SQLite knows (`translate` in postgres-migrate.ts).
   */
  statements: readonly string[]
}
