import type { StationDetail } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { runListQuery } from '../../api/run-list'
import { rolledYieldsQuery, stationQuery } from '../../api/units'
import { facetLink } from '../../links'
import { Definitions } from '../../parts/definitions'
import { ProcedureLink } from '../../parts/noun-links'
import { NounPage, UnreadNoun } from '../../parts/noun-page'
import { RunRows } from '../../parts/run-rows'
import { Unread } from '../../parts/unread'
import { YieldTable } from '../../parts/yield-table'
import { EMPTY_FILTER } from '../../run-filter'
import { Card } from '../../ui/card'

export function StationPage() {
  const { id } = useParams({ from: '/stations/$id' })
  const read = useQuery(stationQuery(id))
  // Load yields before the page shows, so that the layout does not shift.
  const yields = useQuery(rolledYieldsQuery({ station: id }))
  if (!read.data || yields.isPending) return <UnreadNoun noun="station" read={read} />
  const station = read.data
  return (
    <NounPage noun="station" title={station.name} runs={facetLink('station', station.id)}>
      <Procedures station={station} />
      <YieldTable title="Yields at this station" of={{ station: id }} others="first pass at other stations" />
      <LastRuns station={station.id} />
      <Definitions of={['passes', 'interval']} />
    </NounPage>
  )
}

function Procedures({ station: { procedures } }: { station: StationDetail }) {
  return (
    <Card title="Procedures that it may run">
      {procedures.length === 0 && (
        <p className="px-4 py-3 text-soft">
          {'None yet. PUT /v2/stations/{id}/procedures/{procedure_id} links one.'}
        </p>
      )}
      <ul className="divide-y divide-line">
        {procedures.map(({ id, name, identifier, runs_count: runs }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-4 px-4 py-2">
            <span className="font-medium">
              <ProcedureLink id={id} name={name} />
            </span>
            <span className="text-sm text-soft">
              {identifier}, {formatCount(runs, 'run')} here
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const MOST_RUNS = 10

function LastRuns({ station }: { station: string }) {
  const read = useInfiniteQuery(runListQuery({ ...EMPTY_FILTER, station }))
  if (!read.data)
    return (
      <Unread
        read={read}
        label="Reading the runs"
        title="The runs could not be read"
        rows={MOST_RUNS}
        rowClass="h-14"
      />
    )
  const runs = read.data.pages.flatMap(({ data }) => data).slice(0, MOST_RUNS)
  return (
    <section aria-labelledby="last-runs" className="flex flex-col gap-2">
      <h2 id="last-runs" className="text-base font-semibold">
        Last runs
      </h2>
      {runs.length === 0 ? (
        <p className="text-soft">This station has sent no run yet.</p>
      ) : (
        <RunRows runs={runs} group={undefined} />
      )}
    </section>
  )
}
