import type { UnitListItem } from '@runledger/protocol'
import { describeOutcome } from '@runledger/presentation'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { unitListQuery, type UnitsWanted } from '../api/units'
import { runLink } from '../links'
import { ROW_LINK } from '../navigation/keys'
import { unitLink } from '../unit-links'
import { Badge } from '../ui/badge'
import { Card } from '../ui/card'
import { LoadMore } from '../ui/load-more'
import { RelativeTime } from '../ui/time-text'
import { FacetLink } from './noun-links'
import { RevisionLink } from './revision-link'
import { Unread } from './unread'

export function UnitRows({ wanted }: { wanted: UnitsWanted }) {
  const read = useInfiniteQuery(unitListQuery(wanted))
  if (!read.data) {
    return (
      <Unread
        read={read}
        label="Reading the units"
        title="The units could not be read"
        rows={8}
        rowClass="h-9"
      />
    )
  }
  const units = read.data.pages.flatMap(({ data }) => data)
  return (
    <>
      <Card title="Units">
        {units.length === 0 ? (
          <p className="px-4 py-3 text-soft">None yet. A run that names one creates it.</p>
        ) : (
          <ul className="divide-y divide-line">
            {units.map((unit) => (
              <Row key={unit.id} unit={unit} />
            ))}
          </ul>
        )}
      </Card>
      <LoadMore read={read} word="Show more units" />
    </>
  )
}

function Row({ unit }: { unit: UnitListItem }) {
  const { serial_number: serialNumber, part, batch, last_run: run } = unit
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2">
      <Link {...unitLink(serialNumber)} {...ROW_LINK} className="font-medium wrap-anywhere">
        {serialNumber}
      </Link>
      <span className="text-sm text-soft">
        <FacetLink facet="part" value={part.number} />, revision <RevisionLink part={part} />
        {batch && (
          <>
            {', batch '}
            <FacetLink facet="batch" value={batch.number} />
          </>
        )}
      </span>
      {run && (
        <span className="ml-auto flex flex-wrap items-baseline gap-x-3 text-sm text-soft max-sm:ml-0">
          <Badge {...describeOutcome(run.outcome)} />
          <Link {...runLink(run.id)} className="text-soft underline">
            {run.procedure.name}
          </Link>
          <RelativeTime at={run.started_at} />
        </span>
      )}
    </li>
  )
}
