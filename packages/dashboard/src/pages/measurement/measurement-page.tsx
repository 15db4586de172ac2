import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { measurementQuery } from '../../api/line'
import { lineProcedureLink } from '../../line-links'
import { DEFAULT_DAYS, type MeasurementSearch } from '../../line-search'
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
  search: MeasurementSearch & { phase: string }
}

function FoundMeasurement({ procedure, search }: Asked) {
  const { days = DEFAULT_DAYS, phase, measurement, rules, until, batch, station, version } = search
  const read = useQuery(
    measurementQuery({
      procedure_id: procedure,
      days: Number(days),
      phase,
      measurement,
      rules,
      limits_until: until === undefined ? undefined : `${until}T23:59:59.999Z`,
      batch_numbers: batch,
      stations: station,
      versions: version,
    }),
  )
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
      <MeasurementView found={read.data} search={{ ...search, days }} />
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
