import type { RunListItem } from '@runledger/protocol'
import { mapPartReference } from '../parts/map-part-reference'
import { mapStation } from '../stations/map-station'
import { mapPerson } from '../users/map-person'
import { mapRunReference } from './map-run-reference'
import type { RunHeadRow } from './run-head-store'

/** The fields that a run has in a list and by itself. */
export function mapRunHead(row: RunHeadRow): Omit<RunListItem, 'metadata'> {
  const reference = mapRunReference(row)
  return {
    ...reference,
    procedure: { ...reference.procedure, version: mapVersion(row) },
    unit: {
      id: row.unit_public_id,
      serial_number: row.serial_number,
      sample: row.sample,
      part: mapPartReference(row),
      batch: mapBatch(row),
    },
    docstring: row.docstring,
    created_by_user: mapPerson(row),
    created_by_station: mapStation(row),
    operated_by: mapPerson({
      user_public_id: row.operator_public_id,
      user_name: row.operator_name,
      user_email: row.operator_email,
    }),
  }
}

function mapVersion({
  version_public_id: id,
  version_tag: tag,
}: RunHeadRow): RunListItem['procedure']['version'] {
  return id === null || tag === null ? null : { id, tag }
}

function mapBatch({ batch_public_id: id, batch_number: number }: RunHeadRow): RunListItem['unit']['batch'] {
  return id === null || number === null ? null : { id, number }
}
