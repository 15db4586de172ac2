import type { Judgement, JudgementReasonCode } from '@runledger/protocol'
import { formatCount } from './number'
import { formatShare } from './rate'

/** Each fact with its number. */
const REASONS: Readonly<Record<JudgementReasonCode, (value: number) => string>> = {
  passedOnCommit: (value) => `it passed ${formatCount(value, 'time')} on this commit`,
  infrastructure: () => 'its build is an infrastructure build',
  failedOnCommit: (value) => `it failed ${formatCount(value, 'other time')} on this commit`,
  failuresInRow: (value) => `${formatCount(value, 'failure')} in a row before this one`,
  hoursSincePass: (value) => `${formatCount(Math.round(value), 'hour')} since it passed`,
  recentExcess: (value) => `${formatCount(value, 'failure')} among its last 20 results`,
  newError: () => 'its error was never seen before',
  flakyError: () => 'its error was in a failure that proved flaky',
  otherNewFailures: (value) => `${formatCount(value, 'other test')} newly fail`,
  repeats: (value) => `${formatShare(value)} of the last repeated failures failed again`,
  broken: () => 'it was broken before',
}

const MAX_REASONS = 3

/** Facts without a number. */
const WITHOUT: Partial<Record<JudgementReasonCode, string>> = {
  hoursSincePass: 'no pass before it',
  repeats: 'no failure of the project ran again on its commit yet',
}

/** Whether it passed on the commit that it failed on; everything else is only likely. */
export function isProvenFlaky({ reasons }: Judgement): boolean {
  return reasons.some(({ code }) => code === 'passedOnCommit')
}

/** `Flaky: it passed 1 time on this commit`, `Likely flaky, 8 % likely to fail again on this commit: …`. */
export function formatJudgement(judgement: Judgement): string {
  const { verdict, probability_real: probability, reasons } = judgement
  const told = reasons.slice(0, MAX_REASONS).map(({ code, value, weight }) => {
    const speaksFor = weight === null || weight === 0 ? '' : weight > 0 ? ' (real)' : ' (flaky)'
    return `${value === null ? (WITHOUT[code] ?? code) : REASONS[code](value)}${speaksFor}`
  })
  const isProven = isProvenFlaky(judgement)
  const words = { flaky: 'Likely flaky', real: 'Likely real', unknown: 'Flaky or real is not known' }[verdict]
  const head = isProven
    ? 'Flaky'
    : `${words}, ${formatShare(probability)} likely to fail again on this commit`
  return `${head}${told.length === 0 ? '' : `: ${told.join('; ')}`}`
}
