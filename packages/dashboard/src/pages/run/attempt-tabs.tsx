import type { RunLog } from '@runledger/protocol'
import {
  listAttemptSteps,
  deriveKind,
  describeOutcome,
  formatCount,
  formatDuration,
  formatErrorText,
  nameErrors,
  type PlacedAttachment,
  type SourceLink,
  type StepNode,
} from '@runledger/presentation'
import { Tabs } from 'radix-ui'
import { Badge } from '../../ui/badge'
import { CopyButton } from '../../ui/copy-button'
import { ClockTime } from '../../ui/time-text'
import { AttachmentGroup } from './attachment-group'
import { AttemptSteps } from './attempt-steps'
import type { AttemptView } from './attempts'
import { ErrorView } from '../../parts/error-view'
import { LogEntries } from './log-list'
import { PrintedOutput } from './printed-output'
import { useRunFacts } from './run-context'
import { usePrinted } from './use-printed'
import { WorkerNote } from './worker-note'

interface AttemptTabsProps {
  attempts: AttemptView[]
  node: StepNode
  linkSource: SourceLink
  /** What the test program logged while the step ran. */
  logs: readonly RunLog[]
  /** Whether the output and videos are to be there without a click. */
  isFirst: boolean
  /** The attachment whose attempt is to be shown. */
  shownAttachment: string | undefined
}

/** What each attempt of a step came to; the one that tells most is shown at first. */
export function AttemptTabs({ attempts, ...rest }: AttemptTabsProps) {
  const last = attempts.at(-1)
  if (!last) return null
  const { shownAttachment: shownId } = rest
  const shown = attempts.find(({ attachments }) =>
    attachments.some(({ attachment: { id } }) => id === shownId),
  )
  if (attempts.length === 1) return <Attempt attempt={last} {...rest} />
  return (
    <Tabs.Root defaultValue={String((shown ?? findWorst(attempts) ?? last).number)}>
      <Tabs.List aria-label="Attempts" className="mb-3 flex flex-wrap gap-x-1 border-b border-line">
        {attempts.map(({ number, outcome, duration }) => (
          <Tabs.Trigger
            key={number}
            value={String(number)}
            className="-mb-px flex min-h-9 items-center gap-2 border-b-2 border-transparent px-2 text-sm text-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            Attempt {number}
            {outcome !== undefined && <Badge {...describeOutcome(outcome)} />}
            {duration !== undefined && <span className="numeric text-soft">{formatDuration(duration)}</span>}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {attempts.map((attempt) => (
        <Tabs.Content key={attempt.number} value={String(attempt.number)}>
          <Attempt attempt={attempt} {...rest} isOneOfMany isEarlier={attempt !== last} />
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}

// Why an earlier attempt failed says more of a step than that it passed in the end.
function findWorst(attempts: AttemptView[]): AttemptView | undefined {
  return attempts.at(-1)?.outcome === 'PASS'
    ? attempts.findLast(({ errors }) => errors.length > 0)
    : attempts.at(-1)
}

interface AttemptProps extends Omit<AttemptTabsProps, 'attempts' | 'shownAttachment'> {
  attempt: AttemptView
  isOneOfMany?: boolean
  isEarlier?: boolean
}

function Attempt({ attempt, node, linkSource, logs, isFirst, ...place }: AttemptProps) {
  const { isOneOfMany = false, isEarlier = false } = place
  const { number, errors, moreErrors, attachments } = attempt
  const printed = usePrinted(node, number)
  // Of an only attempt nothing stands before why it failed.
  const facts = <AttemptFacts attempt={attempt} index={node.index} isOneOfMany={isOneOfMany} />
  const names = nameErrors(errors, moreErrors)
  const steps = listAttemptSteps(useRunFacts().tree, node, isEarlier ? number : undefined)
  const isEmpty = errors.length + attachments.length + steps.length === 0 && printed === undefined
  return (
    <div className="flex flex-col gap-4">
      {isOneOfMany && facts}
      {errors.map((error, index) => (
        <div key={index}>
          {errors.length > 1 && (
            <div className="mb-1 flex items-center justify-between">
              <p className="text-sm font-semibold">{names[index]}</p>
              <CopyButton text={() => formatErrorText(error)} label={`Copy error ${index + 1}`} />
            </div>
          )}
          <ErrorView error={error} linkSource={linkSource} />
        </div>
      ))}
      {moreErrors > 0 && (
        <p className="text-sm text-soft">{formatCount(moreErrors, 'more error')} that were not kept.</p>
      )}
      {printed && <PrintedOutput printed={printed} />}
      {attachments.length > 0 && (
        <AttachmentGroup
          attachments={attachments}
          preload={isFirst}
          openId={isFirst ? findOutput(attachments) : undefined}
        />
      )}
      {isOneOfMany && <AttemptSteps test={node} attempt={isEarlier ? number : undefined} />}
      {logs.length > 0 && <LogEntries logs={logs} />}
      {!isOneOfMany && facts}
      {isEmpty && isOneOfMany && (
        <p className="text-sm text-soft">Nothing more is on record of this attempt.</p>
      )}
    </div>
  )
}

interface AttemptFactsProps {
  attempt: AttemptView
  /** Place of the step in the run. */
  index: number
  isOneOfMany: boolean
}

/** When and where an attempt ran; how long it took stands above it, and of an only one when. */
function AttemptFacts({ attempt, index, isOneOfMany }: AttemptFactsProps) {
  const { number, startedAt, worker } = attempt
  const hasStart = isOneOfMany && startedAt !== undefined
  if (!hasStart && worker === undefined) return null
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-soft">
      {hasStart && (
        <span>
          Started <ClockTime at={startedAt} />
        </span>
      )}
      {worker !== undefined && <WorkerNote worker={worker} index={index} attempt={number} />}
    </div>
  )
}

// What a test printed, and no report or data that it attached.
function findOutput(attachments: PlacedAttachment[]): string | undefined {
  const output = attachments.find(
    ({ attachment, fileName }) => /\.(log|txt)$/i.test(fileName) && deriveKind(attachment) === 'text',
  )
  return output?.attachment.id
}
