import { LIMIT_KEYS, checkLimits, explainBreach, formatLimits, formatValue, isWithin } from './limits'
import { checkKeys, checkName, checkNumber } from './misuse'
import type { MatcherResult, NamedLimits, TestSide } from './test-side'

const CALL = 'toBeWithinLimits'

/** The matcher's work: records, then judges. Under `.not` only values outside the limits pass, and the step says so. */
export function judgeWithinLimits(
  received: unknown,
  expected: NamedLimits,
  measure: TestSide['measure'],
): MatcherResult {
  checkKeys(CALL, expected, ['name', ...LIMIT_KEYS])
  const { name, ...limits } = expected
  checkName(CALL, 'name', name)
  checkLimits(CALL, limits)
  checkNumber(CALL, 'the value expected', received)
  measure(name, received, { ...limits, soft: true })
  const pass = isWithin(received, limits)
  const head = `expect(${name}).${pass ? 'not.' : ''}${CALL}(limits)`
  const label = pass ? 'Expected: not' : 'Expected'
  return {
    pass,
    message: () =>
      explainBreach(head, [
        [label, formatLimits(limits)],
        ['Received', formatValue(received, limits)],
      ]),
  }
}
