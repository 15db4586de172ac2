import type { UnitDetail } from '@runledger/protocol'
import { createDownloadUrl } from '../attachments/address'
import { listLinkedAttachments } from '../attachments/attachment-store'
import type { Context } from '../context'
import { mapMetadata } from '../metadata/metadata-value'
import { mapRunReference } from '../runs/map-run-reference'
import { mapRelatedUnit, mapUnitHead } from './map-unit'
import { findRelatedUnit, findRunOfCreation, findUnitHead, listChildren } from './unit-detail-store'
import { unknownUnit } from './unit-errors'
import { listUnitMetadata } from './unit-metadata-store'

/** `GET /v2/units/{serial_number}`; 404 for a unit that does not exist. */
export async function getUnit(context: Context, serialNumber: string): Promise<UnitDetail> {
  const { query } = context.database
  const unit = await findUnitHead(query, serialNumber)
  if (!unit) throw unknownUnit(serialNumber)
  const parent = unit.parent_unit_id === null ? undefined : await findRelatedUnit(query, unit.parent_unit_id)
  const run =
    unit.created_by_run_id === null ? undefined : await findRunOfCreation(query, unit.created_by_run_id)
  const attachments = await listLinkedAttachments(query, 'unit', unit.id)
  return {
    ...mapUnitHead(unit),
    parent: parent ? mapRelatedUnit(parent) : null,
    children: (await listChildren(query, [unit.id])).map(mapRelatedUnit),
    created_during: run ? mapRunReference(run) : null,
    attachments: attachments.map((attachment) => ({
      id: attachment.public_id,
      name: attachment.name,
      size: attachment.size_bytes,
      content_type: attachment.content_type,
      download_url: createDownloadUrl(context, attachment.public_id),
    })),
    metadata: mapMetadata(await listUnitMetadata(query, [unit.id])),
  }
}
