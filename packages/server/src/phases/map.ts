import { formatDurationUs, formatTimestampUs, type Phase } from '@runledger/protocol'
import { deriveUuid } from '../database/keys'
import { mapMeasurement } from '../measurements/map'
import type { MeasurementRow, PhaseRow } from '../runs/store'

type PhaseHeadColumns = Pick<PhaseRow, 'run_id' | 'id' | 'name' | 'outcome' | 'started_at_us' | 'duration_us'>

/** The fields that a phase has in a list and in its run. */
export function mapPhaseHead(row: PhaseHeadColumns) {
  return {
    id: deriveUuid('phase', row),
    name: row.name,
    outcome: row.outcome,
    started_at: formatTimestampUs(row.started_at_us),
    ended_at: formatTimestampUs(row.started_at_us + row.duration_us),
  }
}

/** A phase as `GET /v2/runs/{id}` shows it. */
export function mapPhase(row: PhaseRow, measurements: readonly MeasurementRow[]): Phase {
  return {
    ...mapPhaseHead(row),
    duration: formatDurationUs(row.duration_us),
    retry_count: row.retry_count,
    measurements: measurements.map(mapMeasurement),
    docstring: row.docstring,
  }
}
