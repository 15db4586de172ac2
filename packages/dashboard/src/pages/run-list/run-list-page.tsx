import { dropBidiControls } from '@runledger/protocol/reading'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { isSignInNeeded } from '../../api/api-error'
import { REFRESH_MS, runListQuery } from '../../api/run-list'
import { useNewRuns } from '../../api/use-new-runs'
import { markdownAddress, runListLink } from '../../links'
import { fromFilterSearch, type RunFilter } from '../../run-filter'
import { Button } from '../../ui/button'
import { ErrorState, StaleNotice } from '../../ui/error-state'
import { Loading } from '../../ui/loading'
import { MarkdownLink } from '../../ui/markdown-link'
import { FilterBar } from './filter-bar'
import { GroupHead } from './group-head'
import { NoRuns } from './no-runs'
import { RunRows } from './run-rows'
import { mergePages } from './merge-pages'

/** All runs, or those that the filter in the address lets through, newest first. */
export function RunListPage() {
  const filter = fromFilterSearch(useSearch({ from: '/runs' }))
  const navigate = useNavigate()
  const setFilter = (next: RunFilter) => void navigate(runListLink(next))
  const title = filter.group === undefined ? 'Runs' : `Build ${filter.group}`
  return (
    <div className="flex flex-col gap-4">
      <title>{`${dropBidiControls(title)} · Runledger`}</title>
      {filter.group === undefined ? (
        <div className="flex items-center justify-between">
          <h1 className="text-2xl font-semibold">Runs</h1>
          <MarkdownLink address={markdownAddress({ filter })} />
        </div>
      ) : (
        <GroupHead key={filter.group} group={filter.group} markdown={markdownAddress({ filter })} />
      )}
      <FilterBar filter={filter} onChange={setFilter} />
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
  if (read.isPending || isSignInNeeded(read.error)) return <Loading label="Reading the runs" />
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
      {read.hasNextPage && (
        <Button
          className="self-center"
          disabled={read.isFetchingNextPage}
          onClick={() => void read.fetchNextPage()}
        >
          {read.isFetchingNextPage ? 'Reading…' : 'Show older runs'}
        </Button>
      )}
    </>
  )
}
