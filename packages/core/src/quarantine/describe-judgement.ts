import type { Judgement } from './judge-execution'

const MAX_NAMED = 5
const MAX_REASONS = 3

/** One line: that all failures are quarantined, why the execution fails, or how it would pass. */
export function describeJudgement({ reasons, quarantined }: Judgement, canPass: boolean): string {
  if (reasons.length > 0) return `the execution fails: ${listSome([...new Set(reasons)], MAX_REASONS, '; ')}`
  const count = quarantined.length
  const names = listSome(quarantined, MAX_NAMED, ', ')
  const all =
    count === 1 ? `1 failure is quarantined (${names})` : `${count} failures are quarantined (${names})`
  return canPass
    ? `${all}, and nothing else failed`
    : `${all}, but only "runledger run -- COMMAND" lets the execution pass`
}

function listSome(texts: readonly string[], most: number, separator: string): string {
  const left = texts.length - most
  return [...texts.slice(0, most), ...(left > 0 ? [`${left} more`] : [])].join(separator)
}
