import type { LineUnit, UnitVerdict } from '@runledger/protocol'
import { describeOutcome, explainUnitVerdict } from '@runledger/presentation'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type AtStation, benchUnitQuery } from '../../api/bench'
import { runLink } from '../../links'
import { FacetLink } from '../../parts/noun-links'
import { Picture } from '../../parts/picture'
import { RevisionLink } from '../../parts/revision-link'
import { UnitFailure } from '../../parts/unit-failure'
import { VerdictBadge } from '../../parts/unit-verdict'
import { Unread } from '../../parts/unread'
import { unitLink } from '../../unit-links'
import { Badge } from '../../ui/badge'
import { Card } from '../../ui/card'
import { RelativeTime } from '../../ui/time-text'

export function ScannedUnit({ serialNumber, at }: { serialNumber: string | undefined; at: AtStation }) {
  if (serialNumber === undefined)
    return (
      <Card title="Unit">
        <p className="px-4 py-6 text-soft">
          Scan a unit to see what it needs, what it has, and why it failed.
        </p>
      </Card>
    )
  return <Read serialNumber={serialNumber} at={at} />
}

function Read({ serialNumber, at }: { serialNumber: string; at: AtStation }) {
  const read = useQuery(benchUnitQuery(serialNumber, at))
  if (read.data) return <Known history={read.data} at={at} />
  return (
    <Unread
      read={read}
      label="Reading the unit"
      title="The unit could not be read"
      rows={5}
      rowClass="h-12"
      unknown={
        <Card title={serialNumber}>
          <p className="px-4 py-6 text-soft">
            No run is on record for “{serialNumber}”. A new unit appears with its first run; otherwise scan it
            again.
          </p>
        </Card>
      }
    />
  )
}

const MOST_FAILURES = 3

function Known({ history, at }: { history: LineUnit; at: AtStation }) {
  const { unit, verdicts, runs } = history
  const failed = runs
    .filter((run) => run.unit.id === unit.id && run.outcome !== 'PASS')
    .slice(0, MOST_FAILURES)
  return (
    <div className="flex flex-col gap-4">
      <Card
        title={unit.serial_number}
        aside={
          <Link {...unitLink(unit.serial_number)} className="text-sm">
            All of its history
          </Link>
        }
      >
        <p className="border-b border-line px-4 py-2 text-sm text-soft">
          <FacetLink facet="part" value={unit.part.number} />, revision <RevisionLink part={unit.part} />
          {unit.batch && (
            <>
              {', batch '}
              <FacetLink facet="batch" value={unit.batch.number} />
            </>
          )}
        </p>
        <ul aria-label="Needs and has" className="divide-y divide-line">
          {verdicts.map((verdict) => (
            <Verdict
              key={verdict.procedure.id}
              verdict={verdict}
              isHere={at.station.procedures.some(({ id }) => id === verdict.procedure.id)}
            />
          ))}
        </ul>
      </Card>
      {failed.length > 0 && (
        <Card title="Its last failures">
          <ul className="divide-y divide-line">
            {failed.map((run) => (
              <Failed key={run.id} run={run} failures={history.failures} />
            ))}
          </ul>
        </Card>
      )}
    </div>
  )
}

function Verdict({ verdict, isHere }: { verdict: UnitVerdict; isHere: boolean }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3">
      <span className="min-w-0 grow">
        <span className="text-lg font-semibold wrap-anywhere">{verdict.procedure.name}</span>
        {isHere && <span className="text-sm text-soft"> at this station</span>}
        <span className="block text-sm text-soft">
          {verdict.outcome === null
            ? 'Still needed: '
            : verdict.outcome === 'PASS'
              ? 'Passed '
              : 'Not passed '}
          {explainUnitVerdict(verdict)}
        </span>
      </span>
      <VerdictBadge verdict={verdict} size="large" />
    </li>
  )
}

function Failed({ run, failures }: { run: LineUnit['runs'][number]; failures: LineUnit['failures'] }) {
  return (
    <li className="flex flex-col gap-1 px-4 py-2">
      <span className="flex flex-wrap items-baseline gap-x-3">
        <Badge {...describeOutcome(run.outcome)} />
        <Link {...runLink(run.id)} className="font-medium">
          {run.procedure.name}
        </Link>
        <span className="text-sm text-soft">
          <RelativeTime at={run.started_at} />
        </span>
      </span>
      {(run.failures ?? []).map((failure) => (
        <UnitFailure
          key={failure.step}
          failure={failure}
          runId={run.id}
          verdict={failures.find(({ run_id: id, name }) => id === run.id && name === failure.name)}
        />
      ))}
      {run.pictures.length > 0 && (
        <span className="flex flex-wrap gap-2">
          {run.pictures.map((picture) => (
            <Picture key={picture.id} picture={picture} className="h-28 w-40" />
          ))}
        </span>
      )}
    </li>
  )
}
