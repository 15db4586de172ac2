import { createCreationAt } from '../../access/keys/principal'
import { findVersionKey, insertVersion } from './store'
import type { CreateScope } from '../create-scope'
import { refuseNew } from '../refuse-new'

export async function findOrCreateVersion(
  scope: CreateScope,
  procedureKey: number,
  tag: string | undefined,
): Promise<{ id: number } | undefined> {
  if (tag === undefined) return undefined
  const known = await findVersionKey(scope.transaction, procedureKey, tag)
  if (known) return known
  refuseNew(scope.settings, 'version', `version "${tag}" of the procedure does not exist`)
  const version = createCreationAt(scope)
  await insertVersion(scope.transaction.query, version, { procedureId: procedureKey, tag })
  return version
}
