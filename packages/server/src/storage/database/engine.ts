import type { Dialect, RawBuilder, SqlBool } from 'kysely'

/** SQL that differs between SQLite and PostgreSQL; both accept everything else as it is. */
export interface Engine {
  /** Kysely's dialect. */
  readonly dialect: Omit<Dialect, 'createDriver'>
  /** Holds if a value is in a list of keys or texts, which is one bound value however long it is. */
  isIn(value: RawBuilder<unknown>, list: readonly (number | string)[]): RawBuilder<SqlBool>
  /** Keeps SQLite from using the index of a column where another is better; PostgreSQL needs no help. */
  withoutIndex(column: string): RawBuilder<unknown>
  /** A list of keys or texts as a table of this name, with the columns `value` and `key`, its index from 0. */
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
  /** Identifies a row of a table during one statement. */
  rowOf(table: string): RawBuilder<unknown>
  /** The number that orders rows of a table in an index that are equal in its columns. */
  numberOf(table: string): RawBuilder<number>
  /** Selects the keys `id` of units, parts, procedures and entries of metadata with this text of three characters or more. */
  selectRecordsWith(text: string): RawBuilder<{ id: number }>
  /** Selects the keys of errors in whose message this text of three characters or more is, near its beginning. */
  selectErrorsWith(text: string): RawBuilder<{ id: number }>
  /** A condition that makes the engine use an index for the rows of `phase_errors` of these errors, if it needs one. */
  errorIndexHint(errors: RawBuilder<unknown>): readonly RawBuilder<SqlBool>[]
  /** Selects the tables with keys of the key generator, each with the first column of its primary key. */
  readonly selectTablesWithKeys: RawBuilder<{ name: string; first: string }>
  /** Selects how many bytes the database takes. */
  readonly selectSize: RawBuilder<{ bytes: number }>
}
