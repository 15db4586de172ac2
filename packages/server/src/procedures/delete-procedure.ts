import { removeUnreferencedBlobs } from '../blobs/remove-blob'
import type { Context } from '../context'
import { deleteRunsByKey } from '../runs/delete-runs'
import { deleteVersionsOfProcedure } from '../versions/version-store'
import { findKnownProcedure } from './find-known-procedure'
import { listRunKeysOfProcedure } from './procedure-run-store'
import { deleteProcedureRow } from './procedure-store'

/** `DELETE /v2/procedures/{id}` with its runs, versions and links of stations. @throws HttpError NOT_FOUND */
export async function deleteProcedure(context: Context, identifierOrId: string): Promise<{ id: string }> {
  const { id, orphans } = await context.database.write(async ({ query }) => {
    const procedure = await findKnownProcedure(query, identifierOrId)
    const bytes = await deleteRunsByKey(query, await listRunKeysOfProcedure(query, procedure.id))
    await deleteVersionsOfProcedure(query, procedure.id)
    await deleteProcedureRow(query, procedure.id)
    return { id: procedure.public_id, orphans: bytes }
  })
  await removeUnreferencedBlobs(context, orphans)
  return { id }
}
