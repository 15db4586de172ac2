import type { Phase } from '@runledger/protocol'
import { memo } from 'react'
import { formatDuration } from '../../format/duration'
import { describeOutcome, isFailing } from '../../format/outcome'
import { formatCount } from '../../format/number'
import { Badge } from '../../ui/badge'
import { ClockTime } from '../../ui/time-text'
import { SUITE_LOG_ANCHOR } from './attachment-text'
import { AttachmentGroup } from './attachment-group'
import { MeasurementView } from './measurement-view'
import { splitStepName } from './select-steps'
import type { AttemptAttachments } from './step-attachments'

const COLUMNS = 'md:grid md:grid-cols-[7rem_minmax(0,1fr)_7.5rem_5rem]'
const MEASURING_COLUMNS = 'md:grid md:grid-cols-[7rem_minmax(0,1fr)_minmax(0,17rem)_7.5rem_5rem]'

interface StepRowProps {
  phase: Phase
  attempts: AttemptAttachments[] | undefined
  /** Whether any step of the run has a measurement, so that there is a column for them. */
  hasMeasurements: boolean
  hasLog: boolean
  /** Whether the browser may leave the row out of the layout while it is out of sight. */
  isLazy: boolean
}

/** One step with its measurements and, inside it, the attachments of each attempt. */
export const StepRow = memo(function StepRow(props: StepRowProps) {
  const { phase, attempts, hasMeasurements, hasLog, isLazy } = props
  const { word, tone } = describeOutcome(phase.outcome)
  const failing = isFailing(phase.outcome)
  return (
    <li
      className={`${isLazy ? 'lazy-row' : ''} px-4 py-2.5 ${failing ? 'border-l-4 border-l-bad pl-3' : ''}`}
    >
      <div
        className={`flex flex-wrap items-baseline gap-x-4 gap-y-1 ${hasMeasurements ? MEASURING_COLUMNS : COLUMNS}`}
      >
        <span className="order-1">
          <Badge tone={tone} word={word} />
        </span>
        <div className="order-4 w-full min-w-0 md:order-2 md:w-auto">
          <StepName name={phase.name} />
          {phase.retry_count > 0 && (
            <p className="text-sm text-soft">{formatCount(phase.retry_count, 'retry', 'retries')}</p>
          )}
          {phase.docstring && <p className="text-sm whitespace-pre-line text-soft">{phase.docstring}</p>}
        </div>
        {hasMeasurements && (
          <div className="order-5 w-full min-w-0 empty:hidden md:order-3 md:w-auto md:empty:block">
            {phase.measurements.map((measurement) => (
              <MeasurementView key={measurement.id} phase={phase} measurement={measurement} />
            ))}
          </div>
        )}
        <span className="order-2 ml-auto text-sm text-soft md:order-4 md:ml-0 md:text-right">
          <ClockTime at={phase.started_at} />
        </span>
        <span className="numeric order-3 text-sm md:order-5 md:text-right">
          {formatDuration(phase.duration)}
        </span>
      </div>
      {failing && hasLog && phase.measurements.length === 0 && (
        <p className="mt-1 text-sm md:ml-32">
          <a href={`#${SUITE_LOG_ANCHOR}`}>Why it failed is in the log</a>
        </p>
      )}
      {attempts && (
        <div className="mt-3 flex flex-col gap-4 md:ml-32">
          {attempts.map(({ attempt, attachments }) => (
            <AttachmentGroup
              key={attempt ?? 0}
              title={attempt === undefined ? undefined : `Attempt ${attempt}`}
              attachments={attachments}
              preload={failing}
            />
          ))}
        </div>
      )}
    </li>
  )
})

function StepName({ name }: { name: string }) {
  if (name.trim() === '') return <p className="text-soft italic">without a name</p>
  const { path, title } = splitStepName(name)
  return (
    <p className="break-words whitespace-pre-wrap">
      {path.length > 0 && <span className="text-soft">{path.join(' › ')} › </span>}
      <span className="font-medium">{title}</span>
    </p>
  )
}
