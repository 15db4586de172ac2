// How often an interval of a sample covers the true failure rate.

/**
 * Mean coverage of tests that both failed and passed, over all samples of `n` results that could be drawn from each: exact, so
 * that no chance is in it. Tests that never failed are left out: their intervals always cover 0, and there are many of them.
 */
export function measureCoverage(rows, n, { logGamma, wilsonInterval }) {
  const intervals = Array.from({ length: n + 1 }, (_, failures) => wilsonInterval(failures, n))
  const logChoose = intervals.map((_, k) => logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1))
  const rates = rows
    .map((row) => Number(row.NumFailingRuns) / (Number(row.NumFailingRuns) + Number(row.NumPassingRuns)))
    .filter((rate) => rate > 0 && rate < 1)
  const coverages = rates.map((rate) =>
    intervals.reduce((sum, { low, high }, k) => {
      if (rate < low || rate > high) return sum
      return sum + Math.exp(logChoose[k] + k * Math.log(rate) + (n - k) * Math.log1p(-rate))
    }, 0),
  )
  const coverage = coverages.reduce((sum, value) => sum + value, 0) / coverages.length
  return { coverage, tests: rates.length }
}
