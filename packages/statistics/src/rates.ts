import { wilsonInterval, type Rate } from './intervals'

export interface TestResult {
  readonly first: 'passed' | 'failed'
  readonly last: 'passed' | 'failed'
  /** Whether it comes from an infrastructure build, which no rate counts. */
  readonly infrastructure?: boolean
}

/** Share of results whose first attempt failed, with its 95 % Wilson interval. */
export function failureRate(results: readonly TestResult[]): Rate {
  return rateOf(results, ({ first }) => first === 'failed')
}

/** Share of results that failed first and passed on a retry, with its 95 % Wilson interval. */
export function flakeRate(results: readonly TestResult[]): Rate {
  return rateOf(results, ({ first, last }) => first === 'failed' && last === 'passed')
}

function rateOf(results: readonly TestResult[], counts: (result: TestResult) => boolean): Rate {
  const counted = results.filter(({ infrastructure }) => infrastructure !== true)
  return wilsonInterval(counted.filter(counts).length, counted.length)
}
