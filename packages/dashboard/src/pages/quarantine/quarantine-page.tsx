import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Hourglass } from 'lucide-react'
import { quarantinePagesQuery } from '../../api/quarantine'
import { quarantineLink } from '../../history-links'
import { useListKeys } from '../../navigation/keys'
import { Definitions } from '../../parts/definitions'
import { PageHead } from '../../parts/page-head'
import { QuarantineEntries } from '../../parts/quarantine-entries'
import { Unread } from '../../parts/unread'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { StaleNotice } from '../../ui/error-state'
import { LoadMore } from '../../ui/load-more'

/** Every entry, with who owns it, why, until when, and how often it failed since. */
export function QuarantinePage() {
  const { ended, procedure } = useSearch({ from: '/quarantine' })
  const navigate = useNavigate()
  useListKeys()
  const isAll = ended === 'true'
  return (
    <div className="flex flex-col gap-4">
      <PageHead title="Quarantine" hasBranch={false} />
      <Button
        className="self-start"
        pressed={isAll}
        onClick={() => void navigate(quarantineLink({ ended: isAll ? undefined : 'true' }))}
      >
        Also those that have ended
      </Button>
      <EntryList isAll={isAll} procedure={procedure} />
      <Definitions of={['quarantine', 'quarantineFailures']} />
    </div>
  )
}

function EntryList({ isAll, procedure }: { isAll: boolean; procedure: string | undefined }) {
  const read = useInfiniteQuery(quarantinePagesQuery({ ended: isAll, procedure_ids: procedure }))
  if (!read.data) {
    return (
      <Unread
        read={read}
        label="Reading the quarantine"
        title="The quarantine could not be read"
        rows={6}
        rowClass="h-36"
      />
    )
  }
  const entries = read.data.pages.flatMap(({ data }) => data)
  if (entries.length === 0) {
    return (
      <EmptyState icon={Hourglass} title="No test is in quarantine">
        <p className="max-w-prose text-soft">The page of a test has a form that quarantines it.</p>
      </EmptyState>
    )
  }
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      <div className="rounded-lg border border-line bg-surface">
        <QuarantineEntries entries={entries} />
      </div>
      <LoadMore read={read} word="Show older entries" />
    </>
  )
}
