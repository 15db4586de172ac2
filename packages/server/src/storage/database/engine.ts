import type { Dialect, Expression, RawBuilder, SqlBool } from 'kysely'

/** SQL that differs between SQLite and PostgreSQL. */
export interface Engine {
  readonly dialect: Omit<Dialect, 'createDriver'>
  /** The list is one bound value, however long it is. */
  isIn(value: RawBuilder<unknown>, list: readonly (number | string)[]): RawBuilder<SqlBool>
  /** Finds the selected keys before the rest of the statement. */
  isSelected(key: RawBuilder<unknown>, keys: Expression<unknown>): RawBuilder<SqlBool>
  /** Keeps SQLite from an index when another is better; PostgreSQL needs no help. */
  withoutIndex(column: string): RawBuilder<unknown>
  /** The list as a table with the columns `value` and `key`, the index from 0. */
  eachOf(list: readonly (number | string)[], name: string): RawBuilder<unknown>
  /**
   * `select` selects a `key` for each entry of the list. The result is the table `firsts` with the column `value`, beside
   * `owners`, whose `value` is the entry (JSON if it is an object).
   */
  firstsOfEach(
    list: readonly (number | object)[],
    select: (entry: RawBuilder<number>) => RawBuilder<unknown>,
  ): RawBuilder<unknown>
  listOfGroup(value: RawBuilder<unknown>): RawBuilder<string>
  objectOfGroup(name: RawBuilder<unknown>, value: RawBuilder<unknown>): RawBuilder<string>
  /** Valid during one statement. */
  rowOf(table: string): RawBuilder<unknown>
  /** Orders rows that are equal in the columns of an index. */
  numberOf(table: string): RawBuilder<number>
  /** Keys of units, parts, procedures and metadata entries with this text of at least three characters. */
  selectRecordsWith(text: string): RawBuilder<{ id: number }>
  /** Keys of errors with this text of at least three characters near the beginning of their message. */
  selectErrorsWith(text: string): RawBuilder<{ id: number }>
  /** Makes the engine use an index for `phase_errors`, if it needs help. */
  errorIndexHint(errors: RawBuilder<unknown>): readonly RawBuilder<SqlBool>[]
  /** The first column of the primary key is where the key generator's keys are. */
  readonly selectTablesWithKeys: RawBuilder<{ name: string; first: string }>
  readonly selectSize: RawBuilder<{ bytes: number }>
}
