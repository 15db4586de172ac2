import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { type AtStation, lastRunQuery } from '../../api/bench'
import { queryKeys } from '../../api/query-keys'
import { FacetLink } from '../../parts/noun-links'
import { benchLink } from '../../unit-links'
import { PageTitle } from '../../ui/page-title'
import { ScannedUnit } from './scanned-unit'
import { LastRun } from './last-run'
import { ScanField } from './scan-field'
import { StationKeyForm } from './station-key-form'

/** Kept until the page is loaded again, also while another page is open. */
let known: AtStation | undefined

/** The page for a tablet at a station: scan a unit, see what it needs, and the verdict of the run that just arrived. */
export function BenchPage() {
  const [at, setAt] = useState(known)
  return at ? <Bench at={at} /> : <StationKeyForm onKnown={(one) => setAt((known = one))} />
}

function Bench({ at }: { at: AtStation }) {
  const { station } = at
  const { unit } = useSearch({ from: '/station' })
  const navigate = useNavigate()
  const last = useQuery(lastRunQuery(at))
  useFreshUnit(last.data?.id)
  return (
    <div className="flex flex-col gap-4">
      <PageTitle text={station.name} />
      <div className="flex flex-wrap items-end gap-x-6 gap-y-2">
        <h1 className="text-2xl font-semibold wrap-anywhere">
          <FacetLink facet="station" value={station.id} text={station.name} />
        </h1>
        <ScanField onScan={(serialNumber) => void navigate(benchLink(serialNumber))} />
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <LastRun read={last} at={at} />
        <ScannedUnit serialNumber={unit} at={at} />
      </div>
    </div>
  )
}

/** Reads the unit that is shown again when another run arrives. */
function useFreshUnit(lastRunId: string | undefined): void {
  const queryClient = useQueryClient()
  useEffect(() => {
    if (lastRunId !== undefined) void queryClient.invalidateQueries({ queryKey: queryKeys.allUnits() })
  }, [lastRunId, queryClient])
}
