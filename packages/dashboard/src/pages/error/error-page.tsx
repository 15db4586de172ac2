import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { errorQuery } from '../../api/history'
import { errorListLink } from '../../history-links'
import { useListKeys } from '../../navigation/keys'
import { Unread } from '../../parts/unread'
import { StaleNotice } from '../../ui/error-state'
import { NoSuch } from '../../ui/no-such'
import { ErrorHistory } from './error-history'

export function ErrorPage() {
  const { fingerprint } = useParams({ from: '/errors/$fingerprint' })
  useListKeys()
  const read = useQuery(errorQuery(fingerprint))
  if (!read.data) {
    return (
      <Unread
        isPage
        read={read}
        label="Reading the error"
        title="The error could not be read"
        rows={10}
        rowClass="h-14"
        unknown={<UnknownError />}
      />
    )
  }
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      <ErrorHistory error={read.data} />
    </>
  )
}

function UnknownError() {
  return (
    <NoSuch what="error">
      <p className="text-soft">The link may be cut short, or all runs that had it were deleted.</p>
      <Link {...errorListLink()}>See all errors</Link>
    </NoSuch>
  )
}
