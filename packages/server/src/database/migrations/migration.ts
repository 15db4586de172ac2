/** A step from one state of the tables to the next. */
export interface Migration {
  name: string
  /** Of those that both databases share, statements that both accept: text, smallint, bigint, double precision. */
  statements: readonly string[]
}
