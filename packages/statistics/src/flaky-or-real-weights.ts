import type { FeatureName } from './failure-features'

/** Change of the logarithm of the odds per unit of each feature. */
export type FlakyOrRealWeights = Readonly<Record<FeatureName | 'constant', number>>

/** Made by `scripts/train-flaky-or-real.mjs` from 437 failures of Apache Ozone's CI: `docs/statistics.md`. */
export const FLAKY_OR_REAL_WEIGHTS: FlakyOrRealWeights = {
  constant: -1.243,
  failedOnCommit: 1.047,
  failuresInRow: 0.921,
  hoursSincePass: 0.179,
  recentExcess: 0.259,
  newError: 0.38,
  flakyError: -0.584,
  otherNewFailures: -0.393,
  repeats: 0.5,
  broken: 0.509,
}
