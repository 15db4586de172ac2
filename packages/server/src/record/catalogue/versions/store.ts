import { foldIdentifier } from '@runledger/protocol'
import type { Query, Transaction } from '../../../storage/database/database'
import type { Creation } from '../../access/keys/principal'
import { CREATED_BY_COLUMNS } from '../../access/users/store'

/** False when the procedure has the tag, without regard to case. */
export async function insertVersion(
  query: Query,
  creation: Creation,
  { procedureId, tag }: { procedureId: number; tag: string },
): Promise<boolean> {
  const inserted = await query
    .insertInto('procedure_versions')
    .values({ ...creation, procedure_id: procedureId, tag, tag_folded: foldIdentifier(tag) })
    .onConflict((conflict) => conflict.columns(['procedure_id', 'tag_folded']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function findVersionKey(
  transaction: Transaction,
  procedureId: number,
  tag: string,
): Promise<{ id: number } | undefined> {
  const sql = 'SELECT id FROM procedure_versions WHERE procedure_id = ? AND tag_folded = ?'
  const [version] = await transaction.all<{ id: number }>(sql, [procedureId, foldIdentifier(tag)])
  return version
}

export async function findVersion(query: Query, procedureId: number, tag: string) {
  return query
    .selectFrom('procedure_versions as versions')
    .leftJoin('users', 'users.id', 'versions.created_by_user_id')
    .leftJoin('stations', 'stations.id', 'versions.created_by_station_id')
    .select(['versions.id', 'versions.public_id', 'versions.tag', 'versions.created_at_us'])
    .select(CREATED_BY_COLUMNS)
    .where('versions.procedure_id', '=', procedureId)
    .where('versions.tag_folded', '=', foldIdentifier(tag))
    .executeTakeFirst()
}

/** Leaves out runs that are being deleted. */
export async function countRunsOfVersion(query: Query, versionId: number): Promise<number> {
  const { runs } = await query
    .selectFrom('live_runs as runs')
    .select((select) => select.fn.countAll<number>().as('runs'))
    .where('version_id', '=', versionId)
    .executeTakeFirstOrThrow()
  return runs
}

/** Also true while the last of its runs are being deleted. */
export async function hasRunRows(query: Query, versionId: number): Promise<boolean> {
  const run = await query
    .selectFrom('runs')
    .select('id')
    .where('version_id', '=', versionId)
    .executeTakeFirst()
  return run !== undefined
}

export async function deleteVersion(query: Query, id: number): Promise<void> {
  await query.deleteFrom('procedure_versions').where('id', '=', id).execute()
}
