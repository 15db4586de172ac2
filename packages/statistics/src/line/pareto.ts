/** Something that failed, how often, and its part in all failures. */
export type ParetoRow<Row> = Row & {
  readonly share: number
  /** Share of this row and of those before it. */
  readonly cumulative: number
}

/** Most failures first; rows of equal number keep their order. `total` counts those of rows that are left out too. */
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
