import type { FailureVerdict, LineUnit } from '@runledger/protocol'
import { describeOutcome, formatCount, formatDuration } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { runLink } from '../../links'
import { ROW_LINK } from '../../navigation/keys'
import { FacetLink } from '../../parts/noun-links'
import { namePerson } from '../../parts/person'
import { Picture } from '../../parts/picture'
import { UnitFailure } from '../../parts/unit-failure'
import { unitLink } from '../../unit-links'
import { Badge } from '../../ui/badge'
import { Card } from '../../ui/card'
import { OutsideLimits } from '../../ui/outside-limits'
import { MinuteTime } from '../../ui/time-text'

type Run = LineUnit['runs'][number]

/** Paper has room for as many. */
const MOST_PRINTED = 12

/** All runs of the unit and of those that it holds, on one time line. */
export function UnitRuns({ history }: { history: LineUnit }) {
  const { unit, runs, more_runs: hasMore, failures } = history
  if (runs.length === 0)
    return (
      <Card title="Runs">
        <p className="px-4 py-3 text-soft">
          No run is on record yet. Send one with this serial number, and it stands here.
        </p>
      </Card>
    )
  return (
    <Card
      title="Runs of the unit and its sub-units"
      aside={
        <span className="text-sm text-soft">
          {hasMore ? `the last ${runs.length}` : formatCount(runs.length, 'run')}
        </span>
      }
    >
      <ol aria-label="Time line" className="px-4 py-2">
        {runs.map((run, index) => (
          <Entry
            key={run.id}
            run={run}
            unitId={unit.id}
            failures={failures.filter(({ run_id: id }) => id === run.id)}
            isPrinted={index < MOST_PRINTED}
          />
        ))}
      </ol>
      {runs.length > MOST_PRINTED && (
        <p className="hidden px-4 pb-2 text-xs text-soft print:block">
          {formatCount(runs.length - MOST_PRINTED, 'earlier run')} on the unit’s page.
        </p>
      )}
    </Card>
  )
}

interface EntryProps {
  run: Run
  unitId: string
  failures: FailureVerdict[]
  isPrinted: boolean
}

function Entry({ run, unitId, failures, isPrinted }: EntryProps) {
  const { procedure, started_at: startedAt, duration, unit } = run
  return (
    <li
      className={`relative flex flex-col gap-1 border-l-2 border-line py-2 pl-4 print:break-inside-avoid print:py-1 print:text-xs ${isPrinted ? '' : 'print:hidden'}`}
    >
      <span aria-hidden className="absolute top-4 -left-[5px] size-2 rounded-full bg-soft print:top-2.5" />
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="numeric w-40 shrink-0 text-sm text-soft max-sm:w-full print:w-32 print:text-xs">
          <MinuteTime at={startedAt} />
        </span>
        <Badge {...describeOutcome(run.outcome)} />
        <Link {...runLink(run.id)} {...ROW_LINK} className="font-medium wrap-anywhere">
          {procedure.name}
          {procedure.version && ` ${procedure.version.tag}`}
        </Link>
        {unit.id !== unitId && (
          <span className="text-sm text-soft print:text-xs">
            of sub-unit{' '}
            <Link {...unitLink(unit.serial_number)} className="underline wrap-anywhere">
              {unit.serial_number}
            </Link>
          </span>
        )}
        <span className="ml-auto text-sm text-soft print:text-xs">
          <Origin run={run} /> <span className="numeric">{formatDuration(duration)}</span>
        </span>
      </div>
      <OutsideLimits run={run} />
      {(run.failures ?? []).map((failure) => (
        <UnitFailure
          key={failure.step}
          failure={failure}
          runId={run.id}
          verdict={failures.find(({ name }) => name === failure.name)}
        />
      ))}
      {run.failures?.length === 0 && run.first_error !== undefined && (
        <p className="text-sm">{run.first_error}</p>
      )}
      {run.pictures.length > 0 && (
        <div className="flex flex-wrap gap-2 print:hidden">
          {run.pictures.map((picture) => (
            <Picture key={picture.id} picture={picture} className="h-24 w-32" />
          ))}
        </div>
      )}
    </li>
  )
}

/** Which station tested it, and who. */
function Origin({ run: { created_by_station: station, operated_by: operator } }: { run: Run }) {
  return (
    <>
      {station && <FacetLink facet="station" value={station.id} text={station.name} />}
      {station && operator && ', '}
      {operator && <FacetLink facet="operator" value={operator.id} text={namePerson(operator)} />}
      {(station ?? operator) && ' · '}
    </>
  )
}
