// A logistic regression small enough to read: weights that make the outcomes most likely, starting from what we know.

/**
 * Weights that maximize likelihood × prior, by Newton's method. Each weight's prior is a normal distribution: `mean` is what we
 * believe without data, `deviation` how far data may move it; the constant has none.
 * @param {{ features: number[], outcome: boolean }[]} cases
 * @param {{ mean: number, deviation: number }[]} priors one for each feature
 * @returns {number[]} the constant, then a weight for each feature
 */
export function fitLogistic(cases, priors) {
  let weights = [0, ...priors.map(({ mean }) => mean)]
  const precisions = [1e-6, ...priors.map(({ deviation }) => 1 / deviation ** 2)]
  const means = [0, ...priors.map(({ mean }) => mean)]
  for (let round = 0; round < 100; round++) {
    const gradient = weights.map((weight, i) => -precisions[i] * (weight - means[i]))
    const curvature = weights.map((_, i) => weights.map((__, j) => (i === j ? precisions[i] : 0)))
    for (const { features, outcome } of cases) {
      const row = [1, ...features]
      const probability = predict(weights, features)
      row.forEach((value, i) => {
        gradient[i] += value * (Number(outcome) - probability)
        row.forEach((other, j) => (curvature[i][j] += value * other * probability * (1 - probability)))
      })
    }
    const step = solve(curvature, gradient)
    weights = weights.map((weight, i) => weight + step[i])
    if (Math.max(...step.map(Math.abs)) < 1e-10) break
  }
  return weights
}

/** @param {number[]} weights @param {number[]} features */
export function predict([constant, ...weights], features) {
  const logOdds = weights.reduce((sum, weight, i) => sum + weight * features[i], constant)
  return 1 / (1 + Math.exp(-logOdds))
}

/** Solves a system of linear equations by Gaussian elimination. */
function solve(matrix, right) {
  const rows = matrix.map((row, i) => [...row, right[i]])
  for (let i = 0; i < rows.length; i++) {
    const pivot = rows.slice(i).reduce((best, row) => (Math.abs(row[i]) > Math.abs(best[i]) ? row : best))
    rows.splice(rows.indexOf(pivot), 1)
    rows.splice(i, 0, pivot)
    for (const row of rows) {
      if (row === pivot) continue
      const factor = row[i] / pivot[i]
      for (let j = i; j < row.length; j++) row[j] -= factor * pivot[j]
    }
  }
  return rows.map((row, i) => row.at(-1) / row[i])
}
