import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { buildQuery } from '../../api/build'
import { groupVerdictsQuery } from '../../api/verdicts'
import { buildListLink } from '../../history-links'
import { useListKeys } from '../../navigation/keys'
import { Unread } from '../../parts/unread'
import { StaleNotice } from '../../ui/error-state'
import { NoSuch } from '../../ui/no-such'
import { BuildView } from './build-view'

export function BuildPage() {
  const { group } = useParams({ from: '/builds/$group' })
  useListKeys()
  const { data: build, isPending, error, refetch } = useQuery(buildQuery(group))
  const failedRuns = build?.runs.failed ?? 0
  const verdicts = useQuery(groupVerdictsQuery(group, failedRuns))
  const areVerdictsPending = failedRuns > 0 && verdicts.isPending
  if (build === null) return <UnknownBuild group={group} />
  if (build === undefined || areVerdictsPending) {
    return (
      <Unread
        isPage
        read={{ isPending: isPending || areVerdictsPending, error, refetch }}
        label="Reading the build"
        title="The build could not be read"
        rows={12}
        rowClass="h-14"
      />
    )
  }
  return (
    <>
      {error && <StaleNotice error={error} />}
      <BuildView key={group} build={build} verdicts={verdicts.data} />
    </>
  )
}

function UnknownBuild({ group }: { group: string }) {
  return (
    <NoSuch what="build">
      <p className="max-w-prose wrap-anywhere text-soft">
        No run of <code className="font-mono">{group}</code> is on record: the link may be cut short, or the
        runs were deleted.
      </p>
      <Link {...buildListLink()}>See all builds</Link>
    </NoSuch>
  )
}
