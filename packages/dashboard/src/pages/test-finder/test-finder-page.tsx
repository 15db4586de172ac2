import { useInfiniteQuery } from '@tanstack/react-query'
import { Navigate, useSearch } from '@tanstack/react-router'
import { isSignInNeeded } from '../../api/api-error'
import { testListQuery } from '../../api/history'
import { testLink, testListLink } from '../../history-links'
import { ErrorState } from '../../ui/error-state'
import { Loading } from '../../ui/loading'

/** Goes on to the page of a test that is known by its name, file and project, or to the tests that are like it. */
export function TestFinderPage() {
  const { procedure, file, project, q } = useSearch({ from: '/tests/find' })
  const read = useInfiniteQuery(
    testListQuery({
      days: 365,
      procedure_ids: procedure === undefined ? undefined : [procedure],
      files: file === undefined ? undefined : [file],
      search_query: q?.slice(0, 255),
      sort_by: 'name',
      sort_order: 'asc',
    }),
  )
  if (read.isPending || isSignInNeeded(read.error))
    return <Loading label="Looking for the test" rows={12} rowClass="h-14" />
  if (!read.data) {
    return (
      <ErrorState
        isPage
        title="The test could not be looked up"
        error={read.error}
        onRetry={() => void read.refetch()}
      />
    )
  }
  const found = read.data.pages
    .flatMap(({ data }) => data)
    .filter((test) => test.name === q && (project === undefined || test.project === project))
  const [test] = found
  if (test && found.length === 1) return <Navigate {...testLink(test.id)} replace />
  return <Navigate {...testListLink({ procedure, branch: undefined, file, q, days: '365' })} replace />
}
