/** Deepest nesting of lists and objects in a measured value. */
export const MAX_VALUE_DEPTH = 32

/** False for numbers that JSON cannot give back: text such as `1e999` is read as Infinity. */
export function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.values(value).every(hasFiniteNumbers)
}

/** Whether a JSON value is nested no deeper than `MAX_VALUE_DEPTH`; never overflows the stack. */
export function isShallow(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    const nested = level.filter((one): one is object => typeof one === 'object' && one !== null)
    if (nested.length > 0 && depth === MAX_VALUE_DEPTH) return false
    level = nested.flatMap((one) => Object.values(one) as unknown[])
  }
  return true
}
