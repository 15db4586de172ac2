import { foldIdentifier, type MetadataChange, type MetadataValue } from '@runledger/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { Query, Transaction } from '../../../storage/database/database'
import { insertRows, isFirstOfEach } from '../../../storage/database/rows'
import type { UnitsTable } from '../../../storage/database/schema/units'
import type { Creation } from '../../access/keys/principal'
import { metadataColumns } from '../metadata/store'
import { selectUnitHeads, type UnitHeadRow } from './list-store'

export async function findUnit(
  transaction: Transaction,
  serialNumber: string,
): Promise<UnitsTable | undefined> {
  const text = 'SELECT * FROM live_units WHERE serial_number_folded = ?'
  const [unit] = await transaction.all<UnitsTable>(text, [foldIdentifier(serialNumber)])
  return unit
}

export async function findUnitByKey(transaction: Transaction, id: number): Promise<UnitsTable | undefined> {
  const [unit] = await transaction.all<UnitsTable>('SELECT * FROM live_units WHERE id = ?', [id])
  return unit
}

/** Includes the unit itself. One statement for a chain of any length; a circle would end it. */
export async function listHolderKeys(transaction: Transaction, id: number): Promise<number[]> {
  const text = `WITH RECURSIVE holders (id) AS (
      SELECT CAST(? AS bigint) UNION
      SELECT units.parent_unit_id FROM holders JOIN live_units AS units ON units.id = holders.id
      WHERE units.parent_unit_id IS NOT NULL
    ) SELECT id FROM holders`
  const rows = await transaction.all<{ id: number }>(text, [id])
  return rows.map((row) => row.id)
}

export async function hasRunOfStation(query: Query, unitId: number, stationId: number): Promise<boolean> {
  const run = await query
    .selectFrom('live_runs as runs')
    .select('id')
    .where('unit_id', '=', unitId)
    .where('created_by_station_id', '=', stationId)
    .executeTakeFirst()
  return run !== undefined
}

type NewUnit = Pick<UnitsTable, 'serial_number' | 'revision_id'> &
  Partial<Pick<UnitsTable, 'batch_id' | 'sample' | 'created_by_run_id'>>

/** The serial number must be new. */
export async function insertUnit(query: Query, creation: Creation, unit: NewUnit): Promise<UnitsTable> {
  return query
    .insertInto('units')
    .values({
      parent_unit_id: null,
      batch_id: null,
      sample: null,
      created_by_run_id: null,
      image_id: null,
      ...creation,
      ...unit,
      serial_number_folded: foldIdentifier(unit.serial_number),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export type UnitChange = Partial<
  Pick<
    UnitsTable,
    | 'serial_number'
    | 'serial_number_folded'
    | 'revision_id'
    | 'batch_id'
    | 'sample'
    | 'parent_unit_id'
    | 'image_id'
  >
>

export async function updateUnitRow(query: Query, id: number, change: UnitChange): Promise<void> {
  if (Object.keys(change).length === 0) return
  await query.updateTable('units').set(change).where('id', '=', id).execute()
}

/** Keeps only these units in the unit. */
export async function removeOtherChildren(
  query: Query,
  id: number,
  keptIds: readonly number[],
): Promise<void> {
  let update = query.updateTable('units').set({ parent_unit_id: null }).where('parent_unit_id', '=', id)
  if (keptIds.length > 0) update = update.where('id', 'not in', keptIds)
  await update.execute()
}

export async function findUnitHead(query: Query, serialNumber: string): Promise<UnitHeadRow | undefined> {
  return selectUnitHeads(query)
    .where('units.serial_number_folded', '=', foldIdentifier(serialNumber))
    .executeTakeFirst()
}

/** By serial number, at most `limit` of each unit. */
export async function listChildren(query: Query, unitIds: readonly number[], limit: number) {
  const selectFirst = (unitId: RawBuilder<number>) => sql`SELECT id AS key FROM live_units
    WHERE parent_unit_id = ${unitId} ORDER BY serial_number_folded LIMIT ${limit}`
  return selectRelated(query)
    .select('units.parent_unit_id')
    .where(isFirstOfEach(query, { key: sql.ref('units.id'), ownerKeys: unitIds, selectFirst }))
    .orderBy('units.serial_number_folded')
    .execute()
}

export async function findRelatedUnit(query: Query, id: number) {
  return selectRelated(query).where('units.id', '=', id).executeTakeFirst()
}

export type RelatedUnitRow = NonNullable<Awaited<ReturnType<typeof findRelatedUnit>>>

function selectRelated(query: Query) {
  return query
    .selectFrom('live_units as units')
    .innerJoin('revisions', 'revisions.id', 'units.revision_id')
    .innerJoin('parts', 'parts.id', 'revisions.part_id')
    .select(['units.public_id', 'units.serial_number'])
    .select(['parts.public_id as part_public_id', 'parts.number as part_number', 'parts.name as part_name'])
    .select(['revisions.public_id as revision_public_id', 'revisions.number as revision_number'])
}

/** Undefined when the run is deleted. */
export async function findRunOfCreation(query: Query, runId: number) {
  return query
    .selectFrom('live_runs as runs')
    .innerJoin('procedures', 'procedures.id', 'runs.procedure_id')
    .select(['runs.public_id', 'runs.outcome', 'runs.created_at_us', 'runs.started_at_us'])
    .select(['runs.ended_at_us', 'runs.duration_us'])
    .select(['procedures.public_id as procedure_public_id', 'procedures.name as procedure_name'])
    .select('procedures.identifier as procedure_identifier')
    .where('runs.id', '=', runId)
    .executeTakeFirst()
}

export type RunOfCreationRow = NonNullable<Awaited<ReturnType<typeof findRunOfCreation>>>

/** An entry replaces what had its name. */
export async function mergeUnitMetadata(
  transaction: Transaction,
  unitId: number,
  entries: readonly [name: string, value: MetadataValue][],
): Promise<void> {
  await insertRows(transaction, {
    table: 'unit_metadata',
    columns: ['unit_id', 'name', 'value_type', 'text_value', 'number_value'],
    rows: entries.map(([name, value]) => {
      const { value_type, text_value, number_value } = metadataColumns(value)
      return [unitId, name, value_type, text_value, number_value]
    }),
    suffix: `ON CONFLICT (unit_id, name) DO UPDATE SET value_type = excluded.value_type,
      text_value = excluded.text_value, number_value = excluded.number_value`,
  })
}

/** Null removes an entry; entries that are not sent stay. */
export async function changeUnitMetadata(
  transaction: Transaction,
  unitId: number,
  change: MetadataChange,
): Promise<void> {
  const set: [string, MetadataValue][] = []
  for (const [name, value] of Object.entries(change)) {
    if (value === null) await deleteEntry(transaction.query, unitId, name)
    else set.push([name, value])
  }
  await mergeUnitMetadata(transaction, unitId, set)
}

async function deleteEntry(query: Query, unitId: number, name: string): Promise<void> {
  await query.deleteFrom('unit_metadata').where('unit_id', '=', unitId).where('name', '=', name).execute()
}

/** By name, at most `limit` of each unit. */
export async function listUnitMetadata(query: Query, unitIds: readonly number[], limit: number) {
  const key = query.engine.rowOf('unit_metadata')
  const selectFirst = (unitId: RawBuilder<number>) => sql`SELECT ${key} AS key FROM unit_metadata
    WHERE unit_id = ${unitId} ORDER BY name LIMIT ${limit}`
  return query
    .selectFrom('unit_metadata')
    .selectAll()
    .where(isFirstOfEach(query, { key, ownerKeys: unitIds, selectFirst }))
    .orderBy('unit_id')
    .orderBy('name')
    .execute()
}

export type UnitMetadataRow = Awaited<ReturnType<typeof listUnitMetadata>>[number]
