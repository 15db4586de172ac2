import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { FileQuestionMark } from 'lucide-react'
import { isSignInNeeded } from '../../api/api-error'
import { buildQuery } from '../../api/build'
import { groupVerdictsQuery } from '../../api/verdicts'
import { buildListLink } from '../../history-links'
import { useListKeys } from '../../navigation/keys'
import { EmptyState } from '../../ui/empty-state'
import { ErrorState, StaleNotice } from '../../ui/error-state'
import { Loading } from '../../ui/loading'
import { BuildView } from './build-view'

/** One build: what it is, what is missing, why it failed, what of that is new, and all its tests. */
export function BuildPage() {
  const { group } = useParams({ from: '/builds/$group' })
  useListKeys()
  const read = useQuery(buildQuery(group))
  const failedRuns = read.data?.runs.failed ?? 0
  const verdicts = useQuery(groupVerdictsQuery(group, failedRuns))
  const areVerdictsPending = failedRuns > 0 && verdicts.isPending
  if (read.isPending || isSignInNeeded(read.error) || areVerdictsPending)
    return <Loading label="Reading the build" rows={12} rowClass="h-14" />
  if (read.data === null) return <UnknownBuild group={group} />
  if (read.data === undefined) {
    return (
      <ErrorState
        isPage
        title="The build could not be read"
        error={read.error}
        onRetry={() => void read.refetch()}
      />
    )
  }
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      <BuildView key={group} build={read.data} verdicts={verdicts.data} />
    </>
  )
}

function UnknownBuild({ group }: { group: string }) {
  return (
    <>
      <title>No such build · Runledger</title>
      <h1 className="sr-only">No such build</h1>
      <EmptyState icon={FileQuestionMark} title="There is no such build">
        <p className="max-w-prose wrap-anywhere text-soft">
          No run of <code className="font-mono">{group}</code> is on record: the link may be cut short, or the
          runs were deleted.
        </p>
        <Link {...buildListLink()}>See all builds</Link>
      </EmptyState>
    </>
  )
}
