import { formatDurationUs, formatTimestampUs, type RunOutcome } from '@runledger/protocol'

interface RunReferenceColumns {
  public_id: string
  created_at_us: number
  started_at_us: number
  ended_at_us: number
  duration_us: number
  outcome: RunOutcome
  procedure_public_id: string
  procedure_identifier: string
  procedure_name: string
}

export function mapRunReference(row: RunReferenceColumns) {
  return {
    id: row.public_id,
    created_at: formatTimestampUs(row.created_at_us),
    started_at: formatTimestampUs(row.started_at_us),
    ended_at: formatTimestampUs(row.ended_at_us),
    duration: formatDurationUs(row.duration_us),
    outcome: row.outcome,
    procedure: {
      id: row.procedure_public_id,
      identifier: row.procedure_identifier,
      name: row.procedure_name,
    },
  }
}
