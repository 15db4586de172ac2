export type RuleSet = 'western_electric' | 'nelson'

/** A pattern that a process in control shows rarely. */
export interface Violation {
  readonly set: RuleSet
  /** Its number in the set, from 1. */
  readonly rule: number
  /** Index of the value that completes the pattern. */
  readonly index: number
}

type Condition = (distances: readonly number[]) => boolean

/** A rule looks at this many values in a row, each as its distance from the center in standard deviations. */
interface Rule {
  readonly length: number
  readonly isBroken: Condition
}

const isOutside = outside(3, 1, 1)

/** Western Electric Co., "Statistical Quality Control Handbook" (1956). */
const WESTERN_ELECTRIC: readonly Rule[] = [isOutside, outside(2, 2, 3), outside(1, 4, 5), outside(0, 8, 8)]

/** Nelson, "The Shewhart control chart: tests for special causes" (1984). */
const NELSON: readonly Rule[] = [
  isOutside,
  outside(0, 9, 9),
  { length: 6, isBroken: isTrend },
  { length: 14, isBroken: alternates },
  outside(2, 2, 3),
  outside(1, 4, 5),
  { length: 15, isBroken: (distances) => distances.every((z) => Math.abs(z) <= 1) },
  { length: 8, isBroken: isSplit },
]

const RULES: Readonly<Record<RuleSet, readonly Rule[]>> = {
  western_electric: WESTERN_ELECTRIC,
  nelson: NELSON,
}

/** The patterns among values in their order, by index, then by rule. None without a deviation. */
export function findViolations(
  values: readonly number[],
  { center, sigma }: { readonly center: number; readonly sigma: number },
  set: RuleSet = 'western_electric',
): Violation[] {
  if (sigma === 0) return []
  const distances = values.map((value) => (value - center) / sigma)
  return distances.flatMap((_, index) =>
    RULES[set].flatMap(({ length, isBroken }, i) =>
      index + 1 >= length && isBroken(distances.slice(index + 1 - length, index + 1))
        ? [{ set, rule: i + 1, index }]
        : [],
    ),
  )
}

/** At least `count` of `length` values lie further than `sigmas` on one side, the last of them included. */
function outside(sigmas: number, count: number, length: number): Rule {
  return {
    length,
    isBroken: (distances) =>
      [1, -1].some((side) => {
        const beyond = distances.map((z) => z * side > sigmas)
        return beyond.at(-1) === true && beyond.filter(Boolean).length >= count
      }),
  }
}

function isTrend(distances: readonly number[]): boolean {
  const steps = signs(distances)
  return steps[0] !== 0 && steps.every((step) => step === steps[0])
}

function alternates(distances: readonly number[]): boolean {
  const steps = signs(distances)
  return steps.slice(1).every((step, i) => step * (steps[i] ?? 0) < 0)
}

/** Whether each value differs from the one before upwards (1), downwards (-1) or not at all. */
function signs(distances: readonly number[]): number[] {
  return distances.slice(1).map((z, i) => Math.sign(z - (distances[i] ?? z)))
}

/** No value is near the center, and values lie on both sides. */
function isSplit(distances: readonly number[]): boolean {
  return (
    distances.every((z) => Math.abs(z) > 1) && distances.some((z) => z > 0) && distances.some((z) => z < 0)
  )
}
