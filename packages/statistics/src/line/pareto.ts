/** Something that failed, with its share of all failures. */
export type ParetoRow<Row> = Row & {
  readonly share: number
  /** Share of this row and the rows before it. */
  readonly cumulative: number
}

/** Most failures first. Rows with equal counts keep their order. Pass `total` if `rows` is not complete. */
export function pareto<Row extends { readonly failures: number }>(
  rows: readonly Row[],
  total = rows.reduce((sum, { failures }) => sum + failures, 0),
): ParetoRow<Row>[] {
  const sorted = rows.toSorted((a, b) => b.failures - a.failures)
  let counted = 0
  return sorted.map((row) => {
    counted += row.failures
    return {
      ...row,
      share: total === 0 ? 0 : row.failures / total,
      cumulative: total === 0 ? 0 : counted / total,
    }
  })
}
