/** Statements that SQLite and PostgreSQL accept alike: text, smallint, bigint, double precision. */
export interface Migration {
  name: string
  statements: readonly string[]
}
