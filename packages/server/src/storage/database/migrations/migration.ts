/** A step from one state of the tables to the next. Never change one that was released: add another. */
export interface Migration {
  name: string
  /**
   * Statements that both databases accept may use the types text, smallint, bigint and double precision. PostgreSQL's get
   * byte-wise collation, and lose what only SQLite knows (`translate` in postgres-migrate.ts).
   */
  statements: readonly string[]
}
