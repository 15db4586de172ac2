import type { Dialect, RawBuilder, SqlBool } from 'kysely'

/** What SQLite and PostgreSQL write each in its own way. Everything else is one text that both take. */
export interface Engine {
  /** How Kysely writes for it. */
  readonly dialect: Omit<Dialect, 'createDriver'>
  /** Holds where a value is in a list of keys or texts, which is one value of the statement however long it is. */
  isIn(value: RawBuilder<unknown>, list: readonly (number | string)[]): RawBuilder<SqlBool>
  /** A column by whose index no rows shall be looked up, since another one serves better: PostgreSQL finds that out by itself. */
  withoutIndex(column: string): RawBuilder<unknown>
  /** A list of keys or texts as a table of this name, with the columns `value` and, its place from 0, `key`. */
  eachOf(list: readonly (number | string)[], name: string): RawBuilder<unknown>
  /**
   * What `select` selects as `key`, given each entry of a list in turn: as a table `firsts` with the column `value`, beside
   * `owners`, whose `value` is the entry. Of an object, that is its JSON.
   */
  firstsOfEach(
    list: readonly (number | object)[],
    select: (entry: RawBuilder<number>) => RawBuilder<unknown>,
  ): RawBuilder<unknown>
  /** A group's values as a list of JSON. */
  listOfGroup(value: RawBuilder<unknown>): RawBuilder<string>
  /** A group's names and values as an object of JSON. */
  objectOfGroup(name: RawBuilder<unknown>, value: RawBuilder<unknown>): RawBuilder<string>
  /** What tells a row from the others of its table, while one statement runs. */
  rowOf(table: string): RawBuilder<unknown>
  /** The number by which an index has the rows of a table in order that are alike in its columns. */
  numberOf(table: string): RawBuilder<number>
  /** Selects the keys `id` of units, parts, procedures and entries of metadata with this text of three characters or more. */
  selectRecordsWith(text: string): RawBuilder<{ id: number }>
  /** Selects the keys of errors in whose message this text of three characters or more is, near its beginning. */
  selectErrorsWith(text: string): RawBuilder<{ id: number }>
  /** What leads to the rows of `phase_errors` of these errors, where the engine does not find the way itself. */
  errorIndexHint(errors: RawBuilder<unknown>): readonly RawBuilder<SqlBool>[]
  /** Selects the tables with keys of the key generator, each with the first column of its primary key. */
  readonly selectTablesWithKeys: RawBuilder<{ name: string; first: string }>
  /** Selects how many bytes the database takes. */
  readonly selectSize: RawBuilder<{ bytes: number }>
}
