/** Coefficients of the Lanczos approximation for g = 7 and nine terms. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]
const HALF_LOG_TWO_PI = 0.5 * Math.log(2 * Math.PI)

/**
 * Natural logarithm of the gamma function, for x > 0, to about 14 digits.
 * Source: Lanczos, "A precision approximation of the gamma function" (1964).
 */
export function logGamma(x: number): number {
  const shifted = x - 1
  const base = shifted + 7.5
  const series = LANCZOS.reduce(
    (sum, coefficient, i) => sum + (i === 0 ? coefficient : coefficient / (shifted + i)),
    0,
  )
  return HALF_LOG_TWO_PI + (shifted + 0.5) * Math.log(base) - base + Math.log(series)
}

/**
 * Regularized incomplete beta function I_x(a, b), for 0 ≤ x ≤ 1 and a, b > 0.
 * Source: Press et al., "Numerical Recipes", 6.4: continued fraction by Lentz's method.
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const logFront = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)
  // The fraction converges fast only on this side; symmetry gives the other side.
  return x < (a + 1) / (a + b + 2)
    ? (Math.exp(logFront) * betaFraction(x, a, b)) / a
    : 1 - (Math.exp(logFront) * betaFraction(1 - x, b, a)) / b
}

const TINY = 1e-300
const MAX_TERMS = 10_000

function betaFraction(x: number, a: number, b: number): number {
  let c = 1
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m <= MAX_TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    let factor = 1
    for (const term of [even, odd]) {
      d = 1 / awayFromZero(1 + term * d)
      c = awayFromZero(1 + term / c)
      factor = c * d
      fraction *= factor
    }
    if (Math.abs(factor - 1) < 1e-15) break
  }
  return fraction
}

function awayFromZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value
}
