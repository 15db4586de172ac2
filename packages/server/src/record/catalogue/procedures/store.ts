import { foldIdentifier, type ListProceduresQuery, parseTimestampUs } from '@runledger/protocol'
import type { Expression, SqlBool } from 'kysely'
import { anyOf, isLike, isOneOf, likeContaining } from '../../../storage/database/conditions'
import type { Query, Transaction } from '../../../storage/database/database'
import type { ProceduresTable } from '../../../storage/database/schema/units'

/** False when the identifier is taken, without regard to case. */
export async function insertProcedure(query: Query, procedure: ProceduresTable): Promise<boolean> {
  const inserted = await query
    .insertInto('procedures')
    .values(procedure)
    .onConflict((conflict) => conflict.columns(['identifier_folded', 'organisation_id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function updateProcedure(
  query: Query,
  id: number,
  change: Partial<Pick<ProceduresTable, 'name' | 'name_folded' | 'repository_settings'>>,
): Promise<void> {
  await query.updateTable('procedures').set(change).where('id', '=', id).execute()
}

/** Identifiers ignore case (docs/interface.md#run-creation-in-v1). */
export async function findProcedure(
  transaction: Transaction,
  identifierOrId: string,
): Promise<NamedProcedure | undefined> {
  const folded = foldIdentifier(identifierOrId)
  const sql = `SELECT ${NAMES} FROM live_procedures WHERE identifier_folded = ? OR public_id = ?`
  const rows = await transaction.all<NamedProcedure>(sql, [folded, folded])
  return rows.find((row) => row.identifier_folded === folded) ?? rows[0]
}

/** The first that was created with the name, without regard to case. */
export async function findProcedureByName(
  transaction: Transaction,
  name: string,
): Promise<NamedProcedure | undefined> {
  const sql = `SELECT ${NAMES} FROM live_procedures WHERE name_folded = ? ORDER BY id LIMIT 1`
  const [procedure] = await transaction.all<NamedProcedure>(sql, [foldIdentifier(name)])
  return procedure
}

export type NamedProcedure = Pick<ProceduresTable, 'id' | 'identifier_folded' | 'name_folded'>

const NAMES = 'id, identifier_folded, name_folded'

export async function findFirstProcedure(query: Query): Promise<ProceduresTable | undefined> {
  return query
    .selectFrom('live_procedures as procedures')
    .selectAll()
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

export async function listProcedures(query: Query, list: ListProceduresQuery) {
  let select = query
    .selectFrom('live_procedures as procedures')
    .leftJoin('users', 'users.id', 'procedures.created_by_user_id')
    .select(['procedures.id', 'procedures.public_id', 'procedures.identifier', 'procedures.name'])
    .select(['procedures.created_at_us', 'users.public_id as user_public_id'])
    .select(['users.name as user_name', 'users.email as user_email'])
  if (list.cursor !== undefined) select = select.where('procedures.id', '<', list.cursor)
  if (list.created_after) select = select.where('procedures.created_at_us', '>=', timeUs(list.created_after))
  if (list.created_before)
    select = select.where('procedures.created_at_us', '<=', timeUs(list.created_before))
  if (list.search_query) {
    const pattern = likeContaining(foldIdentifier(list.search_query))
    select = select.where((where) =>
      where.or([
        isLike(where.ref('procedures.name_folded'), pattern),
        isLike(where.ref('procedures.identifier_folded'), pattern),
      ]),
    )
  }
  return select
    .orderBy('procedures.id', 'desc')
    .limit(list.limit + 1)
    .execute()
}

function timeUs(timestamp: string): number {
  return parseTimestampUs(timestamp) ?? 0
}

/** `table` is the name that the procedures are joined under. */
export function isOneOfProcedures(
  sent: readonly string[] | undefined,
  table = 'procedures',
): Expression<SqlBool>[] {
  const procedures = sent?.map(foldIdentifier)
  if (!procedures?.length) return []
  return [
    anyOf([
      ...isOneOf(`${table}.public_id`, procedures),
      ...isOneOf(`${table}.identifier_folded`, procedures),
    ]),
  ]
}

export async function countRunsOfProcedure(query: Query, procedureId: number): Promise<number> {
  const { runs } = await query
    .selectFrom('live_runs as runs')
    .select((select) => select.fn.countAll<number>().as('runs'))
    .where('procedure_id', '=', procedureId)
    .executeTakeFirstOrThrow()
  return runs
}

/** Those that started last come first. */
export async function listRecentRuns(query: Query, procedureId: number, limit: number) {
  return query
    .selectFrom('live_runs as runs')
    .innerJoin('units', 'units.id', 'runs.unit_id')
    .select(['runs.public_id', 'runs.started_at_us', 'runs.outcome', 'units.serial_number'])
    .where('runs.procedure_id', '=', procedureId)
    .orderBy('runs.started_at_us', 'desc')
    .orderBy('runs.id', 'desc')
    .limit(limit)
    .execute()
}
