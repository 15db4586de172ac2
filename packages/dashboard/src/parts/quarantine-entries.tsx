import { MAX_QUARANTINE_DAYS, type QuarantineEntry } from '@runledger/protocol'
import { formatCount, webLink } from '@runledger/presentation'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { queryKeys } from '../api/query-keys'
import { service } from '../api/service'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { OutLink } from '../ui/out-link'
import { MinuteTime } from '../ui/time-text'
import { ErrorName } from './error-name'
import { OwnerLink } from './noun-links'
import { describePlace, TestName } from './test-name'

const DEFAULT_DAYS = 14
const DAY_MS = 86_400_000

export function QuarantineEntries({ entries }: { entries: QuarantineEntry[] }) {
  return (
    <ul className="divide-y divide-line">
      {entries.map((entry) => (
        <Entry key={entry.id} entry={entry} />
      ))}
    </ul>
  )
}

type Change = 'extend' | 'end'

function Entry({ entry }: { entry: QuarantineEntry }) {
  const [change, setChange] = useState<Change>()
  const { test, fingerprint, message, is_live: isLive } = entry
  return (
    <li>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-3">
        <div className="flex min-w-0 flex-1 basis-72 flex-col gap-1">
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {isLive ? <Badge tone="late" word="In quarantine" /> : <Badge tone="quiet" word="Ended" />}
            <TestName test={test} />
          </span>
          <span className="text-sm wrap-anywhere text-soft">{describePlace(test)}</span>
          {fingerprint === null ? (
            <span className="font-medium">Any error</span>
          ) : (
            <ErrorName error={{ fingerprint, message: message ?? fingerprint }} />
          )}
          <EntryFacts entry={entry} />
        </div>
        {isLive && (
          <span className="flex gap-2">
            <Button onClick={() => setChange('extend')}>
              Extend<span className="sr-only"> {test.name}</span>
            </Button>
            <Button onClick={() => setChange('end')}>
              End<span className="sr-only"> {test.name}</span>
            </Button>
          </span>
        )}
      </div>
      {isLive && change && (
        <ChangeForm key={change} entry={entry} change={change} onDone={() => setChange(undefined)} />
      )}
    </li>
  )
}

function EntryFacts({ entry }: { entry: QuarantineEntry }) {
  const { owner, reason, link, is_live: isLive, ends_at: end, failures } = entry
  const address = webLink(link ?? '')
  return (
    <>
      <span className="wrap-anywhere">
        {reason} {address !== undefined && <OutLink address={address}>{address}</OutLink>}
      </span>
      <span className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm text-soft">
        <OwnerLink owner={owner} />
        <span>
          {isLive ? 'until' : 'ended'} <MinuteTime at={end} />
          {entry.ended_by !== null && ` by ${entry.ended_by}`}
        </span>
        <span className="numeric">{formatCount(failures, 'failure')} since</span>
        <span>
          made <MinuteTime at={entry.created_at} />
          {entry.created_by !== null && ` by ${entry.created_by}`}
        </span>
        {entry.extended_at !== null && (
          <span>
            extended <MinuteTime at={entry.extended_at} />
            {entry.extended_by !== null && ` by ${entry.extended_by}`}
          </span>
        )}
      </span>
    </>
  )
}

interface ChangeFormProps {
  entry: QuarantineEntry
  change: Change
  onDone: () => void
}

function ChangeForm({ entry, change, onDone }: ChangeFormProps) {
  const queryClient = useQueryClient()
  const [days, setDays] = useState(DEFAULT_DAYS)
  const params = { id: entry.id }
  const send = useMutation({
    mutationFn: () =>
      change === 'end'
        ? service.endQuarantine({ params })
        : service.updateQuarantine({ params, body: { ends_at: addDays(days) } }),
    onSuccess: async () => {
      onDone()
      await queryClient.invalidateQueries({ queryKey: queryKeys.quarantine() })
    },
  })
  return (
    <form
      className="flex flex-wrap items-end gap-2 border-t border-line bg-sunken px-4 py-3 text-sm"
      onSubmit={(event) => {
        event.preventDefault()
        send.mutate()
      }}
    >
      {change === 'extend' && <DaysField days={days} onChange={setDays} />}
      <Button type="submit" look="primary" disabled={send.isPending}>
        {change === 'end' ? 'End it now' : 'Extend it'}
      </Button>
      <Button look="bare" onClick={onDone}>
        Cancel
      </Button>
      {send.error && (
        <p role="alert" className="w-full text-bad">
          Not changed: {send.error.message}
        </p>
      )}
    </form>
  )
}

interface DaysFieldProps {
  days: number
  onChange: (days: number) => void
}

/** When an entry ends, in days from now. */
export function DaysField({ days, onChange }: DaysFieldProps) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id}>Days from now, at most {MAX_QUARANTINE_DAYS}</label>
      <input
        id={id}
        type="number"
        required
        min={1}
        max={MAX_QUARANTINE_DAYS}
        value={Number.isNaN(days) ? '' : days}
        onChange={({ target }) => onChange(target.valueAsNumber)}
        className="mt-1 block min-h-9 w-24 rounded-md border border-soft bg-surface px-2"
      />
    </div>
  )
}

export function addDays(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString()
}
