import { RUN_OUTCOMES } from '@runledger/protocol'
import { describeOutcome } from '@runledger/protocol/reading'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { isSignInNeeded } from '../../api/api-error'
import { REFRESH_MS, runListQuery } from '../../api/run-list'
import { useNewRuns } from '../../api/use-new-runs'
import { buildLink } from '../../history-links'
import { markdownAddress, runListLink } from '../../links'
import { useListKeys } from '../../navigation/keys'
import { PageHead } from '../../parts/page-head'
import { RunRows } from '../../parts/run-rows'
import { fromFilterSearch, parseFilterText, type RunFilter, toggleOutcome } from '../../run-filter'
import { Button } from '../../ui/button'
import { ErrorState, StaleNotice } from '../../ui/error-state'
import { LoadMore } from '../../ui/load-more'
import { Loading } from '../../ui/loading'
import { SearchField } from '../../ui/search-field'
import { mergePages } from './merge-pages'
import { NoRuns } from '../../parts/no-runs'
import { RunFacets } from './run-facets'

/** All runs, or those that the filter in the address lets through, newest first. */
export function RunListPage() {
  const filter = fromFilterSearch(useSearch({ from: '/runs' }))
  const navigate = useNavigate()
  useListKeys()
  const setFilter = (next: RunFilter) => void navigate(runListLink(next))
  const search = (text: string) => {
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
        <div role="group" aria-label="Outcome" className="flex flex-wrap gap-1.5">
          {RUN_OUTCOMES.map((outcome) => (
            <Button
              key={outcome}
              pressed={filter.outcomes.includes(outcome)}
              onClick={() => setFilter(toggleOutcome(filter, outcome))}
            >
              {describeOutcome(outcome).word}
            </Button>
          ))}
        </div>
      </div>
      <RunFacets filter={filter} onChange={setFilter} />
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
  if (read.isPending || isSignInNeeded(read.error))
    return <Loading label="Reading the runs" rows={10} rowClass="h-16" />
  if (!read.data) {
    return (
      <ErrorState title="The runs could not be read" error={read.error} onRetry={() => void read.refetch()} />
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
