import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CircleCheckBig } from 'lucide-react'
import { errorListQuery } from '../../api/history'
import { errorListLink } from '../../history-links'
import { useListKeys } from '../../navigation/keys'
import type { ERROR_SORTS, ErrorListSearch, Scope } from '../../page-search'
import { Definitions } from '../../parts/definitions'
import { FilterChips } from '../../parts/filter-chips'
import { PageHead } from '../../parts/page-head'
import { Unread } from '../../parts/unread'
import { EmptyState } from '../../ui/empty-state'
import { StaleNotice } from '../../ui/error-state'
import { LoadMore } from '../../ui/load-more'
import { Choice } from '../../ui/picker'
import { SearchField } from '../../ui/search-field'
import { ErrorRows } from './error-rows'

const SORT_WORDS: Record<(typeof ERROR_SORTS)[number], string> = {
  last_run: 'Last seen first',
  first_run: 'First seen first',
  count: 'Most often first',
  tests: 'Most tests first',
}

const FACETS = { owner: 'Owner', tag: 'Tag' } as const

export function ErrorListPage() {
  const search = useSearch({ from: '/errors' })
  const navigate = useNavigate()
  useListKeys()
  const change = (part: ErrorListSearch) => void navigate(errorListLink({ ...search, ...part }))
  const { q = '', sort = 'last_run' } = search
  return (
    <div className="flex flex-col gap-4">
      <PageHead title="Errors" />
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          key={q}
          label="Search the messages of errors"
          placeholder="Words of the message"
          value={q}
          onSearch={(text) => change({ q: text })}
        />
        <Choice label="Sort by" value={sort} words={SORT_WORDS} onChoose={(one) => change({ sort: one })} />
      </div>
      <FilterChips labels={FACETS} values={search} onRemove={(name) => change({ [name]: undefined })} />
      <ErrorList search={search} />
    </div>
  )
}

function ErrorList({ search }: { search: ErrorListSearch & Scope }) {
  const { q, sort = 'last_run', owner, tag, procedure, branch } = search
  const read = useInfiniteQuery(
    errorListQuery({
      search_query: q,
      sort_by: sort,
      sort_order: 'desc',
      owners: owner,
      tags: tag,
      procedure_ids: procedure,
      branches: branch,
    }),
  )
  if (!read.data) {
    return (
      <Unread
        read={read}
        label="Reading the errors"
        title="The errors could not be read"
        rows={10}
        rowClass="h-16"
      />
    )
  }
  const errors = read.data.pages.flatMap(({ data }) => data)
  if (errors.length === 0) {
    return (
      <EmptyState icon={CircleCheckBig} title="No error matches">
        <p className="max-w-prose text-soft">
          Errors stand here as soon as a test fails with one. Choose another project or branch, or search for
          less.
        </p>
      </EmptyState>
    )
  }
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      <ErrorRows errors={errors} />
      <LoadMore read={read} word="Show more errors" />
      <Definitions of={['occurrences', 'cause']} />
    </>
  )
}
