import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CircleCheckBig } from 'lucide-react'
import { isSignInNeeded } from '../../api/api-error'
import { errorListQuery } from '../../api/history'
import { errorListLink } from '../../history-links'
import { useListKeys } from '../../navigation/keys'
import { Picker } from '../../navigation/scope-pickers'
import { ERROR_SORTS, type ErrorListSearch, type Scope } from '../../page-search'
import { Definitions } from '../../parts/definitions'
import { FilterChips } from '../../parts/filter-chips'
import { PageHead } from '../../parts/page-head'
import { EmptyState } from '../../ui/empty-state'
import { ErrorState, StaleNotice } from '../../ui/error-state'
import { LoadMore } from '../../ui/load-more'
import { Loading } from '../../ui/loading'
import { SearchField } from '../../ui/search-field'
import { ErrorRows } from './error-rows'

const SORT_WORDS = {
  last_run: 'Last seen first',
  first_run: 'First seen first',
  count: 'Most often first',
  tests: 'Most tests first',
}

/** Errors of tests, each once however often it happened. */
export function ErrorListPage() {
  const search = useSearch({ from: '/errors' })
  const navigate = useNavigate()
  useListKeys()
  const change = (part: ErrorListSearch) => void navigate(errorListLink({ ...search, ...part }))
  const { q = '', sort, owner, tag } = search
  return (
    <div className="flex flex-col gap-4">
      <PageHead title="Errors" />
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          key={q}
          label="Search the messages of errors"
          placeholder="Words of the message"
          value={q}
          onSearch={(text) => change({ q: text.trim() === '' ? undefined : text.trim() })}
        />
        <Picker
          label="Sort by"
          all=""
          value={sort ?? 'last_run'}
          options={ERROR_SORTS.map((one) => ({ value: one, text: SORT_WORDS[one] }))}
          onChoose={(value) => change({ sort: ERROR_SORTS.find((one) => one === value) })}
        />
      </div>
      <FilterChips
        chips={[
          ...(owner === undefined
            ? []
            : [{ label: 'Owner', value: owner, onRemove: () => change({ owner: undefined }) }]),
          ...(tag === undefined
            ? []
            : [{ label: 'Tag', value: tag, onRemove: () => change({ tag: undefined }) }]),
        ]}
      />
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
      owners: owner === undefined ? undefined : [owner],
      tags: tag === undefined ? undefined : [tag],
      procedure_ids: procedure === undefined ? undefined : [procedure],
      branches: branch === undefined ? undefined : [branch],
    }),
  )
  if (read.isPending || isSignInNeeded(read.error))
    return <Loading label="Reading the errors" rows={10} rowClass="h-16" />
  if (!read.data) {
    return (
      <ErrorState
        title="The errors could not be read"
        error={read.error}
        onRetry={() => void read.refetch()}
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
