/** Never change a released migration: add another. */
export interface Migration {
  name: string
  /**
   * For both databases: use the types text, smallint, bigint and double precision. PostgreSQL's get byte-wise collation, and lose
   * what only SQLite knows (`translate` in postgres-migrate.ts).
   */
  statements: readonly string[]
}
