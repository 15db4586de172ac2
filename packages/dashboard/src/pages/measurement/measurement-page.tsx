import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { measurementQuery, type NamedMeasurement } from '../../api/line'
import { lineProcedureLink } from '../../line-links'
import { DEFAULT_DAYS } from '../../line-search'
import { useListKeys } from '../../navigation/keys'
import { Unread } from '../../parts/unread'
import { StaleNotice } from '../../ui/error-state'
import { NoSuch } from '../../ui/no-such'
import { MeasurementView } from './measurement-view'

export function MeasurementPage() {
  const { procedure } = useParams({ from: '/line/$procedure/measurement' })
  const search = useSearch({ from: '/line/$procedure/measurement' })
  useListKeys()
  if (search.phase === undefined) return <UnknownMeasurement procedure={procedure} />
  return <FoundMeasurement procedure={procedure} search={{ ...search, phase: search.phase }} />
}

interface Asked {
  procedure: string
  search: NamedMeasurement
}

function FoundMeasurement({ procedure, search }: Asked) {
  const read = useQuery(measurementQuery(procedure, search))
  if (!read.data) {
    return (
      <Unread
        isPage
        read={read}
        label="Reading the measurement"
        title="The measurement could not be read"
        rows={12}
        rowClass="h-14"
        unknown={<UnknownMeasurement procedure={procedure} />}
      />
    )
  }
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      <MeasurementView
        procedure={procedure}
        found={read.data}
        search={{ ...search, days: search.days ?? DEFAULT_DAYS }}
      />
    </>
  )
}

function UnknownMeasurement({ procedure }: { procedure: string }) {
  return (
    <NoSuch what="measurement">
      <p className="max-w-prose text-soft">
        The address names no measurement with numbers. Its runs may have been deleted, or it has another name
        now.
      </p>
      <Link {...lineProcedureLink(procedure)}>See the measurements of the procedure</Link>
    </NoSuch>
  )
}
