import { formatDurationUs, formatTimestampUs, type RunListItem } from '@runledger/protocol'
import { mapPerson } from '../users/map-person'
import type { RunHeadRow } from './run-head-store'

/** The fields that a run has in a list and by itself. */
export function mapRunHead(row: RunHeadRow): Omit<RunListItem, 'metadata'> {
  return {
    id: row.public_id,
    created_at: formatTimestampUs(row.created_at_us),
    started_at: formatTimestampUs(row.started_at_us),
    ended_at: formatTimestampUs(row.ended_at_us),
    duration: formatDurationUs(row.duration_us),
    outcome: row.outcome,
    procedure: { id: row.procedure_public_id, name: row.procedure_name, version: null },
    unit: {
      id: row.unit_public_id,
      serial_number: row.serial_number,
      sample: null,
      part: {
        id: row.part_public_id,
        number: row.part_number,
        name: row.part_name,
        revision: { id: row.revision_public_id, number: row.revision_number },
      },
      batch: null,
    },
    docstring: row.docstring,
    created_by_user: mapPerson(row),
    created_by_station: null,
    operated_by: null,
  }
}
