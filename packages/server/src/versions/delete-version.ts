import type { Context } from '../context'
import { HttpError } from '../errors'
import { findKnownProcedure } from '../procedures/find-known-procedure'
import { findKnownVersion } from './find-known-version'
import { countRunsOfVersion, deleteVersion as deleteRow } from './version-store'

/** `DELETE /v2/procedures/{procedure_id}/versions/{tag}`. @throws HttpError NOT_FOUND, CONFLICT when runs have it */
export async function deleteVersion(
  { database }: Context,
  { procedure_id: procedureId, tag }: { procedure_id: string; tag: string },
): Promise<{ id: string }> {
  return database.write(async ({ query }) => {
    const procedure = await findKnownProcedure(query, procedureId)
    const version = await findKnownVersion(query, procedure, tag)
    const runs = await countRunsOfVersion(query, version.id)
    if (runs > 0) {
      throw new HttpError(
        'CONFLICT',
        `Version "${version.tag}" cannot be deleted: ${runs} run${runs === 1 ? ' has' : 's have'} it. Delete the runs first.`,
      )
    }
    await deleteRow(query, version.id)
    return { id: version.public_id }
  })
}
