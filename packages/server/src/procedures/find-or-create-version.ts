import { foldIdentifier } from '@runledger/protocol'
import type { Transaction } from '../database/database'
import { HttpError } from '../errors'
import { createCreationAt } from '../keys/creation'
import type { CreateScope } from '../runs/create-scope'

/** The version of its procedure that a run names, created when it is new; undefined when none was sent. */
export async function findOrCreateVersion(
  scope: CreateScope,
  procedureKey: number,
  tag: string | undefined,
): Promise<{ id: number } | undefined> {
  if (tag === undefined) return undefined
  const known = await findVersion(scope.transaction, procedureKey, tag)
  if (known) return known
  if (!scope.settings['auto_create.version']) {
    throw new HttpError(
      'FORBIDDEN',
      `Version creation failed: version "${tag}" of the procedure does not exist and the organisation does not create versions on first sight.`,
    )
  }
  const version = createCreationAt(scope)
  await scope.transaction.run(
    `INSERT INTO procedure_versions (id, public_id, procedure_id, tag, tag_folded, created_at_us,
     created_by_user_id, created_by_station_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      version.id,
      version.public_id,
      procedureKey,
      tag,
      foldIdentifier(tag),
      version.created_at_us,
      version.created_by_user_id,
      version.created_by_station_id,
    ],
  )
  return version
}

async function findVersion(
  transaction: Transaction,
  procedureKey: number,
  tag: string,
): Promise<{ id: number } | undefined> {
  const sql = 'SELECT id FROM procedure_versions WHERE procedure_id = ? AND tag_folded = ?'
  const [version] = await transaction.all<{ id: number }>(sql, [procedureKey, foldIdentifier(tag)])
  return version
}
