import { useInfiniteQuery } from '@tanstack/react-query'
import { Navigate, useSearch } from '@tanstack/react-router'
import { testListQuery } from '../../api/history'
import { testLink, testListLink } from '../../history-links'
import { Unread } from '../../parts/unread'

/** Goes on to the page of a test that is known by its name, file and project, or to the tests that are like it. */
export function TestFinderPage() {
  const { procedure, file, project, q } = useSearch({ from: '/tests/find' })
  const read = useInfiniteQuery(
    testListQuery({
      days: 365,
      procedure_ids: procedure,
      files: file,
      search_query: q?.slice(0, 255),
      sort_by: 'name',
      sort_order: 'asc',
    }),
  )
  if (!read.data) {
    return (
      <Unread
        isPage
        read={read}
        label="Looking for the test"
        title="The test could not be looked up"
        rows={12}
        rowClass="h-14"
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
