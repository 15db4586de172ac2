import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { FileQuestionMark } from 'lucide-react'
import { ApiError, isSignInNeeded } from '../../api/api-error'
import { errorQuery } from '../../api/history'
import { errorListLink } from '../../history-links'
import { useListKeys } from '../../navigation/keys'
import { EmptyState } from '../../ui/empty-state'
import { ErrorState, StaleNotice } from '../../ui/error-state'
import { Loading } from '../../ui/loading'
import { ErrorHistory } from './error-history'

/** One error: all of it, when it happened, and which tests had it. */
export function ErrorPage() {
  const { fingerprint } = useParams({ from: '/errors/$fingerprint' })
  useListKeys()
  const read = useQuery(errorQuery(fingerprint))
  if (read.data) {
    return (
      <>
        {read.error && <StaleNotice error={read.error} />}
        <ErrorHistory error={read.data} />
      </>
    )
  }
  if (read.isPending || isSignInNeeded(read.error))
    return <Loading label="Reading the error" rows={10} rowClass="h-14" />
  if (read.error instanceof ApiError && [400, 404].includes(read.error.statusCode)) return <UnknownError />
  return (
    <ErrorState
      isPage
      title="The error could not be read"
      error={read.error}
      onRetry={() => void read.refetch()}
    />
  )
}

function UnknownError() {
  return (
    <>
      <title>No such error · Runledger</title>
      <h1 className="sr-only">No such error</h1>
      <EmptyState icon={FileQuestionMark} title="There is no such error">
        <p className="text-soft">The link may be cut short, or all runs that had it were deleted.</p>
        <Link {...errorListLink()}>See all errors</Link>
      </EmptyState>
    </>
  )
}
