// Flaky or real: weights made on the first half of a history, scored on the second.
import { fitLogistic } from './statistics-logistic.mjs'

/**
 * What is believed of each weight without data, and how far data may move it. Few failures are real, so that data alone would
 * make much of little: the deviations are small.
 */
const PRIORS = {
  failedOnCommit: { mean: 1, deviation: 0.25 },
  failuresInRow: { mean: 1, deviation: 0.25 },
  hoursSincePass: { mean: 0.2, deviation: 0.25 },
  recentExcess: { mean: 0.15, deviation: 0.25 },
  newError: { mean: 0.4, deviation: 0.25 },
  flakyError: { mean: -0.6, deviation: 0.25 },
  otherNewFailures: { mean: -0.3, deviation: 0.25 },
  // Follows the project's own experience half way: it varies from month to month.
  repeats: { mean: 0.5, deviation: 0.05 },
  broken: { mean: 0.5, deviation: 0.25 },
}

/**
 * Weights from failures whose outcome is known. A pass on the commit decides alone, so these failures weigh nothing.
 * @returns {Record<string, number>}
 */
export function makeWeights(failures, { listFeatures }) {
  const names = Object.keys(PRIORS)
  const cases = failures
    .filter(({ facts }) => facts.passedOnCommit === 0)
    .map(({ facts, real }) => {
      const features = listFeatures(facts)
      return { features: names.map((name) => features[name]), outcome: real }
    })
  const [constant, ...weights] = fitLogistic(cases, Object.values(PRIORS))
  return Object.fromEntries([['constant', constant], ...names.map((name, i) => [name, weights[i]])])
}

/** The first half by order: what weights are made from. */
export const firstHalf = (failures) => failures.slice(0, Math.floor(failures.length / 2))
export const secondHalf = (failures) => failures.slice(Math.floor(failures.length / 2))

/** How good weights are on failures that they were not made from. */
export function scoreWeights(failures, weights, { judgeFailure }) {
  const judged = failures.map((failure) => ({ ...failure, ...judgeFailure(failure.facts, weights) }))
  const real = judged.filter((one) => one.real)
  const said = (verdict) => judged.filter((one) => one.verdict === verdict)
  return {
    failures: judged.length,
    real: real.length,
    areas: {
      all: areaUnderCurve(judged),
      noPass: areaUnderCurve(judged.filter(({ facts }) => facts.passedOnCommit === 0)),
      first: areaUnderCurve(judged.filter(({ isFirst }) => isFirst)),
    },
    fifths: calibrate(judged),
    saidReal: { right: said('real').filter((one) => one.real).length, n: said('real').length },
    saidFlaky: { right: said('flaky').filter((one) => !one.real).length, n: said('flaky').length },
  }
}

/** The probability that a real failure gets a higher one than a flaky failure; half for equal ones. */
function areaUnderCurve(judged) {
  const real = judged.filter((one) => one.real)
  const flaky = judged.filter((one) => !one.real)
  let wins = 0
  for (const { probabilityReal: higher } of real)
    for (const { probabilityReal: lower } of flaky) wins += higher > lower ? 1 : higher === lower ? 0.5 : 0
  return wins / (real.length * flaky.length)
}

/** Predicted and observed share of real failures in each fifth of the predictions. */
function calibrate(judged) {
  const ordered = judged.toSorted((a, b) => a.probabilityReal - b.probabilityReal)
  const border = (fifth) => Math.round((fifth * ordered.length) / 5)
  return [0, 1, 2, 3, 4].map((fifth) => {
    const members = ordered.slice(border(fifth), border(fifth + 1))
    const predicted = members.reduce((sum, { probabilityReal }) => sum + probabilityReal, 0) / members.length
    return {
      predicted,
      observed: members.filter((one) => one.real).length / members.length,
      n: members.length,
    }
  })
}
