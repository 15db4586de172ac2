import type { TestOutcome } from '@runledger/protocol'
import { Badge, type Tone } from '../ui/badge'

export const TEST_OUTCOME_LOOKS: Readonly<Record<TestOutcome, { word: string; tone: Tone }>> = {
  passed: { word: 'Passed', tone: 'good' },
  flaky: { word: 'Flaky', tone: 'warn' },
  failed: { word: 'Failed', tone: 'bad' },
  skipped: { word: 'Skipped', tone: 'quiet' },
}

export function TestOutcomeBadge({ outcome }: { outcome: TestOutcome }) {
  return <Badge {...TEST_OUTCOME_LOOKS[outcome]} />
}
