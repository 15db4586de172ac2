import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { FileQuestionMark } from 'lucide-react'
import { ApiError, isSignInNeeded } from '../../api/api-error'
import { testQuery } from '../../api/history'
import { testListLink } from '../../history-links'
import { useListKeys } from '../../navigation/keys'
import { EmptyState } from '../../ui/empty-state'
import { ErrorState, StaleNotice } from '../../ui/error-state'
import { Loading } from '../../ui/loading'
import { TestView } from './test-view'

/** One test over time: when it broke and who broke it, how often it fails, how long it takes. */
export function TestPage() {
  const { id } = useParams({ from: '/tests/$id' })
  const { branch, environment } = useSearch({ from: '/tests/$id' })
  useListKeys()
  const read = useQuery(testQuery(id, { branch, environment }))
  if (read.data) {
    return (
      <>
        {read.error && <StaleNotice error={read.error} />}
        <TestView key={id} test={read.data} environment={environment} />
      </>
    )
  }
  if (read.isPending || isSignInNeeded(read.error))
    return <Loading label="Reading the test" rows={12} rowClass="h-14" />
  if (read.error instanceof ApiError && [400, 404].includes(read.error.statusCode)) return <UnknownTest />
  return (
    <ErrorState
      isPage
      title="The test could not be read"
      error={read.error}
      onRetry={() => void read.refetch()}
    />
  )
}

function UnknownTest() {
  return (
    <>
      <title>No such test · Runledger</title>
      <h1 className="sr-only">No such test</h1>
      <EmptyState icon={FileQuestionMark} title="There is no such test">
        <p className="text-soft">The link may be cut short, or all its results were deleted.</p>
        <Link {...testListLink()}>See all tests</Link>
      </EmptyState>
    </>
  )
}
