import {
  describeOutcome,
  firstLine,
  formatCount,
  formatDuration,
  listErrors,
  type StepNode,
  type TimeSpan,
} from '@runledger/presentation'
import { ChevronRight, Paperclip } from 'lucide-react'
import { memo } from 'react'
import { formatClock } from '../../format/date'
import { Badge } from '../../ui/badge'
import { CopyButton } from '../../ui/copy-button'
import { ClockTime } from '../../ui/time-text'
import { Place } from '../../parts/place'
import { Annotations } from './annotations'
import { addressOfStep } from './failures'
import { MadeAttachment } from './made-attachment'
import { MeasurementView } from './measurement-view'
import { useRunFacts } from './run-context'
import { StepDetails } from './step-details'
import { StepFacts, StepName } from './step-facts'

const COLUMNS = 'md:grid md:grid-cols-[6.5rem_minmax(0,1fr)_9rem_4.5rem]'
const MEASURING_COLUMNS = 'md:grid md:grid-cols-[6.5rem_minmax(0,1fr)_minmax(0,17rem)_9rem_4.5rem]'
const INDENT_REM = 1.25
const MAX_INDENTS = 8

export function rowId(index: number): string {
  return `row-${index}`
}

interface StepRowProps {
  node: StepNode
  /** Whether any step of the run has a measurement, so that there is a column for them. */
  hasMeasurements: boolean
  /** Whether the steps within it are shown; undefined where there are none. */
  isOpen: boolean | undefined
  onSwitch: (index: number) => void
  hasDetails: boolean
  onDetails: (index: number, areShown: boolean) => void
  /** Whether the address names it. */
  isTarget: boolean
}

/** One step: what it came to, when, what was measured, and, opened, all that is on record of it. */
export const StepRow = memo(function StepRow(props: StepRowProps) {
  const { node, hasMeasurements, isOpen, onSwitch, hasDetails, onDetails, isTarget } = props
  const { times, hasTree } = useRunFacts()
  const { phase, index, depth, className } = node
  const look =
    className === 'flaky' ? { tone: 'warn' as const, word: 'Flaky' } : describeOutcome(phase.outcome)
  const failing = className === 'failed'
  return (
    <li
      id={rowId(index)}
      tabIndex={-1}
      className={`scroll-mt-16 px-4 py-2 outline-none ${failing ? 'border-l-4 border-l-bad pl-3' : ''} ${isTarget ? 'bg-sunken' : ''}`}
    >
      <div
        className={`flex flex-wrap items-baseline gap-x-4 gap-y-1 ${hasMeasurements ? MEASURING_COLUMNS : COLUMNS}`}
      >
        <span className="order-1">
          <Badge {...look} />
        </span>
        <div
          className="order-4 flex w-full min-w-0 items-baseline gap-1 md:order-2 md:w-auto"
          style={{ paddingLeft: `${Math.min(depth, MAX_INDENTS) * INDENT_REM}rem` }}
        >
          {isOpen === undefined ? (
            hasTree && <span className="w-5 shrink-0" />
          ) : (
            <Switch {...{ node, isOpen, onSwitch }} />
          )}
          <div className="min-w-0 grow">
            <button
              type="button"
              aria-expanded={hasDetails}
              onClick={() => onDetails(index, !hasDetails)}
              className="max-w-full text-left hover:text-accent"
            >
              <StepName name={node.name} />
            </button>{' '}
            <StepNotes node={node} />
            {!hasDetails && <ErrorLine node={node} />}
          </div>
        </div>
        {hasMeasurements && (
          <div className="order-5 w-full min-w-0 empty:hidden md:order-3 md:w-auto md:empty:block">
            {phase.measurements.map((measurement) => (
              <MeasurementView key={measurement.id} phase={phase} measurement={measurement} />
            ))}
          </div>
        )}
        <TimeBar span={times?.spans[index]} isFailing={failing} at={phase.started_at} />
        <span className="numeric order-3 ml-auto text-sm md:order-5 md:ml-0 md:text-right">
          {formatDuration(phase.duration)}
        </span>
      </div>
      {hasDetails && <OpenDetails node={node} />}
    </li>
  )
})

function Switch({
  node,
  isOpen,
  onSwitch,
}: { node: StepNode; isOpen: boolean } & Pick<StepRowProps, 'onSwitch'>) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-label={`Steps of ${node.phase.name}`}
      onClick={() => onSwitch(node.index)}
      className="-ml-1 flex size-6 shrink-0 items-center justify-center self-start rounded text-soft hover:bg-sunken hover:text-ink"
    >
      <ChevronRight aria-hidden className={`size-4 ${isOpen ? 'rotate-90' : ''}`} />
    </button>
  )
}

function StepNotes({ node }: { node: StepNode }) {
  const { bySteps, made } = useRunFacts()
  const ofTest = (bySteps.get(node.index) ?? []).reduce((sum, { attachments }) => sum + attachments.length, 0)
  const files = ofTest + Number(made.has(node.index))
  const { retry_count: retries } = node.phase
  return (
    <>
      <StepFacts phase={node.phase} />
      {retries > 0 && (
        <span className="ml-2 text-sm text-soft">{formatCount(retries, 'retry', 'retries')}</span>
      )}
      {files > 0 && (
        <span className="ml-2 inline-flex items-center gap-1 text-sm text-soft">
          <Paperclip aria-hidden className="size-3.5" />
          {formatCount(files, 'file')}
        </span>
      )}
    </>
  )
}

// Of a flaky step the first attempt's error tells more than that it passed.
function ErrorLine({ node: { phase } }: { node: StepNode }) {
  const error = listErrors(phase)[0] ?? phase.attempts?.find(({ errors }) => errors?.length)?.errors?.[0]
  if (!error) return null
  return <p className="truncate font-mono text-[0.8125rem] text-soft">{firstLine(error.message)}</p>
}

function OpenDetails({ node }: { node: StepNode }) {
  const { linkSource, hasTree, made } = useRunFacts()
  const { phase, index } = node
  const file = made.get(index)
  return (
    <div className={`mt-2 mb-1 ${hasTree ? 'md:ml-[9rem]' : 'md:ml-[7.5rem]'}`}>
      <p className="mb-2 flex flex-wrap items-center gap-x-4 text-sm text-soft">
        {phase.location && <Place location={phase.location} linkSource={linkSource} />}
        <span>
          Started <ClockTime at={phase.started_at} />
        </span>
        <span className="-ml-3">
          <CopyButton
            text={() => addressOfStep(index)}
            label={`Copy link to step ${index + 1}`}
            word="Copy link"
          />
        </span>
      </p>
      <div className="mb-2 empty:hidden">
        <Annotations phase={phase} />
      </div>
      {file && <MadeAttachment {...file} />}
      <StepDetails node={node} />
    </div>
  )
}

interface TimeBarProps {
  span: TimeSpan | undefined
  isFailing: boolean
  at: string
}

/** When a step ran, between the run's first start and its last end. */
function TimeBar({ span, isFailing, at }: TimeBarProps) {
  if (!span)
    return (
      <span className="order-2 text-sm text-soft max-md:hidden md:order-4 md:text-right">
        <ClockTime at={at} />
      </span>
    )
  const [left, width] = [span.start, span.length].map((part) => `${(part * 100).toFixed(2)}%`)
  return (
    <span
      aria-hidden
      title={formatClock(at)}
      className="relative order-4 mt-2 h-2 self-start rounded-full bg-sunken max-md:hidden"
    >
      <span
        className={`absolute inset-y-0 min-w-0.5 rounded-full ${isFailing ? 'bg-bad' : 'bg-accent'}`}
        style={{ left, width }}
      />
    </span>
  )
}
