import type { LineMeasurement } from '@runledger/protocol'
import type { Colouring } from '../../line-search'

export type LineValue = LineMeasurement['values'][number]

export interface ValueGroup {
  /** null for values without one. */
  name: string | null
  n: number
  mean: number
  failed: number
  /** Its mean − the mean of all other values; undefined if there are no others. */
  difference: number | undefined
  /** Index of its colour and shape; undefined for groups beyond `LOOKS`. */
  look: number | undefined
}

/** How many groups get a colour and a shape of their own. */
export const LOOKS = 6

/** Groups values, largest weight first (`weightOf`). The first `LOOKS` groups get a colour and a shape. */
export function groupValues(values: readonly LineValue[], by: Colouring): ValueGroup[] {
  const groups = new Map<string | null, LineValue[]>()
  for (const value of values) {
    const group = groups.get(value[by])
    if (group) group.push(value)
    else groups.set(value[by], [value])
  }
  const total = sum(values)
  return [...groups]
    .map(([name, members]) => {
      const own = sum(members)
      const others = values.length - members.length
      const mean = own / members.length
      return {
        name,
        n: members.length,
        mean,
        failed: members.filter(({ passed }) => !passed).length,
        difference: others === 0 ? undefined : mean - (total - own) / others,
      }
    })
    .toSorted((one, other) => weightOf(other, values.length) - weightOf(one, values.length))
    .map((group, index) => ({ ...group, look: index < LOOKS ? index : undefined }))
}

function sum(values: readonly LineValue[]): number {
  return values.reduce((total, { value }) => total + value, 0)
}

/** Grows as the t statistic of the difference does. */
function weightOf({ difference = 0, n }: Pick<ValueGroup, 'difference' | 'n'>, total: number): number {
  return Math.abs(difference) * Math.sqrt((n * (total - n)) / total)
}
