import { HttpError } from '../errors'
import { createCreationAt } from '../keys/creation'
import type { CreateScope } from '../runs/create-scope'
import { findVersionKey, insertVersion } from './version-store'

/** The version of its procedure that a run names, created when it is new; undefined when none was sent. */
export async function findOrCreateVersion(
  scope: CreateScope,
  procedureKey: number,
  tag: string | undefined,
): Promise<{ id: number } | undefined> {
  if (tag === undefined) return undefined
  const known = await findVersionKey(scope.transaction, procedureKey, tag)
  if (known) return known
  if (!scope.settings['auto_create.version']) {
    throw new HttpError(
      'FORBIDDEN',
      `Version creation failed: version "${tag}" of the procedure does not exist and the organisation does not create versions on first sight.`,
    )
  }
  const version = createCreationAt(scope)
  await insertVersion(scope.transaction.query, version, { procedureId: procedureKey, tag })
  return version
}
