import { wilsonInterval } from '../intervals'

/** A share of units with its 95 % Wilson interval. */
export interface Yield {
  readonly passed: number
  readonly n: number
  /** `passed / n`; undefined without a unit. */
  readonly rate: number | undefined
  readonly low: number
  readonly high: number
}

export function yieldOf(passed: number, n: number): Yield {
  const { rate, low, high } = wilsonInterval(passed, n)
  return { passed, n, rate, low, high }
}

/** Product of the yields of all procedures that a part passes; undefined when one of them has no unit. */
export function rolledYield(yields: readonly Yield[]): number | undefined {
  return yields.reduce<number | undefined>(
    (product, { rate }) => (product === undefined || rate === undefined ? undefined : product * rate),
    1,
  )
}
