import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { testQuery } from '../../api/history'
import { testListLink } from '../../history-links'
import { useListKeys } from '../../navigation/keys'
import { Unread } from '../../parts/unread'
import { StaleNotice } from '../../ui/error-state'
import { NoSuch } from '../../ui/no-such'
import { TestView } from './test-view'

/** One test over time: when it broke and who broke it, how often it fails, how long it takes. */
export function TestPage() {
  const { id } = useParams({ from: '/tests/$id' })
  const { branch, environment } = useSearch({ from: '/tests/$id' })
  useListKeys()
  const read = useQuery(testQuery(id, { branch, environment }))
  if (!read.data) {
    return (
      <Unread
        isPage
        read={read}
        label="Reading the test"
        title="The test could not be read"
        rows={12}
        rowClass="h-14"
        unknown={<UnknownTest />}
      />
    )
  }
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      <TestView key={id} test={read.data} environment={environment} />
    </>
  )
}

function UnknownTest() {
  return (
    <NoSuch what="test">
      <p className="text-soft">The link may be cut short, or all its results were deleted.</p>
      <Link {...testListLink()}>See all tests</Link>
    </NoSuch>
  )
}
