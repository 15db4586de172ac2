import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { FileQuestionMark } from 'lucide-react'
import { ApiError, isSignInNeeded } from '../../api/api-error'
import { runQuery } from '../../api/run-detail'
import { runListLink } from '../../links'
import { EMPTY_FILTER } from '../../run-filter'
import { EmptyState } from '../../ui/empty-state'
import { ErrorState, StaleNotice } from '../../ui/error-state'
import { Loading } from '../../ui/loading'
import { RunView } from './run-view'

/** One run: what it came to, its steps with what they left behind, and everything else on record about it. */
export function RunPage() {
  const { id } = useParams({ from: '/runs/$id' })
  const read = useQuery(runQuery(id))
  if (read.data) {
    return (
      <>
        {read.error && <StaleNotice error={read.error} />}
        <RunView key={id} run={read.data.run} />
      </>
    )
  }
  if (read.isPending || isSignInNeeded(read.error)) return <Loading label="Reading the run" rows={10} />
  // The service answers 400 for an id that cannot be one.
  const isUnknown = read.error instanceof ApiError && [400, 404].includes(read.error.statusCode)
  if (isUnknown) return <UnknownRun />
  return (
    <ErrorState
      isPage
      title="The run could not be read"
      error={read.error}
      onRetry={() => void read.refetch()}
    />
  )
}

function UnknownRun() {
  return (
    <>
      <title>No such run · Runledger</title>
      <h1 className="sr-only">No such run</h1>
      <EmptyState icon={FileQuestionMark} title="There is no such run">
        <p className="text-soft">The link may be cut short, or the run was deleted.</p>
        <Link {...runListLink(EMPTY_FILTER)}>See all runs</Link>
      </EmptyState>
    </>
  )
}
