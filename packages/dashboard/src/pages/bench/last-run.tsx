import type { RunListItem } from '@runledger/protocol'
import { describeOutcome, formatDuration } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import type { AtStation } from '../../api/bench'
import { runLink } from '../../links'
import { UnitFailure } from '../../parts/unit-failure'
import { Unread } from '../../parts/unread'
import { unitLink } from '../../unit-links'
import { Card } from '../../ui/card'
import { StaleNotice } from '../../ui/error-state'
import { OutsideLimits } from '../../ui/outside-limits'
import { RelativeTime } from '../../ui/time-text'
import { AttachForm } from './attach-form'

interface LastRunProps {
  at: AtStation
  read: {
    data: RunListItem | null | undefined
    isPending: boolean
    error: Error | null
    refetch: () => Promise<unknown>
  }
}

/** The run that just arrived from this station, with its verdict to be read from a distance. */
export function LastRun({ read, at }: LastRunProps) {
  if (read.data === undefined)
    return (
      <Unread
        read={read}
        label="Reading the last run"
        title="The last run could not be read"
        rows={5}
        rowClass="h-12"
      />
    )
  const run = read.data
  return (
    <div className="flex flex-col gap-2">
      {read.error && <StaleNotice error={read.error} />}
      <Card title="Last run at this station">
        {run === null ? (
          <p className="px-4 py-6 text-soft">No run yet. The next one shows here by itself.</p>
        ) : (
          <Shown run={run} at={at} />
        )}
      </Card>
    </div>
  )
}

const TINTS = {
  good: 'bg-good-tint text-good',
  bad: 'bg-bad-tint text-bad',
  warn: 'bg-warn-tint text-warn',
  late: 'bg-warn-tint text-warn',
  stopped: 'bg-quiet-tint text-quiet',
  quiet: 'bg-quiet-tint text-quiet',
}

function Shown({ run, at }: { run: RunListItem; at: AtStation }) {
  const { word, tone } = describeOutcome(run.outcome)
  return (
    <>
      <div role="status" aria-label="Verdict" className={`px-4 py-8 text-center ${TINTS[tone]}`}>
        <p className="text-6xl font-bold">{word}</p>
        <p className="mt-2 text-2xl font-semibold wrap-anywhere">{run.unit.serial_number}</p>
      </div>
      <div className="flex flex-col gap-2 px-4 py-3">
        <p>
          <Link {...runLink(run.id)} className="font-medium">
            {run.procedure.name}
          </Link>{' '}
          of{' '}
          <Link {...unitLink(run.unit.serial_number)} className="underline">
            {run.unit.serial_number}
          </Link>
          <span className="text-soft">
            , <RelativeTime at={run.started_at} />, {formatDuration(run.duration)}
          </span>
        </p>
        <OutsideLimits run={run} />
        {(run.failures ?? []).map((failure) => (
          <UnitFailure key={failure.step} failure={failure} runId={run.id} verdict={undefined} />
        ))}
      </div>
      <AttachForm run={run} at={at} />
    </>
  )
}
