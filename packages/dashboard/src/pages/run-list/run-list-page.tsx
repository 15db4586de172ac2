import { RUN_OUTCOMES } from '@runledger/protocol'
import { describeOutcome } from '@runledger/presentation'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { REFRESH_MS, runListQuery } from '../../api/run-list'
import { useNewRuns } from '../../api/use-new-runs'
import { buildLink } from '../../history-links'
import { markdownAddress, runListLink } from '../../links'
import { useListKeys } from '../../navigation/keys'
import { FilterChips } from '../../parts/filter-chips'
import { NoRuns } from '../../parts/no-runs'
import { PageHead } from '../../parts/page-head'
import { RunRows } from '../../parts/run-rows'
import { Unread } from '../../parts/unread'
import { fromFilterSearch, parseFilterText, RUN_FACETS, type RunFilter } from '../../run-filter'
import { StaleNotice } from '../../ui/error-state'
import { LoadMore } from '../../ui/load-more'
import { SearchField } from '../../ui/search-field'
import { Toggles } from '../../ui/toggles'
import { mergePages } from './merge-pages'

// The pickers of the page show the other two.
const { procedure: _procedure, branch: _branch, ...FACETS } = RUN_FACETS

export function RunListPage() {
  const filter = fromFilterSearch(useSearch({ from: '/runs' }))
  const navigate = useNavigate()
  useListKeys()
  const setFilter = (next: RunFilter) => void navigate(runListLink(next))
  const search = (text = '') => {
    const typed = parseFilterText(text)
    const outcomes = typed.outcomes.length > 0 ? typed.outcomes : filter.outcomes
    setFilter({ ...filter, ...typed, outcomes })
  }
  return (
    <div className="flex flex-col gap-4">
      <PageHead title="Runs" markdown={markdownAddress({ filter })} />
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          key={filter.words}
          label="Search by file, branch, commit, serial number, part or procedure"
          placeholder="File, commit, serial number, or unit:SN-1 batch:B7 branch:main after:2026-11-01"
          value={filter.words}
          onSearch={search}
        />
        <Toggles
          label="Outcome"
          values={RUN_OUTCOMES}
          chosen={filter.outcomes}
          wordOf={(outcome) => describeOutcome(outcome).word}
          onChange={(outcomes) => setFilter({ ...filter, outcomes })}
        />
      </div>
      <FilterChips
        labels={FACETS}
        values={filter}
        onRemove={(name) => setFilter({ ...filter, [name]: undefined })}
      />
      {filter.group !== undefined && <Link {...buildLink(filter.group)}>The page of this build</Link>}
      <RunList key={JSON.stringify(filter)} filter={filter} />
    </div>
  )
}

function RunList({ filter }: { filter: RunFilter }) {
  const read = useInfiniteQuery(runListQuery(filter))
  const askError = useNewRuns({
    filter,
    refreshMs: REFRESH_MS,
    shown: read.data?.pages.length === 1 ? read.data.pages[0]?.data : undefined,
    onNew: () => read.refetch(),
  })
  if (!read.data) {
    return (
      <Unread
        read={read}
        label="Reading the runs"
        title="The runs could not be read"
        rows={10}
        rowClass="h-16"
      />
    )
  }
  const runs = mergePages(read.data.pages)
  const error = read.error ?? askError
  if (runs.length === 0) return <NoRuns filter={filter} />
  return (
    <>
      {error && <StaleNotice error={error} />}
      <RunRows runs={runs} group={filter.group} />
      <LoadMore read={read} word="Show older runs" />
    </>
  )
}
