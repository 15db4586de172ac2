import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { runQuery } from '../../api/run-detail'
import { runListLink } from '../../links'
import { Unread } from '../../parts/unread'
import { EMPTY_FILTER } from '../../run-filter'
import { StaleNotice } from '../../ui/error-state'
import { NoSuch } from '../../ui/no-such'
import { RunView } from './run-view'

export function RunPage() {
  const { id } = useParams({ from: '/runs/$id' })
  const read = useQuery(runQuery(id))
  if (!read.data) {
    return (
      <Unread
        isPage
        read={read}
        label="Reading the run"
        title="The run could not be read"
        rows={10}
        unknown={<UnknownRun />}
      />
    )
  }
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      <RunView key={id} run={read.data.run} />
    </>
  )
}

function UnknownRun() {
  return (
    <NoSuch what="run">
      <p className="text-soft">The link may be cut short, or the run was deleted.</p>
      <Link {...runListLink(EMPTY_FILTER)}>See all runs</Link>
    </NoSuch>
  )
}
