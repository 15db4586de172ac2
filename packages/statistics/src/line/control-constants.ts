import { logGamma } from '../special-functions'

/**
 * Mean of the range of n standard normal values, d2, from n = 2. Computed with R by `data/control-constants.R`; Tippett, "On the
 * extreme individuals and the range of samples taken from a normal population" (1925).
 */
const RANGE_MEANS = [
  2 / Math.sqrt(Math.PI),
  1.69256875064,
  2.05875074601,
  2.32592894728,
  2.53441272122,
  2.70435675121,
  2.84720061209,
  2.97002632442,
  3.07750546167,
  3.17287270382,
  3.25845527974,
  3.3359803541,
  3.4067631082,
  3.47182688988,
  3.53198278611,
  3.58788396177,
  3.64006375794,
  3.68896302321,
  3.7349501196,
  3.77833582984,
  3.81938464336,
  3.85832342329,
  3.89534814845,
  3.93062921951,
]

/** Standard deviation of that range, d3. */
const RANGE_DEVIATIONS = [
  Math.sqrt(2 - 4 / Math.PI),
  0.88836800405,
  0.87980820282,
  0.8640819411,
  0.84803968612,
  0.83320533562,
  0.81983148979,
  0.80783427455,
  0.79705067352,
  0.78731462055,
  0.7784783412,
  0.77041620206,
  0.76302309562,
  0.75621142973,
  0.74990808941,
  0.74405178396,
  0.73859085338,
  0.73348149552,
  0.72868634571,
  0.72417334072,
  0.71991480843,
  0.71588673549,
  0.71206817515,
  0.70844076589,
]

/** Largest subgroup size for range charts. Larger subgroups use the standard deviation. */
const LARGEST_RANGE_SUBGROUP = RANGE_MEANS.length + 1

/** d2 and d3 for subgroups of `n`. @throws RangeError below 2 and above 25. */
export function rangeConstants(n: number): { readonly d2: number; readonly d3: number } {
  const d2 = RANGE_MEANS[n - 2]
  const d3 = RANGE_DEVIATIONS[n - 2]
  if (d2 === undefined || d3 === undefined)
    throw new RangeError(`no constants for a range of ${n} values: 2 to ${LARGEST_RANGE_SUBGROUP} are known`)
  return { d2, d3 }
}

/** Mean of the standard deviation of n standard normal values, c4, from n = 2. */
export function deviationConstant(n: number): number {
  return Math.sqrt(2 / (n - 1)) * Math.exp(logGamma(n / 2) - logGamma((n - 1) / 2))
}
