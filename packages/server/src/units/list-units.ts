import type { ListUnitsQuery, Page, UnitListItem } from '@runledger/protocol'
import type { Context } from '../context'
import { groupBy } from '../database/group-by'
import { pageFrom } from '../database/page'
import { mapMetadata } from '../metadata/metadata-value'
import { mapLastRun, mapParentReference, mapUnitHead } from './map-unit'
import { listChildren } from './unit-detail-store'
import { listUnits } from './unit-list-store'
import { listUnitMetadata } from './unit-metadata-store'

/** `GET /v2/units`. */
export async function listUnitPage({ database }: Context, list: ListUnitsQuery): Promise<Page<UnitListItem>> {
  const rows = await listUnits(database.query, list)
  const shown = rows.slice(0, list.limit).map(({ id }) => id)
  const children = groupBy(await listChildren(database.query, shown), (child) => child.parent_unit_id)
  const metadata = groupBy(
    list.include_metadata ? await listUnitMetadata(database.query, shown) : [],
    ({ unit_id }) => unit_id,
  )
  return pageFrom(rows, list.limit, (row) => ({
    ...mapUnitHead(row),
    children: (children.get(row.id) ?? []).map(({ public_id: id, serial_number }) => ({ id, serial_number })),
    parent: mapParentReference(row),
    last_run: mapLastRun(row),
    metadata: list.include_metadata ? mapMetadata(metadata.get(row.id) ?? []) : null,
  }))
}
