import { formatTimestampUs, type RunOutcome, type UnitDetail, type UnitListItem } from '@runledger/protocol'
import { type Addressing, createDownloadUrl } from '../../files/attachments/addresses'
import type { LinkedAttachmentRow } from '../../files/attachments/store'
import { HttpError, notFound } from '../../../base/errors'
import { mapMetadata } from '../metadata/store'
import { mapPartReference } from '../parts/map'
import { mapCreatedBy } from '../../access/users/store'
import type { UnitHeadRow } from './list-store'
import type { RelatedUnitRow, RunOfCreationRow, UnitMetadataRow } from './store'
import { mapRunReference } from '../run-reference'

export function mapUnitHead(row: UnitHeadRow) {
  return {
    id: row.public_id,
    serial_number: row.serial_number,
    created_at: formatTimestampUs(row.created_at_us),
    sample: row.sample,
    part: mapPartReference(row),
    ...mapCreatedBy(row),
    batch: row.batch_public_id === null ? null : { id: row.batch_public_id, number: row.batch_number ?? '' },
  }
}

interface UnitRows {
  unit: UnitHeadRow
  parent: RelatedUnitRow | undefined
  run: RunOfCreationRow | undefined
  attachments: readonly LinkedAttachmentRow[]
  children: readonly RelatedUnitRow[]
  metadata: readonly UnitMetadataRow[]
}

export function mapUnitDetail(context: Addressing, rows: UnitRows): UnitDetail {
  const { unit, parent, run, attachments, children, metadata } = rows
  return {
    ...mapUnitHead(unit),
    parent: parent ? mapRelatedUnit(parent) : null,
    children: children.map(mapRelatedUnit),
    created_during: run ? mapRunReference(run) : null,
    attachments: attachments.map((attachment) => ({
      id: attachment.public_id,
      name: attachment.name,
      size: attachment.size_bytes,
      content_type: attachment.content_type,
      download_url: createDownloadUrl(context, attachment.public_id),
    })),
    image_id: unit.image_id,
    metadata: mapMetadata(metadata),
  }
}

export function mapParentReference(row: UnitHeadRow): UnitListItem['parent'] {
  if (row.parent_public_id === null) return null
  return { id: row.parent_public_id, serial_number: row.parent_serial_number ?? '' }
}

export function mapLastRun(row: UnitHeadRow): UnitListItem['last_run'] {
  if (row.last_run_public_id === null) return null
  return {
    id: row.last_run_public_id,
    outcome: row.last_run_outcome as RunOutcome,
    started_at: formatTimestampUs(row.last_run_started_at_us ?? 0),
    ended_at: formatTimestampUs(row.last_run_ended_at_us ?? 0),
    procedure: {
      id: row.last_procedure_public_id ?? '',
      identifier: row.last_procedure_identifier ?? '',
      name: row.last_procedure_name ?? '',
    },
  }
}

function mapRelatedUnit(row: RelatedUnitRow): UnitDetail['children'][number] {
  return { id: row.public_id, serial_number: row.serial_number, part: mapPartReference(row) }
}

export function unitNotFound(serialNumber: string): HttpError {
  return notFound(`unit with the serial number "${serialNumber}"`)
}

export function unitExistsError(serialNumber: string): HttpError {
  return new HttpError(
    'CONFLICT',
    `A unit with the serial number "${serialNumber}" already exists. Choose another.`,
  )
}
