import { describeOutsideLimits, type RunListItem } from '@runledger/protocol'

/** `ui/badge` has an icon and a colour for each tone. */
export type OutcomeTone = 'good' | 'bad' | 'warn' | 'late' | 'stopped' | 'quiet'

export interface OutcomeLook {
  word: string
  tone: OutcomeTone
}

const LOOKS: Record<string, OutcomeLook> = {
  PASS: { word: 'Passed', tone: 'good' },
  FAIL: { word: 'Failed', tone: 'bad' },
  ERROR: { word: 'Error', tone: 'warn' },
  TIMEOUT: { word: 'Timed out', tone: 'late' },
  ABORTED: { word: 'Aborted', tone: 'stopped' },
  SKIP: { word: 'Skipped', tone: 'quiet' },
}

/** The word and tone of a run's or phase's outcome. */
export function describeOutcome(outcome: string): OutcomeLook {
  return LOOKS[outcome] ?? { word: outcome, tone: 'quiet' }
}

/** `Passed`; `Passed, 2 measurements outside their limits`. */
export function formatOutcome(run: Pick<RunListItem, 'outcome' | 'measurements_outside_limits'>): string {
  return [describeOutcome(run.outcome).word, describeOutsideLimits(run)].filter(Boolean).join(', ')
}

export function isFailing(outcome: string): boolean {
  return outcome !== 'PASS' && outcome !== 'SKIP'
}
