import { isDeepStrictEqual } from 'node:util'

const LISTED = new WeakMap<object, unknown[]>()

/**
 * True when this reporter is listed again with equal options for one execution, which the framework's own object
 * stands for: the record of it is made already. Different options (another service, say) are another record.
 */
export function isRepetition(execution: object, options: unknown): boolean {
  const known = LISTED.get(execution) ?? []
  if (known.some((other) => isDeepStrictEqual(other, options))) return true
  LISTED.set(execution, [...known, options])
  return false
}
