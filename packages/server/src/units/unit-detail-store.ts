import { foldIdentifier } from '@runledger/protocol'
import type { Query } from '../database/database'
import { selectUnitHeads, type UnitHeadRow } from './unit-head-store'

/** A unit by its serial number, without regard to case. */
export async function findUnitHead(query: Query, serialNumber: string): Promise<UnitHeadRow | undefined> {
  return selectUnitHeads(query)
    .where('units.serial_number_folded', '=', foldIdentifier(serialNumber))
    .executeTakeFirst()
}

/** What these units hold, in the order of serial numbers. */
export async function listChildren(query: Query, unitIds: readonly number[]) {
  if (unitIds.length === 0) return []
  return selectRelated(query)
    .select('units.parent_unit_id')
    .where('units.parent_unit_id', 'in', unitIds)
    .orderBy('units.serial_number_folded')
    .execute()
}

export async function findRelatedUnit(query: Query, id: number) {
  return selectRelated(query).where('units.id', '=', id).executeTakeFirst()
}

export type RelatedUnitRow = NonNullable<Awaited<ReturnType<typeof findRelatedUnit>>>

function selectRelated(query: Query) {
  return query
    .selectFrom('units')
    .innerJoin('revisions', 'revisions.id', 'units.revision_id')
    .innerJoin('parts', 'parts.id', 'revisions.part_id')
    .select(['units.public_id', 'units.serial_number'])
    .select(['parts.public_id as part_public_id', 'parts.number as part_number', 'parts.name as part_name'])
    .select(['revisions.public_id as revision_public_id', 'revisions.number as revision_number'])
}

/** The run that a unit was created with; undefined when it is deleted. */
export async function findRunOfCreation(query: Query, runId: number) {
  return query
    .selectFrom('runs')
    .innerJoin('procedures', 'procedures.id', 'runs.procedure_id')
    .select(['runs.public_id', 'runs.outcome', 'runs.created_at_us', 'runs.started_at_us'])
    .select(['runs.ended_at_us', 'runs.duration_us'])
    .select(['procedures.public_id as procedure_public_id', 'procedures.name as procedure_name'])
    .select('procedures.identifier as procedure_identifier')
    .where('runs.id', '=', runId)
    .executeTakeFirst()
}
