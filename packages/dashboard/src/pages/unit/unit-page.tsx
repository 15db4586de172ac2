import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { unitQuery } from '../../api/units'
import { runListLink } from '../../links'
import { Unread } from '../../parts/unread'
import { EMPTY_FILTER } from '../../run-filter'
import { buttonClass } from '../../ui/button'
import { StaleNotice } from '../../ui/error-state'
import { NoSuch } from '../../ui/no-such'
import { UnitView } from './unit-view'

/** Everything that ever happened to one unit; printed, it is the unit's certificate. */
export function UnitPage() {
  const { serial } = useParams({ from: '/units/$serial' })
  const read = useQuery(unitQuery(serial))
  if (!read.data) {
    return (
      <Unread
        isPage
        read={read}
        label="Reading the unit"
        title="The unit could not be read"
        rows={10}
        rowClass="h-16"
        unknown={<UnknownUnit serialNumber={serial} />}
      />
    )
  }
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      <UnitView history={read.data} />
    </>
  )
}

function UnknownUnit({ serialNumber }: { serialNumber: string }) {
  return (
    <NoSuch what="unit">
      <p className="max-w-prose text-soft">
        No run is on record for “{serialNumber}”. The serial number may be mistyped, or the unit was deleted.
      </p>
      <Link {...runListLink({ ...EMPTY_FILTER, words: serialNumber })} className={buttonClass()}>
        Search the runs for it
      </Link>
    </NoSuch>
  )
}
