import { incompleteBeta, logGamma } from '../special-functions'

const MAX_TERMS = 10_000
const TINY = 1e-300

/** Probability that a standard normal value is below `z`, with full relative accuracy in both tails. */
export function normalBelow(z: number): number {
  const half = upperGamma(0.5, (z * z) / 2) / 2
  return z < 0 ? half : 1 - half
}

/** Its logarithm, which stays finite where the probability itself is close to 0. */
export function logNormalBelow(z: number): number {
  if (z > 0) return Math.log1p(-normalBelow(-z))
  return z < -37 ? logFarTail(z) : Math.log(normalBelow(z))
}

/** Abramowitz and Stegun, 26.2.12: the omitted part is below 1e-9 of the result at z = −37. */
function logFarTail(z: number): number {
  const square = z * z
  return -square / 2 - Math.log(-z) - 0.5 * Math.log(2 * Math.PI) + Math.log1p(-1 / square + 3 / square ** 2)
}

/** Probability that F is at least this large, with both degrees of freedom. */
export function fTail(f: number, freedom: { readonly above: number; readonly below: number }): number {
  const { above, below } = freedom
  return incompleteBeta(below / (below + above * f), below / 2, above / 2)
}

/** The value that chi-square with this many degrees of freedom, whole or not, stays below with this probability. */
export function chiSquareQuantile(probability: number, freedom: number): number {
  let low = 0
  let high = Math.max(1, freedom)
  while (1 - upperGamma(freedom / 2, high / 2) < probability) high *= 2
  for (let i = 0; i < 200 && high - low > Number.EPSILON * high; i++) {
    const middle = (low + high) / 2
    if (1 - upperGamma(freedom / 2, middle / 2) < probability) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/**
 * Regularized upper incomplete gamma function Q(a, x), for a > 0 and x ≥ 0.
 * Source: Press et al., "Numerical Recipes", 6.2: a series below a + 1, above it a continued fraction by Lentz's method.
 */
function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1
  const front = Math.exp(a * Math.log(x) - x - logGamma(a))
  return x < a + 1 ? 1 - front * gammaSeries(a, x) : front * gammaFraction(a, x)
}

function gammaSeries(a: number, x: number): number {
  let term = 1 / a
  let sum = term
  for (let n = 1; n <= MAX_TERMS && term > sum * 1e-17; n++) {
    term *= x / (a + n)
    sum += term
  }
  return sum
}

function gammaFraction(a: number, x: number): number {
  let b = x + 1 - a
  let c = 1 / TINY
  let d = 1 / b
  let fraction = d
  for (let n = 1; n <= MAX_TERMS; n++) {
    const numerator = -n * (n - a)
    b += 2
    d = 1 / awayFromZero(numerator * d + b)
    c = awayFromZero(b + numerator / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) < 1e-16) break
  }
  return fraction
}

function awayFromZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value
}
