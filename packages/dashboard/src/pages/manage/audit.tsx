import { AUDIT_SUBJECTS, type AuditSubject } from '@runledger/protocol'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { auditQuery } from '../../api/manage'
import { auditLink } from '../../links'
import { Unread } from '../../parts/unread'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { StaleNotice } from '../../ui/error-state'
import { SelectField } from '../../ui/field'
import { LoadMore } from '../../ui/load-more'
import { PageTitle } from '../../ui/page-title'
import { SearchField } from '../../ui/search-field'
import { AuditRow } from './audit-row'
import { SUBJECT_WORDS } from './audit-words'

const ALL = ''
const KINDS = [
  { value: ALL, text: 'Everything' },
  ...AUDIT_SUBJECTS.map((value) => ({ value, text: SUBJECT_WORDS[value].many })),
]

/** Who changed what, newest first. */
export function Audit() {
  const search = useSearch({ from: '/manage/audit' })
  const navigate = useNavigate()
  return (
    <section aria-label="Audit log" className="flex flex-col gap-4">
      <PageTitle text="Audit log" />
      <p className="max-w-prose text-sm text-soft">
        Every change of the service and of its records. Entries cannot be changed or deleted. Runs, files and
        units that were added are not listed: they name who added them.
      </p>
      <div className="flex flex-wrap items-end gap-3 text-sm">
        <SearchField
          key={search.q}
          label="Search the audit log"
          placeholder="Who, or what was changed"
          value={search.q ?? ''}
          onSearch={(q) => void navigate(auditLink({ ...search, q }))}
        />
        <SelectField
          label="What was changed"
          value={search.kind ?? ALL}
          options={KINDS}
          onChange={(kind) =>
            void navigate(auditLink({ ...search, kind: kind === ALL ? undefined : (kind as AuditSubject) }))
          }
        />
        {search.id !== undefined && (
          <Button onClick={() => void navigate(auditLink())}>Show all entries</Button>
        )}
      </div>
      <EntryList />
    </section>
  )
}

function EntryList() {
  const { q, kind, id } = useSearch({ from: '/manage/audit' })
  const read = useInfiniteQuery(
    auditQuery({ search_query: q, subject_kinds: kind && [kind], subject_ids: id === undefined ? id : [id] }),
  )
  if (!read.data) {
    return (
      <Unread
        read={read}
        label="Reading the audit log"
        title="The audit log could not be read"
        rows={8}
        rowClass="h-16"
      />
    )
  }
  const entries = read.data.pages.flatMap(({ data }) => data)
  if (entries.length === 0) {
    return (
      <EmptyState icon={History} title="No entry matches">
        <Button onClick={() => void read.refetch()}>Read it again</Button>
      </EmptyState>
    )
  }
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {entries.map((entry) => (
          <AuditRow key={entry.id} entry={entry} />
        ))}
      </ul>
      <LoadMore read={read} word="Show older entries" />
    </>
  )
}
