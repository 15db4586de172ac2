import type { Query } from '../../../storage/database/database'
import type { UnitsTable } from '../../../storage/database/schema/units'
import type { Facts } from '../../access/audit/record-change'
import { hideMetadata } from '../metadata/store'

/** The subject of an audit entry. */
export function describeUnit({ public_id: id, serial_number: name }: UnitsTable) {
  return { kind: 'unit', id, name } as const
}

/** The facts of a unit in audit entries, with these entries of its metadata. */
export async function readUnitFacts(
  query: Query,
  id: number,
  metadataNames: readonly string[] = [],
): Promise<Facts> {
  const unit = await query
    .selectFrom('units')
    .innerJoin('revisions', 'revisions.id', 'units.revision_id')
    .innerJoin('parts', 'parts.id', 'revisions.part_id')
    .leftJoin('batches', 'batches.id', 'units.batch_id')
    .leftJoin('units as parents', 'parents.id', 'units.parent_unit_id')
    .select(['units.serial_number', 'units.sample', 'units.image_id'])
    .select(['parts.number as part', 'revisions.number as revision', 'batches.number as batch'])
    .select('parents.serial_number as parent')
    .where('units.id', '=', id)
    .executeTakeFirst()
  if (metadataNames.length === 0) return { ...unit }
  const metadata = await query
    .selectFrom('unit_metadata')
    .selectAll()
    .where('unit_id', '=', id)
    .where('name', 'in', metadataNames)
    .orderBy('name')
    .execute()
  return { ...unit, metadata: hideMetadata(metadata) }
}
