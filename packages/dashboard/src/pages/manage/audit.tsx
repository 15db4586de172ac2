import { AUDIT_SUBJECTS, type AuditSubject } from '@runledger/protocol'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { auditQuery } from '../../api/manage'
import { auditLink } from '../../links'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { SelectField } from '../../ui/field'
import { PageTitle } from '../../ui/page-title'
import { SearchField } from '../../ui/search-field'
import { AuditRow } from './audit-row'
import { SUBJECT_WORDS } from './audit-words'
import { ManagedList } from './managed-list'

const ALL = ''
const KINDS = [
  { value: ALL, text: 'Everything' },
  ...AUDIT_SUBJECTS.map((value) => ({ value, text: SUBJECT_WORDS[value].many })),
]

/** The audit log, newest first, with a search and a filter. */
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
            void navigate(
              auditLink({
                ...search,
                kind: kind === ALL ? undefined : (kind as AuditSubject),
                id: undefined,
              }),
            )
          }
        />
        {(search.id ?? search.by) !== undefined && (
          <Button onClick={() => void navigate(auditLink())}>Show all entries</Button>
        )}
      </div>
      <EntryList />
    </section>
  )
}

function EntryList() {
  const { q, kind, id, by } = useSearch({ from: '/manage/audit' })
  const read = useInfiniteQuery(
    auditQuery({
      search_query: q,
      subject_kinds: kind && [kind],
      subject_ids: id === undefined ? id : [id],
      actor_ids: by === undefined ? by : [by],
    }),
  )
  return (
    <ManagedList
      read={read}
      items={read.data?.pages.flatMap(({ data }) => data)}
      what="audit entries"
      rows={8}
      rowClass="h-16"
      empty={
        <EmptyState icon={History} title="No entry matches">
          <Button onClick={() => void read.refetch()}>Read it again</Button>
        </EmptyState>
      }
    >
      {(entry) => <AuditRow key={entry.id} entry={entry} />}
    </ManagedList>
  )
}
