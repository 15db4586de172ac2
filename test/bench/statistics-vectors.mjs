// Our functions against the test vectors of the programs that they follow.

/** Names of LUCI's vectors on which we differ, and how many there are. */
export function compareWithLuci(statistics) {
  const { LUCI_CHANGE_POINTS, LUCI_INTERVALS, LUCI_DISTRIBUTIONS, LUCI_SEGMENTS, LUCI_TAILS } = statistics
  const { createSequenceLikelihood, findSegments, listLuciResults } = statistics
  const { LUCI_CHANGE_LIKELIHOOD, LUCI_LIKELIHOODS } = statistics
  const differing = []
  const compare = (name, found, expected) => {
    if (JSON.stringify(found) !== JSON.stringify(expected)) differing.push(name)
  }
  for (const { name, runs, changePoints } of LUCI_CHANGE_POINTS) {
    const segments = findSegments(listLuciResults(runs), { changeLikelihood: LUCI_CHANGE_LIKELIHOOD })
    compare(
      name,
      segments.slice(1).map(({ from }) => from),
      changePoints,
    )
  }
  for (const { name, runs, after, upTo } of LUCI_INTERVALS) {
    const distribution = findDistribution(statistics, runs, false)
    compare(
      name,
      [0.005, 0.995].map((tail) => distribution.quantile(tail)),
      [after, upTo],
    )
  }
  for (const { name, runs, consecutive, expected } of LUCI_DISTRIBUTIONS) {
    const distribution = findDistribution(statistics, runs, consecutive)
    compare(
      name,
      LUCI_TAILS.map((tail) => distribution.quantile(tail)),
      expected,
    )
  }
  for (const { name, runs, last } of LUCI_SEGMENTS) {
    const { firstPosition, lastPosition, border } = findSegments(listLuciResults(runs)).at(-1)
    compare(name, { firstPosition, lastPosition, border }, last)
  }
  for (const { prior, hits, n, orders, expected } of LUCI_LIKELIHOODS) {
    const found = orders * Math.exp(createSequenceLikelihood(prior)(hits, n))
    if (Math.abs(found - expected) > Number.EPSILON) differing.push(`likelihood of ${hits} in ${n}`)
  }
  const n = [LUCI_LIKELIHOODS, LUCI_CHANGE_POINTS, LUCI_INTERVALS, LUCI_DISTRIBUTIONS, LUCI_SEGMENTS].flat()
    .length
  return { n, differing }
}

function findDistribution({ findBorderDistribution, listLuciResults, sumHistory }, runs, consecutive) {
  const history = sumHistory(listLuciResults(runs))
  return findBorderDistribution(history, { from: 0, to: history.positions.length }, consecutive)
}

/** Changes of the TigerBeetle series, and how far the worst of them is from an expected one. */
export function compareWithOtava({ findDurationChanges, TIGERBEETLE, TIGERBEETLE_CHANGES: expected }) {
  const found = findDurationChanges(TIGERBEETLE).map(({ index }) => index)
  const distances = expected.map((index, i) => Math.abs((found[i] ?? Infinity) - index))
  return { found, expected, distance: found.length === expected.length ? Math.max(...distances) : Infinity }
}

/** Milliseconds for a history with two changes, the best of ten. */
export function timeSegments({ findSegments }) {
  const history = Array.from({ length: 500 }, (_, i) => ({
    position: i,
    failed: i > 400 || (i > 200 && i % 5 === 0),
  }))
  const times = Array.from({ length: 10 }, () => {
    const start = performance.now()
    findSegments(history)
    return performance.now() - start
  })
  return Math.min(...times)
}
