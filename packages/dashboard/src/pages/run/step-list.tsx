import type { Phase, RunOutcome } from '@runledger/protocol'
import { useDeferredValue, useMemo, useState } from 'react'
import { formatCount } from '../../format/number'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Card } from '../../ui/card'
import { countSteps, selectSteps, type StepCounts } from './select-steps'
import type { AttemptAttachments } from './step-attachments'
import { StepRow } from './step-row'

// As many steps as fit on a screen need no filter to show the failed ones.
const SHORT_LIST = 12
// From here on rows out of sight are not laid out.
const LONG_LIST = 100
// Rows of the first paint; thousands more follow without keeping the page from answering.
const FIRST_ROWS = 60

interface StepListProps {
  phases: Phase[]
  bySteps: Map<number, AttemptAttachments[]>
  runOutcome: RunOutcome
  /** Whether the page shows a log that tells why steps failed. */
  hasLog: boolean
}

/** The steps in order; a long list of a failed run begins with only the failed ones shown. */
export function StepList({ phases, bySteps, runOutcome, hasLog }: StepListProps) {
  const counts = useMemo(() => countSteps(phases), [phases])
  const [failedOnly, setFailedOnly] = useState(counts.failing > 0 && phases.length > SHORT_LIST)
  const shown = useMemo(
    () => selectSteps(phases, failedOnly && counts.failing > 0),
    [phases, failedOnly, counts],
  )
  const rendered = useDeferredValue(shown, shown.slice(0, FIRST_ROWS))
  const hasMeasurements = phases.some(({ measurements }) => measurements.length > 0)
  const toggle = counts.failing > 0 && counts.failing < counts.all && (
    <Button pressed={failedOnly} onClick={() => setFailedOnly(!failedOnly)}>
      Failed only ({counts.failing.toLocaleString('en')})
    </Button>
  )
  return (
    <Card
      title="Steps"
      aside={
        <div className="flex flex-wrap items-center gap-3">
          <Counts counts={counts} />
          {toggle}
        </div>
      }
    >
      {phases.length === 0 && <p className="p-4 text-soft">This run has no steps.</p>}
      <Disagreement runOutcome={runOutcome} counts={counts} />
      <ol className="divide-y divide-line">
        {rendered.map((index) => {
          const phase = phases[index]
          return (
            phase && (
              <StepRow
                key={phase.id}
                phase={phase}
                attempts={bySteps.get(index)}
                hasMeasurements={hasMeasurements}
                hasLog={hasLog}
                isLazy={shown.length > LONG_LIST}
              />
            )
          )
        })}
      </ol>
      {shown.length < phases.length && (
        <p className="border-t border-line px-4 py-2 text-sm text-soft">
          {formatCount(phases.length - shown.length, 'step')} that did not fail{' '}
          {phases.length - shown.length === 1 ? 'is' : 'are'} hidden.{' '}
          <button type="button" className="text-accent underline" onClick={() => setFailedOnly(false)}>
            Show all
          </button>
        </p>
      )}
    </Card>
  )
}

/** The run's outcome is the framework's own, whatever its steps came to. */
function Disagreement({ runOutcome, counts }: Pick<StepListProps, 'runOutcome'> & { counts: StepCounts }) {
  const isUnexplained = runOutcome === 'FAIL' && counts.failing === 0 && counts.all > 0
  const isForgiven = runOutcome === 'PASS' && counts.failing > 0
  if (!isUnexplained && !isForgiven) return null
  return (
    <p className="border-b border-line px-4 py-2 text-soft">
      {isUnexplained
        ? 'The run failed although none of its steps did.'
        : `The run passed although ${formatCount(counts.failing, 'step')} of it failed.`}
    </p>
  )
}

function Counts({ counts }: { counts: StepCounts }) {
  const passed = counts.all - counts.failing - counts.skipped
  const parts = [
    `${passed.toLocaleString('en')} passed`,
    ...(counts.failing > 0 ? [`${counts.failing.toLocaleString('en')} failed`] : []),
    ...(counts.skipped > 0 ? [`${counts.skipped.toLocaleString('en')} skipped`] : []),
  ]
  if (counts.all === 0) return null
  return (
    <>
      <span className="text-sm text-soft">{parts.join(', ')}</span>
      {counts.disagreeing > 0 && (
        <Badge
          tone="warn"
          word={`${counts.disagreeing.toLocaleString('en')} ${counts.disagreeing === 1 ? 'disagrees with its' : 'disagree with their'} limits`}
        />
      )}
    </>
  )
}
